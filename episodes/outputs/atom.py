"""A list as an Atom feed (RFC 4287), its pages linked as RFC 5005 says."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from django.db.models import OuterRef, Subquery

from ..models import Episode
from .listing import Listing, audio, urn
from .xml import Element, add, document, root

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
KIND = "application/atom+xml"


def write(listing: Listing) -> str:
    """An entry for each episode; `published` only where the date is known."""
    feed = root("feed", {"xmlns": "http://www.w3.org/2005/Atom"})
    dates = updated(listing.episodes)
    add(feed, "title", listing.title)
    if listing.description:
        add(feed, "subtitle", listing.description)
    add(feed, "id", listing.own)
    add(feed, "updated", stamp(max(dates.values(), default=LONG_AGO)))
    add(feed, "link", rel="self", type=KIND, href=listing.own)
    add(feed, "link", rel="alternate", type="text/html", href=listing.page)
    if listing.next:
        add(feed, "link", rel="next", type=KIND, href=listing.next)
    add(add(feed, "author"), "name", listing.author or listing.title)
    if listing.image:
        add(feed, "logo", listing.image)
    for e in listing.episodes:
        _entry(add(feed, "entry"), e, listing, dates[e.pk])
    return document(feed)


def _entry(entry: Element, e: Episode, listing: Listing, at: datetime) -> None:
    add(entry, "title", e.heading)
    add(entry, "id", urn(e))
    add(entry, "updated", stamp(at))
    if e.published_at:
        add(entry, "published", stamp(e.published_at))
    add(entry, "link", rel="alternate", type="text/html", href=listing.address(e))
    if heard := audio(e):
        add(entry, "link", rel="enclosure", type=heard[1], href=heard[0])
    for use in e.topic_uses.all():
        add(entry, "category", term=use.topic.slug, label=use.topic.name)
    for name in dict.fromkeys(credit.person.name for credit in e.credits.all()):
        add(add(entry, "contributor"), "name", name)
    if e.description_html:
        add(entry, "content", e.description_html, type="html")


def updated(episodes: Sequence[Episode]) -> dict[int, datetime]:
    """The date that Atom demands of every entry: an episode without one takes that of the dated one before it in its
    show, than which it is not older. Today's would put the oldest episodes first in every reader."""
    before = Episode.objects.filter(
        podcast=OuterRef("podcast"), order__lt=OuterRef("order"), published_at__isnull=False
    ).order_by("-order")
    undated = Episode.objects.filter(pk__in=[e.pk for e in episodes if e.published_at is None]).order_by()
    known = dict(undated.values_list("pk", Subquery(before.values("published_at")[:1])))
    return {e.pk: e.published_at or known.get(e.pk) or LONG_AGO for e in episodes}


def stamp(moment: datetime) -> str:
    """`2021-06-21T13:00:00Z`."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
