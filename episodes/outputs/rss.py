"""A list as RSS with the elements of Apple (`itunes:`) and Podcasting 2.0 (`podcast:`), for podcast apps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from email.utils import format_datetime
from uuid import UUID, uuid5

from django.urls import reverse

from ..fields import IN_RSS, details
from ..models import Chapter, Episode, Transcript
from ..records import DETAILS, Channel
from ..text.link_labels import followable
from ..text.urls import taken_apart
from .listing import Listing, audio, identity, people
from .xml import Element, add, document, root

SPACES = {
    "xmlns:atom": "http://www.w3.org/2005/Atom",
    "xmlns:content": "http://purl.org/rss/1.0/modules/content/",
    "xmlns:itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "xmlns:podcast": "https://podcastindex.org/namespace/1.0",
}
# The namespace that Podcasting 2.0 makes the guid of a feed with, of its address without the scheme.
OF_FEEDS = UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")


# Details that need more than what the feed said of them.
WRITTEN_APART = ("season", "episode", "alternate")


def write(listing: Listing) -> str:
    """An item for each episode. A date known to the day is 00:00 UTC of that day; `sorted_at` stands in for no date."""
    rss = root("rss", {"version": "2.0", **SPACES})
    channel = add(rss, "channel")
    _head(channel, listing)
    keys = [e.pk for e in listing.episodes] if listing.absolute else []
    chaptered = frozenset(Chapter.objects.filter(episode__in=keys).values_list("episode", flat=True))
    # SQLite takes a null for a text, which is greater than every number, and PostgreSQL for less than any.
    begun = Transcript.objects.filter(episode__in=keys, cues__0__0__gte=0, cues__0__0__lt=1 << 31)
    timed = frozenset(begun.values_list("episode", flat=True))
    for e in listing.episodes:
        item = add(channel, "item")
        _item(item, e, listing)
        if listing.absolute:
            _companions(item, e, listing.absolute, chaptered, timed)
        item.settle()
    return document(rss)


def _head(channel: Element, listing: Listing) -> None:
    add(channel, "title", listing.title)
    add(channel, "link", listing.page)
    add(channel, "description", listing.description or listing.title)
    if listing.language:
        add(channel, "language", listing.language)
    if latest := max((e.sorted_at for e in listing.episodes), default=None):
        add(channel, "lastBuildDate", format_datetime(latest))
    if listing.own:
        add(channel, "atom:link", rel="self", type="application/rss+xml", href=listing.own)
        add(channel, "podcast:guid", _guid(listing.own))
    if listing.next:
        add(channel, "atom:link", rel="next", type="application/rss+xml", href=listing.next)
    if listing.author:
        add(channel, "itunes:author", listing.author)
    if listing.image:
        add(channel, "itunes:image", href=listing.image)
        image = add(channel, "image")
        for name, text in (("url", listing.image), ("title", listing.title), ("link", listing.page)):
            add(image, name, text)
    _of_show(channel, listing.channel)


def _of_show(channel: Element, said: Channel) -> None:
    """What the show's own feed says of it, and what directories want of every feed."""
    for category in said.categories:
        add(channel, "itunes:category", text=category)
    add(channel, "itunes:explicit", str(said.explicit == "yes").lower())
    add(channel, "itunes:type", said.kind if said.kind in ("episodic", "serial") else "episodic")
    if said.copyright:
        add(channel, "copyright", said.copyright)
    _pass_on(channel, details(said.details))
    add(channel, "podcast:medium", said.medium or "podcast")


def _guid(address: str) -> str:
    parts = taken_apart(address)
    return str(uuid5(OF_FEEDS, f"{parts.netloc}{parts.path}{f'?{parts.query}' if parts.query else ''}".rstrip("/")))


def _item(item: Element, e: Episode, listing: Listing) -> None:
    add(item, "title", e.heading)
    if address := listing.address(e):
        add(item, "link", address)
    add(item, "guid", identity(e), isPermaLink="false")
    add(item, "pubDate", format_datetime(e.sorted_at))
    if e.description_html:
        add(item, "description", e.description_html)
        add(item, "content:encoded", e.description_html)
    for topic in e.topics_in_order:
        add(item, "category", topic.slug)
    if heard := audio(e):
        # RSS wants a length in bytes; 0 is the custom where nobody knows it.
        add(item, "enclosure", url=heard[0], length="0", type=heard[1])
    add(item, "itunes:title", e.heading)
    if e.podcast.author:
        add(item, "itunes:author", e.podcast.author)
    for field in IN_RSS:
        if text := field.in_rss(e):
            add(item, field.rss, text)
    _details(item, e)
    _people(item, e, listing.absolute)


def _pass_on(element: Element, rows: Iterable[dict[str, str]]) -> None:
    """Details of an episode or a show, each in the element that it came in."""
    for said in (said for said in rows if said["kind"] not in WRITTEN_APART):
        detail = DETAILS[said["kind"]]
        values = {place: said.get(name, "") for name, place in detail.values.items()}
        text = values.pop(".", "")
        add(
            element, f"podcast:{detail.element}", text, **{place[1:]: value for place, value in values.items() if value}
        )


def _details(item: Element, e: Episode) -> None:
    if image := followable(e.image_url):
        add(item, "itunes:image", href=image)
    if e.season is not None and e.season_name:
        add(item, "podcast:season", str(e.season), name=e.season_name)
    for said in (said for said in e.details if said["kind"] == "episode" and e.number is not None):
        add(item, "podcast:episode", str(e.number), display=said["display"])
    for said in (said for said in e.details if said["kind"] == "alternate"):
        named = {"title": said["title"]} if said.get("title") else {}
        other = add(item, "podcast:alternateEnclosure", type=said.get("type", ""), length="0", **named)
        add(other, "podcast:source", uri=said["url"])
    _pass_on(item, e.details)


def _people(item: Element, e: Episode, absolute: Callable[[str], str] | None) -> None:
    for credit in people(e):
        page = {"href": absolute(credit.person.get_absolute_url())} if absolute else {}
        photo = {"img": image} if (image := followable(credit.person.image_url)) else {}
        add(item, "podcast:person", credit.person.name, role=credit.role, **page, **photo)


def _companions(
    item: Element, e: Episode, absolute: Callable[[str], str], chaptered: Collection[int], timed: Collection[int]
) -> None:
    for name, kind, there in _OFFERED:
        if e.pk in (chaptered if there == "chapters" else timed):
            add(item, name, url=absolute(reverse(there, args=(e.slug,))), type=kind)


_OFFERED: Iterable[tuple[str, str, str]] = (
    ("podcast:chapters", "application/json+chapters", "chapters"),
    ("podcast:transcript", "text/vtt", "transcript"),
)
