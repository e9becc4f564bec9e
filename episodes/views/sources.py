"""The sources: which there are, how each is doing, and the changes in what they say, every version
against the one before it, newest first: as a page and as RSS."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import (
    Case,
    Count,
    F,
    Max,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
    prefetch_related_objects,
)
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Rss201rev2Feed
from django.utils.text import Truncator
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from ..fields import NOTES, differing
from ..models import (
    Capture,
    CatalogState,
    Content,
    Document,
    Episode,
    Image,
    IngestRun,
    Item,
    Podcast,
    Revision,
    Source,
    SourceSchedule,
    Status,
    worst_first,
)
from ..outputs import xml_text
from ..records import NO_DATE, EntryData
from ..site import Site, site
from .filters import Selection
from .page import file_of_episode, paged, show_page, thing_page

PER_PAGE = 40
PER_PAGE_OF_JSON = 500
MOST_IMAGES = 200


@require_safe
def sources(request: HttpRequest) -> HttpResponse:
    """The sources with their coverage; with several shows those in trouble first, each folded to a
    line."""
    podcast = asked_show(request.GET.get("podcast", ""))
    of_site = site()
    page = paged(request, in_order(podcast), PER_PAGE)
    # Those in trouble come first, so there are two groups at most.
    groups = groupby(places(list(page)), lambda place: of_site.several and place["source"].is_wrong)
    return thing_page(
        request,
        "sources",
        of_site,
        page,
        chosen=Selection({}, ("podcast",)).replaced(podcast=podcast),
        groups=[(is_in_trouble, list(members)) for is_in_trouble, members in groups],
        podcast=podcast,
        compact=of_site.several,
        images=Image.objects.exclude(trouble="").order_by("address")[:MOST_IMAGES],
    )


@require_safe
@cache_control(no_store=True)  # it changes with every reading and with the time
def sources_json(request: HttpRequest) -> HttpResponse:
    """The state of every source with the figures behind it, worst first, for programs that watch
    over them."""
    now, podcast = timezone.now(), asked_show(request.GET.get("podcast", ""))
    page = paged(request, with_runs(worst_first(chosen_sources(podcast), now)), PER_PAGE_OF_JSON)
    runs = last_runs(list(page))
    chosen = Selection({}, ("podcast",)).replaced(podcast=podcast)
    following = request.build_absolute_uri(reverse("sources-json")) + chosen.query(page.number + 1)
    rows = []
    for source in page:
        plan, last = getattr(source, "schedule", SourceSchedule()), runs.get(source.last_run)
        rows.append(
            {
                "podcast": source.podcast.slug,
                "show": source.podcast.title,
                "source": source.slug,
                "title": source.title,
                "address": source.public(source.address) or None,
                "state": str(source.state),
                "reason": source.conceal(getattr(last, "reason", "")) or None,
                "last_success": _instant(succeeded(source)),
                "last_change": _instant(plan.changed_at or source.taken_at),
                "next_attempt": None if source.state == "paused" else _instant(plan.next_at),
                "failures": plan.failures,
                "failing_since": _instant(plan.failing_since),
                "last_import": last
                and {
                    "at": _instant(last.finished_at),
                    "outcome": last.outcome,
                    "counts": last.counts,
                },
                "bytes": getattr(last, "size", None),  # of the document that was read last
            }
        )
    body = {
        "checked": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "total": page.paginator.count,
        "next_url": following if page.has_next() else None,
        "sources": rows,
    }
    return JsonResponse(body, json_dumps_params={"ensure_ascii": False})


LONGEST_NAME = 200
WRONG = ("refused", "failed")  # outcomes of imports


def _instant(at: datetime | None) -> str | None:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}" if at else None


def chosen_sources(podcast: str) -> QuerySet[Source]:
    """The sources of the show of that slug, and of all shows whose titles have these words; all
    where it is empty."""
    return Source.objects.filter(Q(podcast__slug=podcast) | Q(podcast__title__icontains=podcast))


def asked_show(words: str) -> str:
    """A show as an address names it, without what no database takes."""
    return " ".join(words.replace("\0", "").encode("utf-8", "ignore").decode().split())[
        :LONGEST_NAME
    ]


def with_runs(sources: QuerySet[Any]) -> QuerySet[Any]:
    """Sources, each with the id of its last import (`last_run`), and when it was last imported
    (`taken_at`) and found unchanged; each looked up by an index, for there are many imports."""
    runs = IngestRun.objects.filter(source=OuterRef("pk"))
    ends = runs.order_by("-finished_at").values("finished_at")
    rows: QuerySet[Any] = sources.annotate(
        last_run=Subquery(runs.order_by("-started_at", "-id").values("pk")[:1]),
        taken_at=Subquery(ends.filter(outcome="taken")[:1]),
        unchanged_at=Subquery(ends.filter(outcome="unchanged")[:1]),
    )
    return rows


def succeeded(source: Any) -> datetime | None:
    """When one of `with_runs` was last read well."""
    return max(filter(None, (source.taken_at, source.unchanged_at)), default=None)


def last_runs(sources: Sequence[Any]) -> dict[int, Any]:
    """The last imports of sources of `with_runs`, by their ids; `size` is that of the newest copy
    of the document, accepted or not."""
    newest = Capture.objects.filter(document=OuterRef("document")).order_by("-taken_at", "-id")
    content = Content.objects.filter(pk=OuterRef("content"))
    runs = IngestRun.objects.annotate(content=Subquery(newest.values("sha256")[:1]))
    return runs.annotate(size=Subquery(content.values("size"))).in_bulk(
        [source.last_run for source in sources]
    )


def in_order(podcast: str) -> QuerySet[Any]:
    """The sources of shown shows with their runs; those whose last import went wrong come first.

    Whether it did does not depend on the time, as other states do.
    """
    shown = chosen_sources(podcast).filter(
        podcast__in=Podcast.objects.shown().order_by().values("pk")
    )
    last = IngestRun.objects.filter(pk=OuterRef("last_run"))
    wrong = When(
        status=Status.ACTIVE, podcast__status=Status.ACTIVE, outcome__in=WRONG, then=Value(1)
    )
    rows: QuerySet[Any] = with_runs(shown.select_related("podcast")).annotate(
        outcome=Subquery(last.values("outcome"))
    )
    rows = rows.annotate(is_wrong=Case(wrong, default=Value(0)))
    return rows.order_by("-is_wrong", "podcast__rank", "rank", "slug")


FIELDS = ("title", "date", "length", "notes", "full notes", "links", "audio")

LISTINGS = (
    Document.objects.filter(kind="listing")
    .annotate(versions=Max("captures__version"))
    .exclude(versions=None)
)
TROUBLES = Document.objects.filter(kind="companion").exclude(trouble="")


def places(sources: Sequence[Any]) -> list[dict[str, Any]]:
    """Sources of `with_runs` with what each knows and what it lost; the number of queries does not
    depend on them. Each gets its documents: `listings`, and `troubles`: transcripts and chapters
    that could not be had. The numbers count its entries that belong to an episode."""
    keys, shows = [source.pk for source in sources], {source.podcast_id for source in sources}
    prefetch_related_objects(
        sources,
        Prefetch("documents", LISTINGS.order_by("address"), to_attr="listings"),
        Prefetch("documents", TROUBLES.order_by("address"), to_attr="troubles"),
    )
    states = dict(CatalogState.objects.filter(podcast__in=shows).values_list("podcast", "sources"))
    copies = Document.objects.filter(
        source__in=keys, captures__version=None, captures__isnull=False
    )
    refused = dict(copies.order_by().values_list("source").annotate(Count("captures")))
    listed = Item.objects.filter(document__source__in=keys, gone_version=None, is_post=True)
    posts = dict(listed.order_by().values_list("document__source").annotate(Count("pk")))
    runs, rows = last_runs(sources), []
    for source in sources:
        of_show, last = states.get(source.podcast_id, {}), runs.get(source.last_run)
        stored = of_show.get(source.slug, {})
        counts = Counter[str](stored.get("counts", {}))
        counts["full notes"] = counts["notes"] - counts["cut"]
        rows.append(
            {
                "source": source,
                "last": last,
                "reason": source.conceal(getattr(last, "reason", "")),
                "counts": counts,
                "total": max((row["counts"]["total"] for row in of_show.values()), default=0),
                "refused": refused.get(source.pk, 0),
                "posts": posts.get(source.pk, 0),
                "succeeded": succeeded(source),
                # Fields, and how many of the entries have each.
                "lost": [(name, counts[name]) for name in FIELDS] if counts["listed"] else [],
                "healthy": last is None or last.outcome in IngestRun.GOOD,
            }
        )
    return rows


# -- what changed in them --------------------------------------------------------------------------

MOST_CHANGES = 200  # changes on the page and in its feed
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


def latest_changes(site: Site, most: int = MOST_CHANGES, **of: Any) -> list[UpstreamChange]:
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


class ChangesFeed(Rss201rev2Feed):
    """An RSS feed whose date is that of its newest item."""

    def latest_post_date(self) -> datetime:
        # Without items Django would say now, and the feed would be another at each request.
        return super().latest_post_date() if self.items else NO_DATE


def changes_feed(
    request: HttpRequest, changes: Iterable[UpstreamChange], title: str, address: str
) -> HttpResponse:
    """RSS with an item for each change, at the address that was asked for; it is about the page at
    the other `address`."""
    absolute = request.build_absolute_uri
    page = absolute(address)
    out = ChangesFeed(
        title=xml_text(title),
        link=page,
        description="Edits detected in the sources, newest first.",
        language="en",
        feed_url=absolute(request.path),
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
        for day, found in groupby(latest_changes(of_site), key=lambda change: change.at.date())
    ]
    canonical = request.build_absolute_uri(reverse("changes"))
    context = {"section": "changes", "site": of_site, "days": days, "canonical": canonical}
    return show_page(request, "episodes/changes.html", context)


@require_safe
def changes_rss(request: HttpRequest) -> HttpResponse:
    """The same as RSS, for those who want to be told."""
    return changes_feed(request, latest_changes(site()), "Source changes", reverse("changes"))


@require_safe
@file_of_episode("/changes.rss", Episode.objects.all())
def changes_of_episode(request: HttpRequest, episode: Episode) -> HttpResponse:
    """RSS of the changes of an episode in its sources."""
    found = latest_changes(site(), attachment__episode=episode)
    return changes_feed(request, found, f"Source changes: {episode}", episode.get_absolute_url())


@require_safe
def changes_of_show(request: HttpRequest, slug: str) -> HttpResponse:
    """RSS of the changes of a show in its sources."""
    show = get_object_or_404(Podcast.objects.shown(), slug=slug)
    found = latest_changes(site(), document__source__podcast=show)
    return changes_feed(request, found, f"Source changes: {show}", show.get_absolute_url())
