"""A list as RSS with the elements of Apple (`itunes:`) and Podcasting 2.0 (`podcast:`), for podcast
apps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from email.utils import format_datetime
from uuid import UUID, uuid5
from xml.etree.ElementTree import Element

from django.urls import reverse

from ..fields import IN_RSS, by_kind, details
from ..models import Chapter, Episode, Transcript
from ..records import DETAILS, Channel
from ..text.link_labels import followable
from ..text.urls import taken_apart
from .listing import Listing, audio, identity, people
from .xml import add, add_known, document, root

SPACES = {
    "xmlns:atom": "http://www.w3.org/2005/Atom",
    "xmlns:content": "http://purl.org/rss/1.0/modules/content/",
    "xmlns:itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "xmlns:podcast": "https://podcastindex.org/namespace/1.0",
}
# The namespace that Podcasting 2.0 makes the guid of a feed with, of its address without the
# scheme.
OF_FEEDS = UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")


# Details that need more than what the feed said of them.
WRITTEN_APART = ("season", "episode", "alternate")


def write(listing: Listing) -> str:
    """An item for each episode. A date known to the day is 00:00 UTC of that day; `sorted_at`
    stands in for no date."""
    rss = root("rss", {"version": "2.0", **SPACES})
    channel = add(rss, "channel")
    _head(channel, listing)
    chaptered, timed = _companions(listing)
    for e in listing.episodes:
        item = add(channel, "item")
        _item(item, e, listing)
        if e.pk in chaptered:
            chapters = listing.whole(reverse("chapters", args=(e.slug,)))
            add(item, "podcast:chapters", url=chapters, type="application/json+chapters")
        if e.pk in timed:
            add(
                item,
                "podcast:transcript",
                url=listing.whole(reverse("transcript", args=(e.slug,))),
                type="text/vtt",
            )
    return document(rss)


def _companions(listing: Listing) -> tuple[set[int], set[int]]:
    """The episodes whose chapters the site serves, and those whose transcript with times."""
    keys = [e.pk for e in listing.episodes] if listing.absolute else []
    chaptered = Chapter.objects.filter(episode__in=keys).values_list("episode", flat=True)
    # SQLite takes a null for a text, which is greater than every number, and PostgreSQL for less
    # than any.
    timed = Transcript.objects.filter(episode__in=keys, cues__0__0__gte=0, cues__0__0__lt=1 << 31)
    return set(chaptered), set(timed.values_list("episode", flat=True))


def _head(channel: Element, listing: Listing) -> None:
    add(channel, "title", listing.title)
    add(channel, "link", listing.page)
    add(channel, "description", listing.description or listing.title)
    add_known(channel, "language", listing.podcast.language)
    if latest := max((e.sorted_at for e in listing.episodes), default=None):
        add(channel, "lastBuildDate", format_datetime(latest))
    if listing.own:
        add(channel, "atom:link", rel="self", type="application/rss+xml", href=listing.own)
        add(channel, "podcast:guid", _guid(listing.own))
    if listing.next:
        add(channel, "atom:link", rel="next", type="application/rss+xml", href=listing.next)
    add_known(channel, "itunes:author", listing.podcast.author)
    if listing.image:
        add(channel, "itunes:image", href=listing.image)
        image = add(channel, "image")
        add(image, "url", listing.image)
        add(image, "title", listing.title)
        add(image, "link", listing.page)
    _of_show(channel, listing.podcast.channel)


def _of_show(channel: Element, said: Channel) -> None:
    """What the show's own feed says of it, and what directories want of every feed."""
    for category in said.categories:
        add(channel, "itunes:category", text=category)
    add(channel, "itunes:explicit", str(said.explicit == "yes").lower())
    add(channel, "itunes:type", said.kind if said.kind in ("episodic", "serial") else "episodic")
    add_known(channel, "copyright", said.copyright)
    _pass_on(channel, details(said.details))
    add(channel, "podcast:medium", said.medium or "podcast")


def _guid(address: str) -> str:
    parts = taken_apart(address)
    return str(
        uuid5(
            OF_FEEDS,
            f"{parts.netloc}{parts.path}{f'?{parts.query}' if parts.query else ''}".rstrip("/"),
        )
    )


def _item(item: Element, e: Episode, listing: Listing) -> None:
    add(item, "title", e.heading)
    add_known(item, "link", listing.address(e))
    add(item, "guid", identity(e), isPermaLink="false")
    add(item, "pubDate", format_datetime(e.sorted_at))
    add_known(item, "description", e.description_html)
    add_known(item, "content:encoded", e.description_html)
    for topic in e.topics_in_order:
        add(item, "category", topic.slug)
    if heard := audio(e):
        # RSS wants a length in bytes; 0 is the custom where nobody knows it.
        add(item, "enclosure", url=heard[0], length="0", type=heard[1])
    add(item, "itunes:title", e.heading)
    add_known(item, "itunes:author", e.podcast.author)
    for field in IN_RSS:
        add_known(item, field.rss, field.in_rss(e))
    _details(item, e)
    for credit in people(e):
        page, photo = (
            listing.whole(credit.person.get_absolute_url()),
            followable(credit.person.image_url),
        )
        add(item, "podcast:person", credit.person.name, role=credit.role, href=page, img=photo)


def _details(item: Element, e: Episode) -> None:
    rows = by_kind(e.details)
    add_known(item, "itunes:image", href=followable(e.image_url))
    if e.season is not None and e.season_name:
        add(item, "podcast:season", str(e.season), name=e.season_name)
    if e.number is not None:
        for said in rows.get("episode", ()):
            add(item, "podcast:episode", str(e.number), display=said["display"])
    for said in rows.get("alternate", ()):
        kind, title = said.get("type", ""), said.get("title", "")
        other = add(item, "podcast:alternateEnclosure", type=kind, length="0", title=title)
        add(other, "podcast:source", uri=said["url"])
    _pass_on(item, e.details)


def _pass_on(element: Element, rows: Iterable[Mapping[str, str]]) -> None:
    """Details of an episode or a show, each in the element that it came in."""
    for said in rows:
        if said["kind"] not in WRITTEN_APART:
            detail = DETAILS[said["kind"]]
            values = {
                place.removeprefix("@"): said.get(name, "") for name, place in detail.values.items()
            }
            add(element, f"podcast:{detail.element}", values.pop(".", ""), **values)
