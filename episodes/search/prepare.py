"""Preparing a query: other forms of its words, and long forms of its abbreviations."""

import json
from collections import defaultdict
from collections.abc import Collection

from ..models import Episode, Podcast, joined_sql
from ..text.normalize import fold
from ..text.numbering import NAME_SEPARATORS, text_after_show_title_or_none
from ..text.search_letters import fold_for_search
from ..text.word_forms import are_forms_of_one_word, long_form_and_abbreviation, stem, stem_prefix
from .engine import PreparedQuery, fetch_rows
from .facts import number_fact_or_none
from .terms import MAX_WORD_LENGTH, can_begin_words, parse_query, split_folded

LongForms = dict[str, list[tuple[str, ...]]]  # by abbreviation


def prepare_query(query_text: str) -> PreparedQuery:
    """Parse a query, and load other forms of its words and long forms of its abbreviations."""
    query = parse_query(query_text)
    words = set[str]()
    for term in query.terms:
        for alternative in (term, *term.alternatives):  # "kettles OR lids"
            # Of "data-loaders" only the last word has other forms.
            words.update(alternative.pieces[-1:])
    # Each word needs a lookup, so at most 16 words get other forms. Words of one or two letters get none.
    words_to_look_up = sorted(filter(can_begin_words, words))[:16]
    return PreparedQuery(
        query,
        _forms_by_word(words_to_look_up),
        _long_forms_by_abbreviation(),
        _ids_of_numbered_episodes(query.typed_without_exclusions),
    )


def _ids_of_numbered_episodes(query_text: str) -> list[int]:
    """Return the ids of the episodes that a query names by their show and number: "Loom Hour 7", "loom hour s2e5"."""
    show_title, _, last_word = query_text.rpartition(" ")
    # Most queries end in no number, so no titles of shows are loaded for them.
    if not show_title or not number_fact_or_none(last_word):
        return []
    ids: list[int] = []
    folded_query = _fold_letters_and_quotes(query_text)
    for show_id, title in Podcast.objects.listed().values_list("pk", "title"):
        folded_title = _fold_letters_and_quotes(title)
        rest = text_after_show_title_or_none(folded_query, folded_title) or ""
        number = number_fact_or_none(rest.strip(f"{NAME_SEPARATORS} "))
        if number:
            episodes = Episode.objects.listed().filter(*number.lookups, podcast=show_id)
            ids += episodes.values_list("pk", flat=True)
    return ids


def _fold_letters_and_quotes(text: str) -> str:
    # Only the first drops accents, and only the second apostrophes.
    return fold(fold_for_search(text))


def _forms_by_word(words: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return, by word, the other words of the catalog that are forms of it: `compile` and `compiled`."""
    beginnings = {stem_prefix(stem(word)) for word in words}
    candidates = load_words_with_beginnings(beginnings - {""})
    forms = {}
    for word in words:
        forms[word] = tuple(
            candidate for candidate in candidates if are_forms_of_one_word(candidate, word)
        )
    return forms


def load_words_with_beginnings(
    beginnings: Collection[str], *, min_length: int = 1, max_length: int = MAX_WORD_LENGTH
) -> list[str]:
    if not beginnings:
        return []
    ranges = ", ".join(["(%s, %s)"] * len(beginnings))
    bounds = []
    for beginning in sorted(beginnings):
        # With the last character of Unicode behind it, it is greater than every word that begins so.
        bounds += [beginning, f"{beginning}\U0010ffff"]
    ((words,),) = fetch_rows(
        f"SELECT {joined_sql('term')} FROM (VALUES {ranges}) ranges CROSS JOIN episodes_searchword "
        "WHERE term BETWEEN column1 AND column2 AND length(term) BETWEEN %s AND %s",
        [*bounds, min_length, max_length],
    )
    # No word has a comma.
    return list(dict.fromkeys(words.split(","))) if words else []


def _long_forms_by_abbreviation() -> LongForms:
    """Return the words of long forms by abbreviation, as aliases of topics give them.

    The alias "mixed precision (AMP)" gives `{"amp": [("mixed", "precision")]}`.
    """
    # An abbreviation is in brackets. The column is a JSON list of aliases.
    rows = fetch_rows(
        "SELECT CAST(aliases AS text) FROM episodes_topic WHERE CAST(aliases AS text) LIKE %s",
        ["%(%"],
    )
    pairs = []  # such as ("mixed precision", "amp")
    for (aliases_json,) in rows:
        for alias in json.loads(aliases_json):
            pair = long_form_and_abbreviation(fold_for_search(str(alias)))
            if pair:
                pairs.append(pair)
    long_forms = defaultdict(list)
    for long_form, abbreviation in sorted(pairs):
        long_forms[abbreviation].append(split_folded(long_form))
    return long_forms
