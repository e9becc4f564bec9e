"""The episode list, and the start page, which shows it."""

from __future__ import annotations

from collections.abc import Mapping

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, Kept, Shown, snapshot
from ...search import parse_query
from ...site import Site, site
from ...text.formatting import together
from ..pages import page_links, paged
from . import facets
from .empty import way_out
from .filters import SORTS, UNKNOWN_YEAR, Cards, EpisodeFilter, shown_on
from .found_by import found_by
from .histogram import timeline, whole_months
from .reasons import reasons
from .selection import Selection
from .start import start
from .title import heading
from .understood import lacking, understood

PER_PAGE = 25
MOST_NEW = 3
LISTED = Episode.objects.listed()  # made once: it is narrowed only where sets cannot tell


@require_safe
def episodes(request: HttpRequest) -> HttpResponse:
    """The episodes that the address asks for, newest first unless it says otherwise."""
    now = snapshot()
    listed = EpisodeFilter(request.GET, LISTED, now).corrected()
    chosen = listed.selection
    extent = now.index.extent(listed.among())
    of_site = site(now)
    page = paged(request, Cards(now, listed.ids(of_site)), PER_PAGE, extent["episodes"])
    names = facets.names(chosen, now.topics, of_site.of(chosen.one("podcast")))
    found = found_by(listed, chosen, extent["episodes"])
    title = heading(extent["episodes"], chosen, names, found, of_site)
    query, origin = chosen.query(), request.build_absolute_uri("/")[:-1]
    context = page_links(request, page, reverse("episodes"), chosen) | {
        "section": "episodes",
        "searches_here": True,
        "words": chosen.one("q"),
        "chosen": chosen,
        "title": title,
        "narrowed": chosen.narrows(),
        "together": together(extent),
        "complaints": listed.complaints(),
        "chips": facets.chips(chosen, names),
        "site": of_site,
        "asked_podcast": chosen.one("podcast"),
        "beside": Kept(now, (), lambda: beside(listed, of_site), asked=query),
        "after": Kept(now, (), lambda: after(chosen, extent, origin), asked=origin + query),
    }
    if request.path == reverse("home") and not chosen.pairs() and page.number == 1:
        newest = Shown(now, shown_on(page).ids[:MOST_NEW])
        above = {"title": title, "together": together(extent), "newest": newest, "origin": origin}
        context["opening"] = Kept(now, (), lambda: start(of_site, now) | above, asked=origin)
    context |= understood(listed, page.number == 1)
    context |= search_notes(listed, page) if extent["episodes"] else way_out(listed, now.topics, context["chips"])
    context["wordless"] = wordless(chosen.one("q"))
    return render(request, "episodes/list.html", context)


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
        "list_url": reverse("episodes"),
        "sorts": sorts(listed) if listed.among() else [],
        "columns": [(name, choices) for name, choices in columns if choices],
        "groups": topic_groups,
        "years": timeline(whole, months, chosen),
        "undated": 0 if chosen.one("year") or chosen.one("month") else months.get("", 0),
        "undated_query": chosen.replaced(year=UNKNOWN_YEAR).query(),
    }


def after(chosen: Selection, extent: Mapping[str, int], origin: str) -> dict[str, object]:
    """The list as feeds and files; a playlist only where something of it can be heard."""
    return {"query": chosen.query(), "narrowed": chosen.narrows(), "heard": bool(extent["audible"]), "origin": origin}


def search_notes(listed: EpisodeFilter, page: Page[Episode]) -> dict[str, object]:
    """Why the episodes of a page were found, where their cards would not show it."""
    words = listed.selection.one("q")
    if not words:
        return {}
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
