"""The episode list, which is also the home page."""

from __future__ import annotations

from collections.abc import Mapping

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, Topic
from ...search import did_you_mean, parse_query
from ...site import site
from ...text.formatting import together
from ..pages import UNSHOWN, page_links, paged
from . import facets
from .filters import SORTS, UNKNOWN_YEAR, EpisodeFilter
from .histogram import timeline
from .reasons import reasons
from .title import title
from .understood import lacking, near_title, understood

PER_PAGE = 25


@require_safe
def episodes(request: HttpRequest) -> HttpResponse:
    """The episodes that the address asks for, newest first unless it says otherwise."""
    topics = {topic.slug: topic for topic in Topic.objects.all()}
    listed = EpisodeFilter(request.GET, Episode.objects.listed(), topics)
    chosen = listed.selection
    extent = listed.narrowed().extent()
    of_site = site()
    found = listed.sorted(of_site).for_list().defer(*UNSHOWN)
    page = paged(request, found, PER_PAGE, extent["episodes"])
    months = listed.narrowed("year").by_month()
    sources = facets.sources(listed, of_site)
    names = facets.names(chosen, topics, sources, of_site.of(chosen.one("podcast")))
    context = page_links(request, page, reverse("episodes"), chosen) | {
        "section": "episodes",
        "words": chosen.one("q"),
        "chosen": chosen,
        "title": title(extent["episodes"], chosen, names),
        "together": together(extent),
        "complaints": listed.complaints(),
        "chips": facets.chips(chosen, names),
        "sorts": sorts(listed),
        "columns": [
            ("Show", facets.shows(listed, of_site)),
            ("Year", facets.years(listed, months)),
            ("Length", facets.bands(listed)),
            ("Listed by", sources),
        ],
        "site": of_site,
        "asked_podcast": chosen.one("podcast"),
        "groups": facets.topic_groups(listed, topics),
        "years": timeline(Episode.objects.listed().by_month(), months, chosen),
        "undated": 0 if chosen.one("year") else months.get(None, 0),
        "undated_query": chosen.replaced(year=UNKNOWN_YEAR).query(),
    }
    context |= understood(listed, page.number == 1)
    if context.get("near"):
        context["title"] = near_title(extent["episodes"], listed, names)
    context |= search_notes(listed, page) if extent["episodes"] else way_out(listed, topics)
    return render(request, "episodes/list.html", context)


def search_notes(listed: EpisodeFilter, page: Page[Episode]) -> dict[str, object]:
    """Why the episodes of a page were found, where their cards would not show it."""
    words = listed.selection.one("q")
    shown = list(page.object_list)
    missing = lacking(shown, listed.words)
    found = reasons([episode for episode in shown if episode.pk not in missing], words) if words else {}
    return {"reasons": found | {pk: [line] for pk, line in missing.items()}, "wordless": wordless(words)}


def way_out(listed: EpisodeFilter, topics: Mapping[str, Topic]) -> dict[str, object]:
    """What helps where nothing was found: the query spelled as the catalog does, and the nearest topics."""
    chosen = listed.selection
    words = chosen.one("q")
    meant = did_you_mean(listed.words, listed.narrowed("q")) if words else None
    nearest = facets.nearest(chosen.replaced(q=meant) if meant else chosen, topics)
    address = chosen.replaced(q=meant).query() if meant else ""
    return {"meant": meant, "meant_query": address, "nearest": nearest, "wordless": wordless(words)}


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
