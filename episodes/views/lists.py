"""The episode list, which is also the home page."""

from __future__ import annotations

import re
from typing import Any

from django.core.paginator import EmptyPage, Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from .. import facets
from ..filters import SORTS, UNKNOWN_YEAR, EpisodeFilter
from ..models import Episode, Topic
from ..selection import Selection
from ..timeline import timeline
from ..wording import title, together

PER_PAGE = 25


@require_safe
def episodes(request: HttpRequest) -> HttpResponse:
    """The episodes that the address asks for, newest first unless it says otherwise."""
    topics = {topic.slug: topic for topic in Topic.objects.all()}
    listed = EpisodeFilter(request.GET, Episode.objects.all(), topics)
    chosen = listed.selection
    extent = listed.narrowed().extent()
    page = paged(listed, extent["episodes"], request.GET.get("page", "1"))
    months = listed.narrowed("year").by_month()
    sources = facets.sources(listed)
    names = facets.names(chosen, topics, sources)
    list_url = reverse("episodes")
    context = page_links(page, chosen) | {
        "section": "episodes",
        "list_url": list_url,
        "words": chosen.one("q"),
        "page": page,
        "chosen": chosen,
        "title": title(extent["episodes"], chosen, names),
        "together": together(extent),
        "complaints": listed.complaints(),
        "chips": facets.chips(chosen, names),
        "sorts": sorts(listed),
        "canonical": request.build_absolute_uri(list_url + chosen.query(page.number)),
        "columns": [("Year", facets.years(listed, months)), ("Length", facets.bands(listed)), ("Listed by", sources)],
        "groups": facets.topic_groups(listed, topics),
        "years": timeline(Episode.objects.by_month(), months, chosen),
        "undated": 0 if chosen.one("year") else months.get(None, 0),
        "undated_query": chosen.replaced(year=UNKNOWN_YEAR).query(),
        "nearest": [] if extent["episodes"] else facets.nearest(chosen, topics),
    }
    return render(request, "episodes/list.html", context)


def paged(listed: EpisodeFilter, count: int, asked: str) -> Page[Episode]:
    """The page asked for; whatever is not the number of one is not found."""
    if not re.fullmatch("[0-9]{1,9}", asked):
        raise Http404("A page has a number.")
    found = listed.sorted().for_list().defer("description_html", "provenance", "conflicts")
    paginator = Paginator(found, PER_PAGE)
    # Known already; the paginator would ask again.
    paginator.__dict__["count"] = count
    try:
        return paginator.page(int(asked))
    except EmptyPage as error:
        raise Http404("There is no such page.") from error


def sorts(listed: EpisodeFilter) -> list[tuple[str, str, bool]]:
    """The orders a reader may choose: name, address, whether it is in force."""
    offered = [name for name in SORTS if name != "match" or listed.selection.one("q")]
    usual = offered[0]
    return [
        (SORTS[name], listed.selection.replaced(sort="" if name == usual else name).query(), name == listed.order)
        for name in offered
    ]


def page_links(page: Page[Episode], chosen: Selection) -> dict[str, Any]:
    """The addresses of the pages around this one; an empty place stands for those left out."""
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
    return {
        "page_links": [(n, chosen.query(n) if isinstance(n, int) else None) for n in numbers],
        "previous_query": chosen.query(page.number - 1),
        "next_query": chosen.query(page.number + 1),
    }
