"""The episode list, and the start page, which shows it."""

from __future__ import annotations

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, snapshot
from ...outputs import json_ld
from ...search import parse_query
from ...site import Site, site
from ...text.formatting import together
from ..page import offered_as, show_page, subscription
from ..pages import page_links, paged
from . import facets
from .empty import way_out
from .filters import SORTS, UNKNOWN_YEAR, Cards, EpisodeFilter
from .histogram import timeline, whole_months
from .reasons import reasons
from .start import start
from .title import heading
from .understood import lacking, near_title, understood

PER_PAGE = 25
MOST_NEW = 3
LISTED = Episode.objects.listed()  # made once: it is narrowed only where sets cannot tell


@require_safe
def episodes(request: HttpRequest) -> HttpResponse:
    """The episodes that the address asks for, newest first unless it says otherwise."""
    now = snapshot()
    listed = EpisodeFilter(request.GET, LISTED, now)
    chosen = listed.selection
    extent = now.index.extent(listed.among())
    of_site = site(now)
    page = paged(request, Cards(now, listed.ids(of_site)), PER_PAGE, extent["episodes"])
    names = facets.names(chosen, now.topics, of_site.of(chosen.one("podcast")))
    title = heading(extent["episodes"], chosen, names, of_site)
    query, absolute = chosen.query(), request.build_absolute_uri
    is_start = request.path == reverse("home") and not chosen.pairs() and page.number == 1
    context = page_links(request, page, reverse("episodes"), chosen) | beside(listed, of_site)
    context |= offered_as("episodes", query=query, audible=bool(extent["audible"])) | {
        "section": "episodes",
        "searches_here": True,
        "words": chosen.one("q"),
        "hidden": [(name, value) for name, value in chosen.pairs() if name not in ("q", "sort")],
        "title": title,
        "narrowed": chosen.narrows(),
        "together": together(extent),
        "complaints": listed.complaints(),
        "chips": facets.chips(chosen, names),
        "site": of_site,
        "structured": json_ld.shows(of_site, absolute, chosen.one("podcast")),
        "subscription": subscription(absolute, "episodes", query=query, show=of_site.show if is_start else None),
        "is_start": is_start,
    }
    if is_start:
        context |= start(of_site, now) | {"newest": page[:MOST_NEW]}
    context |= understood(listed, page.number == 1)
    if context.get("near"):
        context["title"] = near_title(extent["episodes"], listed, names)
    context |= search_notes(listed, page) if extent["episodes"] else way_out(listed, now.topics, context["chips"])
    context["wordless"] = wordless(chosen.one("q"))
    return show_page(request, "episodes/list.html", context)


def beside(listed: EpisodeFilter, of_site: Site) -> dict[str, object]:
    """The months, filters and orders of a list; they are the same on each of its pages."""
    chosen, index, topics = listed.selection, listed.snapshot.index, listed.snapshot.topics
    months = index.counts("month", listed.among("year", "month"))
    whole = listed.snapshot.kept("months", lambda: whole_months(index.months(index.all)))
    first_topics, topic_groups = facets.topic_choices(listed, topics)
    columns = (
        ("Show", facets.shows(listed, of_site)),
        ("Year", facets.years(listed, months)),
        ("Length", facets.bands(listed)),
        ("Topics", first_topics),
    )
    return {
        "sorts": sorts(listed) if listed.among() else [],
        "columns": [(name, choices) for name, choices in columns if choices],
        "groups": topic_groups,
        "years": timeline(whole, months, chosen),
        "undated": 0 if chosen.one("year") or chosen.one("month") else months.get("", 0),
        "undated_query": chosen.replaced(year=UNKNOWN_YEAR).query(),
    }


def search_notes(listed: EpisodeFilter, page: Page[Episode]) -> dict[str, object]:
    """Why the episodes of a page were found, where their cards would not show it."""
    words = listed.selection.one("q")
    if not words:
        return {"reasons": {}}
    shown = list(page.object_list)
    missing = lacking(shown, listed.words)
    found = reasons([episode for episode in shown if episode.pk not in missing], words)
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
