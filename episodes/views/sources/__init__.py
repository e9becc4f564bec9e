"""The sources: which place knows which episode, what each lost, and how each is doing."""

from __future__ import annotations

from itertools import groupby

from django.db.models import Case, Count, Value, When
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from ...models import Episode
from ...site import site
from ..lists.selection import Selection
from ..pages import page_links, paged
from .coverage import SourceCoverage, places, spans
from .health import asked_show, health_rows, is_troubled, ranked

PER_PAGE = 40
PER_PAGE_OF_JSON = 500
IN_TROUBLE = "In trouble"


@require_safe
def sources(request: HttpRequest) -> HttpResponse:
    """The sources with their coverage; with several shows those in trouble first, each folded to a line."""
    of_site, podcast = site(), asked_show(request.GET.get("podcast", ""))
    now = timezone.now()
    found = ranked(podcast, now)
    if of_site.several:
        troubled = Case(When(is_troubled(), then=Value(1)), default=Value(0))
        found = found.annotate(troubled=troubled).order_by("-troubled", "podcast__rank", "rank", "slug")
    else:
        found = found.order_by("rank", "slug")
    page = paged(request, found, PER_PAGE)
    rows = places(list(page))
    totals = dict(
        Episode.objects.filter(podcast__in={place.source.podcast_id for place in rows})
        .order_by()
        .values_list("podcast")
        .annotate(n=Count("pk"))
    )
    groups = [
        (heading, [(place, totals.get(place.source.podcast_id, 0), spans(place.numbers)) for place in members])
        for heading, members in groupby(rows, _heading)
    ]
    chosen = Selection({"podcast": (podcast,)} if podcast else {}, ("podcast",))
    context = page_links(request, page, reverse("sources"), chosen) | {
        "section": "sources",
        "site": of_site,
        "groups": groups,
        "podcast": podcast,
        "compact": of_site.several,
    }
    return render(request, "episodes/sources.html", context)


def _heading(place: SourceCoverage) -> str:
    return IN_TROUBLE if getattr(place.source, "troubled", False) else ""


@require_safe
def sources_json(request: HttpRequest) -> HttpResponse:
    """The state of every source, worst first, for programs that watch over them."""
    now, podcast = timezone.now(), asked_show(request.GET.get("podcast", ""))
    page = paged(request, ranked(podcast, now), PER_PAGE_OF_JSON)
    address = request.build_absolute_uri(reverse("sources-json"))
    chosen = Selection({"podcast": (podcast,)} if podcast else {}, ("podcast",))
    following = address + chosen.query(page.next_page_number()) if page.has_next() else None
    body = {
        "checked": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "total": page.paginator.count,
        "next_url": following,
        "sources": [row.as_json() for row in health_rows(list(page))],
    }
    answer = JsonResponse(body, json_dumps_params={"ensure_ascii": False})
    # It changes with every reading and with the time, not with the catalog.
    answer["Cache-Control"] = "no-store"
    return answer
