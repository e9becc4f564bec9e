"""Source changes in words, every version against the one before it, newest first: as a page and as
RSS."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.feedgenerator import Rss201rev2Feed
from django.utils.text import Truncator
from django.views.decorators.http import require_safe

from ..fields import NOTES, differing
from ..models import Episode, Item, Podcast, Revision
from ..outputs import xml_text
from ..records import NO_DATE, EntryData
from ..site import Site, site
from .page import file_of_episode, show_page

MOST = 200  # changes on the page and in its feed
QUOTED = 120  # characters of a value that are quoted


@dataclass(frozen=True)
class UpstreamChange:
    """A difference between two versions of a document in what they say about one entry."""

    at: datetime
    document: int
    version: int
    heading: str
    page: str  # the address of its episode's page; "" for none
    sentences: tuple[str, ...]
    source: str

    @property
    def key(self) -> str:
        """The same for the same change, whenever it is asked for."""
        return f"{self.document}:{self.version}:{self.heading}"


@dataclass
class _Event:
    """The revisions and goings of one entry in one version: a new guid makes an old item go and a
    new one come."""

    at: datetime
    version: int
    item: Item
    before: Any  # the payloads of what was said before and is said now; None for nothing
    now: Any = None


SAID = Revision.objects.order_by("-version").values("payload")
EARLIER = SAID.filter(item=OuterRef("item"), version__lt=OuterRef("version"))
# The newest revisions but the first of each document, each with what its entry said `before`.
# Without the column of the join PostgreSQL takes most entries for withdrawn, and plans badly.
REVISED: QuerySet[Any] = (
    Revision.objects.filter(version__gt=1, item__withdrawn__item=None)
    .annotate(before=Subquery(EARLIER[:1]))
    .select_related("item__document__source__podcast", "item__attachment__episode")
    .order_by("-recorded_at", "-id")
)
LAST = SAID.filter(item=OuterRef("pk"), version__lt=OuterRef("gone_version"))
# The entries that are gone from complete sources, each with what it said `before` and the time of
# the first version without it, newest first. A list of the newest drops older entries all the time,
# which is no news.
GONE: QuerySet[Any] = (
    Item.objects.filter(
        document__captures__version=F("gone_version"),
        document__source__complete=True,
        withdrawn__item=None,
    )
    .annotate(gone_at=F("document__captures__taken_at"), before=Subquery(LAST[:1]))
    .select_related("document__source__podcast", "attachment__episode")
    .order_by("-gone_at", "-id")
)


def latest(site: Site, most: int = MOST, **of: Any) -> list[UpstreamChange]:
    """The newest changes of what sources say, of entries with these values. What a document said
    when it was first seen is no change."""
    events: dict[tuple[int, int, int | str], _Event] = {}
    of_items = {f"item__{name}": value for name, value in of.items()}
    for row in REVISED.filter(**of_items)[:most]:
        events[_key(row.item, row.version)] = _Event(
            row.recorded_at, row.version, row.item, row.before, row.payload
        )
    for item in GONE.filter(**of)[:most]:
        gone = _Event(item.gone_at, item.gone_version, item, item.before)
        event = events.setdefault(_key(item, item.gone_version), gone)
        event.before = item.before if event.before is None else event.before
    # Each of the two may have the newest of all, so both were asked for that many.
    changes = [_change(event, site) for event in events.values()]
    told = [change for change in changes if change.sentences]
    return sorted(told, key=lambda change: (change.at, change.key), reverse=True)[:most]


def _key(item: Item, version: int) -> tuple[int, int, int | str]:
    """One for each document, version and episode; an entry that belongs to none is by itself."""
    attachment = getattr(item, "attachment", None)
    return item.document_id, version, attachment.episode_id if attachment else item.key


def _change(event: _Event, site: Site) -> UpstreamChange:
    item, document = event.item, event.item.document
    source = document.source.label(several=site.several)
    said = EntryData.from_payload(event.before if event.now is None else event.now)
    if event.before is None:
        sentences: tuple[str, ...] = (f"new in {source}",)
    elif event.now is None:
        sentences = (f"no longer in {source}",)
    else:
        sentences = tuple(differences(EntryData.from_payload(event.before), said))
    heading, page = said.title or said.text[:60] or item.key, ""
    if hasattr(item, "attachment"):
        page = item.attachment.episode.get_absolute_url()
    return UpstreamChange(event.at, document.pk, event.version, heading, page, sentences, source)


def differences(before: EntryData, now: EntryData) -> Iterator[str]:
    """The differences in words, a sentence a field: `title changed from “A” to “B”`."""
    for field, old, new in differing(before, now):
        told = []
        for value in (old, new):
            quoted = f"“{Truncator(value).chars(QUOTED)}”" if value else "nothing"
            told.append(f"{len(value):,} characters" if field is NOTES else quoted)
        yield f"{field.label.lower()} changed from {' to '.join(told)}"


class Feed(Rss201rev2Feed):
    """An RSS feed whose date is that of its newest item."""

    def latest_post_date(self) -> datetime:
        # Without items Django would say now, and the feed would be another at each request.
        return super().latest_post_date() if self.items else NO_DATE


def feed(
    changes: Iterable[UpstreamChange],
    absolute: Callable[[str], str],
    own: str = "",
    of: Podcast | Episode | None = None,
) -> HttpResponse:
    """RSS with an item for each change; `absolute` makes an address of the site whole. Where the
    changes are those `of` an episode or a show, the feed at the address `own` is about its page."""
    page = absolute(of.get_absolute_url() if of else reverse("changes"))
    out = Feed(
        title=f"Source changes: {xml_text(str(of))}" if of else "Source changes",
        link=page,
        description="Edits detected in the sources, newest first.",
        language="en",
        feed_url=absolute(own or reverse("changes-rss")),
    )
    for change in changes:
        out.add_item(
            # Django's writer raises an error for characters that XML cannot carry.
            title=xml_text(change.heading),
            link=absolute(change.page) if change.page else page,
            description=xml_text(f"{change.source}: {'; '.join(change.sentences)}"),
            unique_id=f"change:{xml_text(change.key)}",
            # RSS takes a guid for the address of a page unless the feed says that it is none.
            unique_id_is_permalink=False,
            pubdate=change.at,
        )
    return HttpResponse(out.writeString("utf-8"), content_type="application/rss+xml; charset=utf-8")


@require_safe
def changes(request: HttpRequest) -> HttpResponse:
    """The newest changes, by day."""
    of_site = site()
    days = [
        (day, list(found))
        for day, found in groupby(latest(of_site), key=lambda change: change.at.date())
    ]
    canonical = request.build_absolute_uri(reverse("changes"))
    context = {"section": "changes", "site": of_site, "days": days, "canonical": canonical}
    return show_page(request, "episodes/changes.html", context)


@require_safe
def changes_rss(request: HttpRequest) -> HttpResponse:
    """The same as RSS, for those who want to be told."""
    return feed(latest(site()), request.build_absolute_uri)


@require_safe
@file_of_episode("/changes.rss", Episode.objects.all())
def changes_of_episode(request: HttpRequest, episode: Episode) -> HttpResponse:
    """RSS of the changes of an episode in its sources."""
    found = latest(site(), attachment__episode=episode)
    return feed(found, request.build_absolute_uri, request.path, episode)


@require_safe
def changes_of_show(request: HttpRequest, slug: str) -> HttpResponse:
    """RSS of the changes of a show in its sources."""
    show = get_object_or_404(Podcast.objects.shown(), slug=slug)
    found = latest(site(), document__source__podcast=show)
    return feed(found, request.build_absolute_uri, request.path, show)
