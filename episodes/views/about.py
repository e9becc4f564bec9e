"""The pages about the site: what it is, what can be done with its data, where these come from, and
how each source is doing."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from django.conf import settings
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
from django.views.decorators.http import require_safe

from ..fields import BY_NAME, CSV
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
    Source,
    SourceSchedule,
    Status,
    Topic,
    worst_first,
)
from ..outputs import FORMATS
from ..site import site
from ..text.formatting import counted
from .filters import Selection
from .links import COLUMNS as LINK_COLUMNS
from .outputs import MOST_LISTED
from .page import paged, show_page, thing_page
from .shows import counted_shows

MOST_SAVED = 100  # shows


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """In plain words, with the sources of all shows and how many episodes and posts each lists."""
    sources = Source.objects.filter(podcast__in=Podcast.objects.shown()).order_by(
        "podcast", "rank", "slug"
    )
    # An episode that several documents of a source list counts once.
    known = Count("documents__items__attachment__episode", distinct=True)
    posts = Count("documents__items", filter=Q(documents__items__is_post=True))
    source: Any
    listed = []
    for source in sources.select_related("podcast").annotate(known=known, posts=posts):
        counts = ((source.known, "episode", "episodes"), (source.posts, "post", "posts"))
        listed.append((source, ", ".join(counted(*words) for words in counts if words[0])))
    context = {
        "section": "about",
        "site": site(),
        "sources": listed,
        "shows": list(counted_shows()),
        "canonical": request.build_absolute_uri(reverse("about")),
    }
    return show_page(request, "episodes/about.html", context)


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """The page for want of a network; its script lists what the browser keeps."""
    context = {
        "section": "about",
        "site": site(),
        "shows": counted_shows()[:MOST_SAVED],
        "canonical": request.build_absolute_uri(reverse("offline")),
    }
    return show_page(request, "episodes/offline.html", context)


@require_safe
def data(request: HttpRequest) -> HttpResponse:
    """Every format that the catalog can be had in, with examples from it."""
    example = Episode.objects.listed().exclude(title="").newest_first(one_show=True).first()
    topic = Topic.objects.filter(uses__isnull=False).order_by("position", "slug").first()
    context = {
        "section": "about",
        "site": site(),
        "example": example,
        "topic": topic,
        "lists": [(form.name, ending) for ending, form in FORMATS.items()],
        "most_listed": MOST_LISTED,
        "columns": CSV,
        "link_columns": LINK_COLUMNS,
        "assistants": settings.MCP,
        "canonical": request.build_absolute_uri(reverse("data")),
    }
    return show_page(request, "episodes/data.html", context)


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
                "address": source.address or None,
                "state": str(source.state),
                "reason": getattr(last, "reason", "") or None,
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
    answer = JsonResponse(body, json_dumps_params={"ensure_ascii": False})
    # It changes with every reading and with the time, not with the catalog.
    answer["Cache-Control"] = "no-store"
    return answer


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
        # Fields of which a refuted source has no use: "dates and lengths".
        unused = (f"{BY_NAME[name].label.lower()}s" for name in stored.get("refuted", ()))
        rows.append(
            {
                "source": source,
                "last": last,
                "counts": counts,
                "total": max((row["counts"]["total"] for row in of_show.values()), default=0),
                "refused": refused.get(source.pk, 0),
                "posts": posts.get(source.pk, 0),
                "succeeded": succeeded(source),
                # Fields, and how many of the entries have each.
                "lost": [(name, counts[name]) for name in FIELDS] if counts["listed"] else [],
                "unused": " and ".join(unused),
                "healthy": last is None or last.outcome in IngestRun.GOOD,
            }
        )
    return rows
