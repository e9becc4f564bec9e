"""How a query was understood: what was read as a fact, what is named so, and what the nearest episodes lack."""

from __future__ import annotations

from collections.abc import Sequence

from ...models import Episode
from ...search import Results
from ..reason import Reason
from ..search.hits import direct_hits
from .filters import EpisodeFilter
from .title import asked as in_words


def understood(listed: EpisodeFilter, first_page: bool) -> dict[str, object]:
    """What stands above the results of a search."""
    if not listed.is_search:
        return {"typed": "", "facts": [], "near": False, "direct_hits": []}
    query, near = listed.search.asked, listed.is_near
    meant = listed.meant if near else None
    alone = first_page and len(listed.selection.pairs()) == 1
    return {
        "facts": [term.fact.words for term in query.query.terms if term.fact],
        "near": near,
        "near_meant": meant,
        "near_query": listed.selection.replaced(q=meant).query() if meant else "",
        "typed": listed.typed,
        "typed_query": listed.selection.replaced(q=listed.typed, as_typed="1").query(),
        "direct_hits": direct_hits(query) if alone else [],
    }


def near_title(count: int, listed: EpisodeFilter, names: dict[tuple[str, str], str]) -> str:
    """The title of a list of nearest episodes: they do not mention all that was asked."""
    chosen = listed.selection
    matches = "1 close match" if count == 1 else f"{count} close matches"
    return f"{matches} for “{chosen.one('q')}”{in_words(chosen.replaced(q=''), names, several=count != 1)}"


def lacking(episodes: Sequence[Episode], search: Results) -> dict[int, Reason]:
    """For each of the nearest episodes the words that it lacks."""
    terms = list(enumerate(search.asked.query.terms))
    return {
        episode.pk: Reason(
            "Missing", missing=[term.typed for number, term in terms if number in search.lacking[episode.pk]]
        )
        for episode in episodes
        if search.near
    }
