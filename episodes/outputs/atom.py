"""A list as an Atom feed (RFC 4287), its pages linked as RFC 5005 says."""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree.ElementTree import Element

from ..models import Episode
from ..records import NO_DATE
from .listing import Listing, audio, people, urn
from .xml import add, add_known, document, root

KIND = "application/atom+xml"


def write(listing: Listing) -> str:
    """An entry for each episode; `updated` by `sorted_at`, `published` where the date has come."""
    feed = root("feed", {"xmlns": "http://www.w3.org/2005/Atom"})
    add(feed, "title", listing.title)
    add_known(feed, "subtitle", listing.description)
    add(feed, "id", listing.own)
    add(feed, "updated", stamp(max((e.sorted_at for e in listing.episodes), default=NO_DATE)))
    add(feed, "link", rel="self", type=KIND, href=listing.own)
    add(feed, "link", rel="alternate", type="text/html", href=listing.page)
    if listing.next:
        add(feed, "link", rel="next", type=KIND, href=listing.next)
    add(add(feed, "author"), "name", listing.podcast.author or listing.title)
    add_known(feed, "logo", listing.image)
    for e in listing.episodes:
        _entry(add(feed, "entry"), e, listing)
    return document(feed)


def _entry(entry: Element, e: Episode, listing: Listing) -> None:
    add(entry, "title", e.heading)
    add(entry, "id", urn(e))
    add(entry, "updated", stamp(e.sorted_at))
    if e.published_at and e.published_at <= e.sorted_at:
        add(entry, "published", stamp(e.sorted_at))
    add(entry, "link", rel="alternate", type="text/html", href=listing.address(e))
    if heard := audio(e):
        add(entry, "link", rel="enclosure", type=heard[1], href=heard[0])
    for topic in e.topics_in_order:
        add(entry, "category", term=topic.slug, label=topic.name)
    for name in dict.fromkeys(credit.person.name for credit in people(e)):
        add(add(entry, "contributor"), "name", name)
    if e.description_html:
        add(entry, "content", e.description_html, type="html")


def stamp(moment: datetime) -> str:
    """`2021-06-21T13:00:00Z`."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
