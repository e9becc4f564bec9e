"""The sources of the site, and how each is doing: as a page and as JSON."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Case,
    Count,
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
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from ..models import (
    Capture,
    CatalogState,
    Content,
    Document,
    Image,
    IngestRun,
    Item,
    Podcast,
    Source,
    SourceSchedule,
    Status,
    sources_with_states_worst_first,
)
from ..site import load_shows_and_sections
from ..text.markup import storable_text
from .rendering import load_page, next_page_address, render_list
from .selection import Selection

SOURCES_PER_JSON_PAGE = 500


@require_safe
def sources_page(request: HttpRequest) -> HttpResponse:
    show_words = clean_show_words(request.GET.get("podcast", ""))
    page = load_page(request, sources_failed_first(show_words), per_page=40)
    return render_list(
        request,
        "sources",
        load_shows_and_sections(),
        page,
        selection=_selection_of_shows(show_words),
        sources=load_sources_with_coverage(list(page)),
        podcast=show_words,
        images=Image.objects.exclude(trouble="").order_by("address")[:200],
    )


@require_safe
@cache_control(no_store=True)  # it changes with every fetch and with the time
def sources_json(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    show_words = clean_show_words(request.GET.get("podcast", ""))
    # States such as `late` depend on the time.
    worst_first = sources_with_states_worst_first(_sources_of_shows(show_words), now)
    page = load_page(
        request, _with_last_run_id_and_success_times(worst_first), SOURCES_PER_JSON_PAGE
    )
    run_by_id = _last_runs_with_document_size_by_run_id(list(page))
    states = []
    for source in page:
        # A source that was never imported has no run.
        states.append(_source_state_as_json(source, run_by_id.get(source.last_run)))
    selection = _selection_of_shows(show_words)
    next_url = next_page_address(request, page, reverse("sources-json"), selection)
    body = {
        "checked": _timestamp(now),
        "total": page.paginator.count,
        "next_url": next_url or None,
        "sources": states,
    }
    return JsonResponse(body, json_dumps_params={"ensure_ascii": False})


def _source_state_as_json(source: Any, last_run: Any) -> dict[str, object]:
    # A source without a schedule gets the values of an empty one.
    schedule = getattr(source, "schedule", SourceSchedule())
    last_import = None
    document_bytes = None
    if last_run:
        last_import = {
            "at": _timestamp(last_run.finished_at),
            "outcome": last_run.outcome,
            "counts": last_run.counts,
        }
        document_bytes = last_run.size
    # A source that is not polled, such as a saved page, last changed when an import changed its entries.
    last_change = schedule.changed_at or source.taken_at
    is_paused = source.state == "paused"
    return {
        "podcast": source.podcast.slug,
        "show": source.podcast.title,
        "source": source.slug,
        "title": source.title,
        "address": source.public(source.address) or None,
        "state": str(source.state),
        "reason": _public_reason(source, last_run) or None,
        "last_success": _timestamp(_last_success(source)),
        "last_change": _timestamp(last_change),
        "next_attempt": None if is_paused else _timestamp(schedule.next_at),
        "failures": schedule.failures,
        "failing_since": _timestamp(schedule.failing_since),
        "last_import": last_import,
        "bytes": document_bytes,  # of the document that was imported last
    }


def _timestamp(at: datetime | None) -> str | None:
    """Return `2021-06-21T13:00:00Z`; None for an unknown time."""
    return f"{at:%Y-%m-%dT%H:%M:%SZ}" if at else None


def _public_reason(source: Source, last_run: Any) -> str:
    return source.conceal(getattr(last_run, "reason", ""))


def clean_show_words(text: str) -> str:
    """Return a slug, or words of a show's title, without characters that no database takes."""
    return " ".join(storable_text(text).split())[:200]


def _selection_of_shows(show_words: str) -> Selection:
    return Selection({}, ("podcast",)).replaced(podcast=show_words)


# -- queries ---------------------------------------------------------------------------------------


def sources_failed_first(show_words: str) -> QuerySet[Any]:
    """Return the sources of shows that readers see, with their runs. Failed ones come first.

    The order follows the outcomes of the last imports, which do not change with the time as states do.
    """
    public_shows = Podcast.objects.listed().order_by().values("pk")
    sources = _sources_of_shows(show_words).filter(podcast__in=public_shows)
    last_run = IngestRun.objects.filter(pk=OuterRef("last_run"))
    # A paused source, or a source of a paused show, is not in trouble.
    is_failed = Q(
        status=Status.ACTIVE,
        podcast__status=Status.ACTIVE,
        outcome__in=("refused", "failed"),
    )
    with_runs = _with_last_run_id_and_success_times(sources.select_related("podcast"))
    with_outcome = with_runs.annotate(outcome=Subquery(last_run.values("outcome")))
    # 1 or 0, so that descending order puts failed sources first.
    with_failure = with_outcome.annotate(
        failed=Case(When(is_failed, then=Value(1)), default=Value(0))
    )
    failed_first: QuerySet[Any] = with_failure.order_by("-failed", "podcast__rank", "rank", "slug")
    return failed_first


def _sources_of_shows(show_words: str) -> QuerySet[Source]:
    """Return the sources of shows with this slug or these words in the title; all sources for ""."""
    by_slug = Q(podcast__slug=show_words)
    by_title = Q(podcast__title__icontains=show_words)
    return Source.objects.filter(by_slug | by_title)


