"""The reading of a query: what was read as a fact, what is named so, and what the nearest
episodes lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...models import Episode
from ...search import Results
from ...site import Site
from ..reason import Reason
from ..search.hits import direct_hits
from .filters import EpisodeFilter

GROUPS = ("In the title", "Said or written", "About a related topic")


def understood(listed: EpisodeFilter, of_site: Site, first_page: bool) -> dict[str, object]:
    """The lines above the results of a search."""
    usual = {
        "typed": listed.typed,
        "typed_query": listed.typed_query,
        "order": listed.order,
    }
    if not listed.is_search:
        return usual | {"facts": [], "near": False, "direct_hits": []}
    query = listed.search.asked
    alone = first_page and len(listed.selection.pairs()) == 1
    return usual | {
        "facts": list(filter(None, (term.understood for term in query.query.terms))),
        "near": listed.is_near,
        "direct_hits": direct_hits(query, of_site) if alone else [],
    }


def group_headings(listed: EpisodeFilter, shown: Sequence[Episode]) -> dict[int, tuple[str, str]]:
    """The headings of groups of results with the number in each, by the id of the episode on this
    page that each comes before."""
    if listed.order != "match" or listed.is_near:
        return {}
    found = listed.results()
    counts = Counter(map(found.groups.get, found.ids))
    first = {found.groups[episode.pk]: episode.pk for episode in reversed(shown)}
    return {pk: (GROUPS[n], "" if found.cut else f"{counts[n]:,}") for n, pk in first.items()}


def lacking(episodes: Sequence[Episode], search: Results) -> dict[int, list[Reason]]:
    """For each of the nearest episodes the words that it lacks."""
    terms, found = search.asked.query.terms, {}
    for episode in episodes:
        missing = [terms[number].typed for number in sorted(search.lacking[episode.pk])]
        label = "Missing" if len(missing) < len(terms) else "Only related; missing"
        found[episode.pk] = [Reason(label, missing=missing)]
    return found
