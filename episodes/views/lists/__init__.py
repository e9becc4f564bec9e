"""The episode list, and the start page, which shows it."""

from __future__ import annotations

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, snapshot
from ...search import parse_query
from ...site import site
from ...text.formatting import together
from ..pages import page_links, paged
from . import facets
from .empty import way_out
from .filters import SORTS, UNKNOWN_YEAR, Cards, EpisodeFilter
from .histogram import timeline
from .reasons import reasons
from .start import start
from .title import heading
from .understood import lacking, near_title, understood

PER_PAGE = 25


@require_safe
def episodes(request: HttpRequest) -> HttpResponse:
    """The episodes that the address asks for, newest first unless it says otherwise."""
    now = snapshot()
    topics, index = now.topics, now.index
    listed = EpisodeFilter(request.GET, Episode.objects.listed(), now)
    chosen = listed.selection
    extent = index.extent(listed.among())
    of_site = site(now)
    page = paged(request, Cards(now, listed.ids(of_site)), PER_PAGE, extent["episodes"])
    months = index.months(listed.among("year", "month"))
    names = facets.names(chosen, topics, of_site.of(chosen.one("podcast")))
    first_topics, topic_groups = facets.topic_choices(listed, topics)
    title = heading(extent["episodes"], chosen, names, of_site)
    context = page_links(request, page, reverse("episodes"), chosen) | {
        "section": "episodes",
        "words": chosen.one("q"),
        "chosen": chosen,
        "title": title,
        "narrowed": chosen.narrows(),
        "together": together(extent),
        "complaints": listed.complaints(),
        "chips": facets.chips(chosen, names),
        "sorts": sorts(listed),
        "columns": [
            ("Show", facets.shows(listed, of_site)),
            ("Year", facets.years(listed, months)),
            ("Length", facets.bands(listed)),
            ("Topics", first_topics),
        ],
        "site": of_site,
        "asked_podcast": chosen.one("podcast"),
        "groups": topic_groups,
        "years": timeline(index.months(index.all), months, chosen),
        "undated": 0 if chosen.one("year") or chosen.one("month") else months.get(None, 0),
        "undated_query": chosen.replaced(year=UNKNOWN_YEAR).query(),
    }
    if request.path == reverse("home") and not chosen.pairs() and page.number == 1:
        context |= start(of_site, now)
    context |= understood(listed, page.number == 1)
    if context.get("near"):
        context["title"] = near_title(extent["episodes"], listed, names)
    context |= search_notes(listed, page) if extent["episodes"] else way_out(listed, topics, context["chips"])
    context["wordless"] = wordless(chosen.one("q"))
    return render(request, "episodes/list.html", context)


def search_notes(listed: EpisodeFilter, page: Page[Episode]) -> dict[str, object]:
    """Why the episodes of a page were found, where their cards would not show it."""
    words = listed.selection.one("q")
    shown = list(page.object_list)
    missing = lacking(shown, listed.words)
    found = reasons([episode for episode in shown if episode.pk not in missing], words) if words else {}
    return {"reasons": found | {pk: [line] for pk, line in missing.items()}}


def wordless(words: str) -> bool:
    """Whether a query has no letter or digit, so that only titles were looked through."""
    return bool(words) and not parse_query(words).terms


def sorts(listed: EpisodeFilter) -> list[tuple[str, str, bool]]:
    """The orders a reader may choose: name, address, whether it is in force."""
    offered = [name for name in SORTS if name != "match" or listed.selection.one("q")]
    usual = offered[0]
    return [
        (SORTS[name], listed.selection.replaced(sort="" if name == usual else name).query(), name == listed.order)
        for name in offered
    ]