def _with_last_run_id_and_success_times(sources: QuerySet[Any]) -> QuerySet[Any]:
    """Add to sources the id of the last import, and when one last changed or confirmed the entries.

    There are many imports, so each is looked up by an index.
    """
    runs = IngestRun.objects.filter(source=OuterRef("pk"))
    last_run_id = runs.order_by("-started_at", "-id").values("pk")[:1]
    finish_times = runs.order_by("-finished_at").values("finished_at")
    with_runs: QuerySet[Any] = sources.annotate(
        last_run=Subquery(last_run_id),
        taken_at=Subquery(finish_times.filter(outcome="taken")[:1]),
        unchanged_at=Subquery(finish_times.filter(outcome="unchanged")[:1]),
    )
    return with_runs


def _last_success(source: Any) -> datetime | None:
    # A source may never have been imported, or never twice.
    return max(filter(None, (source.taken_at, source.unchanged_at)), default=None)


def _last_runs_with_document_size_by_run_id(sources: Sequence[Any]) -> dict[int, Any]:
    """Return the last import of each of these sources of `_with_last_run_id_and_success_times`, by the id of the import.

    `size` is the size of the newest copy of the document, accepted or not.
    """
    copies = Capture.objects.filter(document=OuterRef("document"))
    newest_copy = copies.order_by("-taken_at", "-id").values("sha256")[:1]
    # The bytes of a copy are stored under their hash.
    content = Content.objects.filter(pk=OuterRef("content"))
    runs = IngestRun.objects.annotate(content=Subquery(newest_copy))
    runs = runs.annotate(size=Subquery(content.values("size")))
    return runs.in_bulk([source.last_run for source in sources])


@dataclass(frozen=True)
class SourceCoverage:
    """A source with the values that its entries have. Only entries of an episode are counted."""

    source: Any
    last_run: Any
    reason: str
    counts: Counter[str]
    total: int  # episodes of the show
    refused: int  # copies of documents
    posts: int
    succeeded: datetime | None

    @property
    def is_healthy(self) -> bool:
        return self.last_run is None or self.last_run.outcome in IngestRun.GOOD

    @property
    def field_counts(self) -> list[tuple[str, int]]:
        """Return how many entries have each field; [] for a source without entries."""
        if not self.counts["listed"]:
            return []
        fields = ("title", "date", "length", "notes", "full notes", "links", "audio")
        return [(field, self.counts[field]) for field in fields]


def load_sources_with_coverage(sources: Sequence[Any]) -> list[SourceCoverage]:
    """Return sources of `_with_last_run_id_and_success_times` with their coverage. The number of queries is fixed."""
    # The template reads `source.listings` and `source.troubles`.
    _set_listings_and_troubles(sources)
    states = CatalogState.objects.filter(podcast__sources__in=sources)
    # By the id of a show, {"feed": {"counts": {"title": 82, "notes": 80, …}}}.
    stored_counts_by_show = dict(states.values_list("podcast", "sources"))
    refused_counts = _refused_copy_counts_by_source(sources)
    post_counts = _blog_post_counts_by_source(sources)
    run_by_id = _last_runs_with_document_size_by_run_id(sources)
    rows = []
    for source in sources:
        # An import stores the counts of all sources of its show. A show may have no import yet.
        counts_by_source = stored_counts_by_show.get(source.podcast_id, {})
        counts_of_source = counts_by_source.get(source.slug, {})
        counts = Counter[str](counts_of_source.get("counts", {}))
        # Of some entries a source has only the beginning of the notes.
        counts["full notes"] = counts["notes"] - counts["cut"]
        last_run = run_by_id.get(source.last_run)
        coverage = SourceCoverage(
            source=source,
            last_run=last_run,
            reason=_public_reason(source, last_run),
            counts=counts,
            total=counts["total"],
            refused=refused_counts.get(source.pk, 0),
            posts=post_counts.get(source.pk, 0),
            succeeded=_last_success(source),
        )
        rows.append(coverage)
    return rows


def _set_listings_and_troubles(sources: Sequence[Any]) -> None:
    """Set `listings` and `troubles` of each source: its documents, and transcripts and chapters that failed to load."""
    listings = Document.objects.filter(kind="listing").annotate(versions=Max("captures__version"))
    listings = listings.exclude(versions=None).order_by("address")
    troubles = Document.objects.filter(kind="companion").exclude(trouble="").order_by("address")
    prefetch_related_objects(
        sources,
        Prefetch("documents", listings, to_attr="listings"),
        Prefetch("documents", troubles, to_attr="troubles"),
    )


def _refused_copy_counts_by_source(sources: Sequence[Source]) -> dict[int, int]:
    # A copy that was not accepted has no version. Neither has a document without copies.
    with_refused_copies = Document.objects.filter(
        source__in=sources,
        captures__version=None,
        captures__isnull=False,
    )
    by_source = with_refused_copies.order_by().values_list("source")
    return dict(by_source.annotate(Count("captures")))


def _blog_post_counts_by_source(sources: Sequence[Source]) -> dict[int, int]:
    posts = Item.objects.filter(document__source__in=sources, gone_version=None, is_post=True)
    by_source = posts.order_by().values_list("document__source")
    return dict(by_source.annotate(Count("pk")))
