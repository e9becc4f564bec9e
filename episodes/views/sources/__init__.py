"""The sources: which place knows which episode, what each lost, and how each is doing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from ...models import Source
from ...site import site
from ..lists.selection import Selection
from ..page import show_page
from ..pages import page_links, paged
from .coverage import places
from .health import asked_show, health_rows, in_order, ranked

PER_PAGE = 40
PER_PAGE_OF_JSON = 500
IN_TROUBLE = "In trouble"


@require_safe
def sources(request: HttpRequest) -> HttpResponse:
    """The sources with their coverage; with several shows those in trouble first, each folded to a line."""
    podcast = asked_show(request.GET.get("podcast", ""))
    of_site = site()
    page = paged(request, in_order(podcast, several=of_site.several), PER_PAGE)
    troubled = {pk for pk, is_troubled in page if is_troubled and of_site.several}
    rows = places(_sources([pk for pk, _ in page]))
    groups = [
        (IN_TROUBLE if is_troubled else "", list(members))
        for is_troubled, members in groupby(rows, lambda place: place.source.pk in troubled)
    ]
    chosen = Selection({"podcast": (podcast,)} if podcast else {}, ("podcast",))
    context = page_links(request, page, reverse("sources"), chosen) | {
        "section": "sources",
        "site": of_site,
        "groups": groups,
        "podcast": podcast,
        "compact": of_site.several,
    }
    return show_page(request, "episodes/sources.html", context)


def _sources(ids: Sequence[int]) -> list[Source]:
    """The sources in this order, with their shows."""
    rows = Source.objects.prefetch_related("podcast").in_bulk(ids)
    return [rows[pk] for pk in ids if pk in rows]


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
