"""How a query was understood: what was read as a fact, what is named so, and what the nearest episodes lack."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ...models import Episode
from ...search import PreparedQuery
from ..search.hits import direct_hits
from .filters import EpisodeFilter
from .title import asked as in_words


def understood(listed: EpisodeFilter, first_page: bool) -> dict[str, object]:
    """What stands above the results of a search."""
    query = listed.words
    if isinstance(query, str):
        return {}
    near, now = listed.is_near, listed.snapshot
    meant = listed.meant if near else None
    alone = first_page and len(listed.selection.pairs()) == 1
    return {
        "facts": [term.fact.words for term in query.query.terms if term.fact],
        "near": near,
        "near_meant": meant,
        "near_query": listed.selection.replaced(q=meant).query() if meant else "",
        "typed": listed.typed,
        "typed_query": listed.selection.replaced(q=listed.typed, as_typed="1").query(),
        "direct_hits": now.remembered(("hits", query.query), lambda: direct_hits(query)) if alone else [],
    }


def near_title(count: int, listed: EpisodeFilter, names: dict[tuple[str, str], str]) -> str:
    """The title of a list of nearest episodes: they do not mention all that was asked."""
    chosen = listed.selection
    matches = "1 close match" if count == 1 else f"{count} close matches"
    return f"{matches} for “{chosen.one('q')}”{in_words(chosen.replaced(q=''), names, several=count != 1)}"


def lacking(episodes: Sequence[Episode], query: PreparedQuery | str) -> dict[int, SafeString]:
    """For each of the nearest episodes the words that it lacks, struck through."""
    if isinstance(query, str) or query.nearest is None:
        return {}
    terms = list(enumerate(query.query.terms))
    return {
        episode.pk: _struck([term.typed for number, term in terms if number in query.nearest[episode.pk]])
        for episode in episodes
    }


def _struck(words: Sequence[str]) -> SafeString:
    return format_html("Missing: {}", format_html_join(" ", "<s>{}</s>", ((word,) for word in words)))
