"""The episode list."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import UNKNOWN, Episode
from ...outputs import json_ld
from ...site import site
from ...text.formatting import together
from ..moments import Reason, lines
from ..page import offered_as, show_page, subscription
from ..pages import PER_LIST, page_links, paged_episodes
from . import facets
from .facets import timeline
from .filters import SORTS, EpisodeFilter
from .reasons import (
    group_headings,
    lacking,
    not_on_cards,
    reasons,
    removals,
    understood,
    unknowns,
)
from .selection import NOT_NARROWING, heading


@require_safe
def episodes(request: HttpRequest) -> HttpResponse:
    """The episodes that the address asks for, newest first unless it says otherwise."""
    listed, of_site = EpisodeFilter(request.GET).corrected(), site()
    chosen, counts = listed.selection, listed.counts()
    page = paged_episodes(
        request, of_site, listed.ids(of_site), PER_LIST, listed.total, listed.topics.values()
    )
    names = facets.names(chosen, listed.topics, of_site.of(chosen.one("podcast")))
    more = listed.is_search and listed.results().cut
    title = heading(
        listed.total,
        chosen,
        names,
        of_site,
        relation=listed.relation,
        related=listed.related,
        more=more,
    )
    query, absolute = chosen.query(), request.build_absolute_uri
    context = page_links(request, page, reverse("episodes"), chosen)
    context |= beside(listed, facets.shows(listed, of_site)) | {
        "sorts": sorts(listed) if listed.total else []
    }
    context |= offered_as("episodes", query=query) | {
        "section": "episodes",
        "searches_here": True,
        "words": chosen.one("q"),
        # Without a script the search form has to carry the other filters itself.
        "hidden": [
            (name, value) for name, value in chosen.pairs() if name not in ("q", *NOT_NARROWING)
        ],
        "title": title,
        "narrowed": chosen.narrows(),
        "together": together(counts),
        "complaints": listed.complaints(),
        "chips": facets.chips(chosen, names),
        "site": of_site,
        "structured": json_ld.shows(of_site, absolute, chosen.one("podcast")),
        "subscription": subscription(absolute, "episodes", query=query),
    }
    context |= understood(listed, of_site, page.number == 1)
    shown = list(page)
    context |= (
        {"reasons": search_notes(listed, shown), "headings": group_headings(listed, shown)}
        if shown
        else {
            "removals": list(removals(listed, context["chips"])),
            "unknowns": list(unknowns(listed)),
        }
    )
    return show_page(request, "episodes/list.html", context)


def beside(listed: EpisodeFilter, shows: Sequence[facets.FacetChoice] = ()) -> dict[str, object]:
    """The months and filters of a list; they are the same on each of its pages."""
    chosen = listed.selection
    months = listed.counts("year", "month").of("month")
    whole = listed.counts(*listed.asked.keys() - {"podcast"}).of("month")
    first_topics, topic_groups = facets.topic_choices(listed)
    columns = (
        ("Show", shows),
        ("Year", facets.years(listed)),
        ("Length", facets.bands(listed)),
        ("Topics", first_topics),
    )
    return {
        "columns": [(name, choices) for name, choices in columns if choices],
        "groups": topic_groups,
        "years": timeline(whole, months, chosen),
        # `months` leave year and month out, and so count undated episodes that such a list has not.
        "undated": 0 if listed.asked.keys() & {"year", "month"} else months.get("", 0),
        "undated_query": chosen.replaced(year=UNKNOWN).query(),
    }


def search_notes(listed: EpisodeFilter, shown: Sequence[Episode]) -> dict[int, list[Reason]]:
    """The reasons why the episodes of a page were found, where their cards would not show it."""
    if not listed.is_near:
        return reasons(shown, listed.selection.one("q")) if listed.is_search else {}
    query, found = listed.search.asked.query, lacking(shown, listed.search)
    for pk, said in lines(shown, query, not_on_cards(shown, query)).items():
        found[pk] += said
    return found


def sorts(listed: EpisodeFilter) -> list[tuple[str, str, bool]]:
    """The orders a reader may choose: name, address, whether it is in force."""
    offered = list(SORTS)[0 if listed.selection.one("q") else 1 :]
    usual = offered[0]
    return [
        (
            SORTS[name],
            listed.selection.replaced(sort="" if name == usual else name).query(),
            name == listed.order,
        )
        for name in offered
    ]
