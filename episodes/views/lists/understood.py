"""How a query was understood: what was read as a fact, what is named so, and what the nearest episodes lack."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ...models import Episode
from ...search import PreparedQuery
from ..search.hits import direct_hits
from .filters import EpisodeFilter


def understood(listed: EpisodeFilter, first_page: bool) -> dict[str, object]:
    """What stands above the results of a search."""
    query = listed.words
    if isinstance(query, str):
        return {}
    now, alone = listed.snapshot, first_page and len(listed.selection.pairs()) == 1
    return {
        "facts": [term.fact.words for term in query.query.terms if term.fact],
        "near": listed.is_near,
        "typed": listed.typed,
        "typed_query": listed.selection.replaced(q=listed.typed, as_typed="1").query(),
        "direct_hits": now.remembered(("hits", query.query), lambda: direct_hits(query)) if alone else [],
    }


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
