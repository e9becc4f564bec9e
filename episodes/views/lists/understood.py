"""The reading of a query: what was read as a fact, what is named so, and what the nearest
episodes lack."""

from __future__ import annotations

from collections.abc import Sequence

from ...models import Episode
from ...search import MOST_BETWEEN, Results, Term
from ...text.formatting import isolated
from ..reason import Reason
from ..search.hits import direct_hits
from .filters import EpisodeFilter


def understood(listed: EpisodeFilter, first_page: bool) -> dict[str, object]:
    """The lines above the results of a search."""
    if not listed.is_search:
        return {"typed": "", "facts": [], "near": False, "direct_hits": []}
    query = listed.search.asked
    alone = first_page and len(listed.selection.pairs()) == 1
    return {
        "facts": [
            *(term.fact.words for term in query.query.terms if term.fact),
            *(near(term) for term in query.query.terms if term.near),
        ],
        "near": listed.is_near,
        "typed": listed.typed,
        "typed_query": listed.selection.replaced(q=listed.typed, as_typed="1").query(),
        "direct_hits": direct_hits(query) if alone else [],
    }


def near(term: Term) -> str:
    """`“dispatch” and “key” with at most 10 words between them`."""
    one, other = (isolated(" ".join(pieces)) for pieces in term.near)
    return f"“{one}” and “{other}” with at most {MOST_BETWEEN} words between them"


def lacking(episodes: Sequence[Episode], search: Results) -> dict[int, list[Reason]]:
    """For each of the nearest episodes the words that it lacks."""
    words = [term.typed for term in search.asked.query.terms]
    return {
        episode.pk: [
            Reason(
                "Missing", missing=[words[number] for number in sorted(search.lacking[episode.pk])]
            )
        ]
        for episode in episodes
    }
