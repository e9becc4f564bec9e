"""Completions of a query that somebody types: a word to leave out, and OR."""

import re

from ..text.search_letters import fold_for_search
from .corrections import text_counts_by_word
from .engine import PreparedQuery
from .prepare import load_words_with_beginnings
from .terms import STOP_WORDS, can_begin_words

_MAX_COMPLETIONS = 3
_MAX_COUNTED_WORDS = 20  # the shortest words with a beginning: counting takes a lookup for each


def find_queries_with_completed_exclusion(
    query_text: str, prepared_query: PreparedQuery
) -> list[str]:
    """Return the query with the word behind its last minus completed, the most common words first:
    "jax -vma" gives ["jax -vmap"].

    Return [] if it does not end in a minus and three letters, as shorter ones begin too many words.
    """
    # A minus excludes a word only behind other words.
    match = re.fullmatch(r"(?P<before>.*\S\s+-)(?P<word>[^\W\d_]\w*)", query_text, re.DOTALL)
    if not match:
        return []
    beginning = fold_for_search(match["word"])
    if not can_begin_words(beginning):
        return []
    # The typed word itself needs no completion.
    words = set(load_words_with_beginnings({beginning})) - STOP_WORDS - {beginning}
    shortest = sorted(words, key=lambda word: (len(word), word))[:_MAX_COUNTED_WORDS]
    text_counts = text_counts_by_word(prepared_query, shortest)
    ranked = sorted(shortest, key=lambda word: (text_counts[word], word), reverse=True)
    return [match["before"] + word for word in ranked[:_MAX_COMPLETIONS]]


def complete_with_or_operator(query_text: str) -> str:
    """Return the query with OR behind its last word, or "" if no word or phrase is finished there."""
    words = query_text.split()
    has_open_phrase = query_text.count('"') % 2 == 1  # "jax "tape": the second quote is missing
    if not words or has_open_phrase or not query_text.endswith(" "):
        return ""
    # Behind `OR` and `-word` there is nothing to join.
    if words[-1] == "OR" or words[-1].startswith("-"):
        return ""
    return f"{query_text.rstrip()} OR "
