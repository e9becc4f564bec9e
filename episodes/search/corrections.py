"""Corrections of misspelled queries: words of the catalog replace words that no episode has."""

import re
from bisect import bisect
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise, product
from math import log2
from typing import NamedTuple

from django.db import DatabaseError
from rapidfuzz import process
from rapidfuzz.distance import OSA

from ..text.database_errors import DATABASE_TOO_SLOW, find_fault
from ..text.word_forms import are_forms_of_one_word
from .engine import TEXT_KINDS, PreparedQuery, fetch_rows, sql_of_matching_texts
from .prepare import load_words_with_beginnings, prepare_query
from .terms import STOP_WORDS, Term, folded_words_with_offsets

_MAX_CORRECTED_WORDS = 4
_MAX_TRIED = 6  # candidates for a word, and corrected queries
_MAX_EDITS = 2  # letters of a word that may be wrong


def iterate_matching_corrected_queries(prepared_query: PreparedQuery) -> Iterator[str]:
    """Yield the query with every unknown word replaced by a similar one, the likeliest first. Then
    yield it with two words joined to one: "tensor itterator" is TensorIterator.

    Each is a query of which some episode has every term. A word that texts have as it is typed is never
    replaced, and a number never becomes another.
    """
    words = _searched_words(prepared_query)
    unknown_words = _words_without_texts(prepared_query, words)
    # Without an unknown word nothing is misspelled. Each one takes lookups, so only a few are corrected.
    if not 1 <= len(unknown_words) <= _MAX_CORRECTED_WORDS:
        return
    # The word may be part of a term that occurs, such as `accessor` of `tensor accessor`.
    if prepared_query.any_episode_has_all_terms():
        return
    occurring_words = [word for word in words if word not in unknown_words]
    # Texts have no "integation", but "integer", which looks like a form of it. So it may be misspelled, too.
    doubtful_words = _words_without_texts(prepared_query, occurring_words, is_exact=True)
    for corrected in _iterate_corrected_queries(prepared_query, unknown_words, doubtful_words):
        if prepare_query(corrected).any_episode_has_all_terms():
            yield corrected


def _iterate_corrected_queries(
    prepared_query: PreparedQuery, unknown_words: Sequence[str], doubtful_words: Sequence[str]
) -> Iterator[str]:
    """Yield queries with replacements, the likeliest first."""
    typed_query = prepared_query.query.typed
    pairs = _joined_pairs_with_unknown_word(typed_query, unknown_words)
    joined_words = [pair.joined for pair in pairs]
    vocabulary = _words_with_similar_beginnings([*unknown_words, *doubtful_words, *joined_words])
    replacements_by_word = {}  # for each word the likeliest replacement first
    for word in unknown_words:
        replacements_by_word[word] = _replacements_of_unknown_word(prepared_query, word, vocabulary)
    for word in doubtful_words:
        replacements_by_word[word] = _replacements_of_doubtful_word(
            prepared_query, word, vocabulary
        )
    yield from _iterate_queries_with_replacements(typed_query, replacements_by_word)
    # Two words joined to one, such as "tensor itterator", come last, each with its best replacement.
    for pair in pairs:
        similar_words = find_replacements(prepared_query, pair.joined, vocabulary)
        if similar_words:
            yield typed_query[: pair.start] + similar_words[0] + typed_query[pair.end :]


def _replacements_of_unknown_word(
    prepared_query: PreparedQuery, word: str, vocabulary: Collection[str]
) -> list[str]:
    similar_words = find_replacements(prepared_query, word, vocabulary)
    # "halfprecision" is first of all "half precision", if some text has these words in a row.
    split_word = _find_split_of_word_or_empty(prepared_query, word)
    return [split_word, *similar_words] if split_word else similar_words


def _replacements_of_doubtful_word(
    prepared_query: PreparedQuery, word: str, vocabulary: Collection[str]
) -> list[str]:
    """Return a word of which texts have only another form, and then the likeliest word that is no form of it."""
    for similar_word in find_replacements(prepared_query, word, vocabulary):
        # Only one, so that the few combinations that are tried have several replacements of unknown words.
        if not are_forms_of_one_word(similar_word, word):
            return [word, similar_word]
    return [word]


def _iterate_queries_with_replacements(
    typed_query: str, replacements_by_word: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Yield the query with one replacement for each word, in every combination, at most _MAX_TRIED."""
    # If a word has no replacement, there are no combinations: no episode has the word that would stay.
    combinations = product(*replacements_by_word.values())
    for replacements in islice(combinations, _MAX_TRIED):
        replacement_by_word = dict(zip(replacements_by_word, replacements, strict=True))
        yield _replace_words(typed_query, replacement_by_word)


def _find_split_of_word_or_empty(prepared_query: PreparedQuery, word: str) -> str:
    """Return two words that make a word if they are joined, and that some text has in a row: "half precision" for
    "halfprecision". Of several the most frequent ones are returned."""
    # Each half has at least two letters. Each position takes a lookup, so in very long words only the first are tried.
    last_position = min(len(word) - 2, 28)
    splits = []
    for position in range(2, last_position + 1):
        first, second = word[:position], word[position:]
        # A number never becomes two others: "130936" is not "13 0936".
        is_within_number = first[-1].isdecimal() and second[0].isdecimal()
        if not is_within_number:
            splits.append(f"{first} {second}")
    text_counts = text_counts_by_word(prepared_query, splits)
    most_frequent = max(splits, key=text_counts.__getitem__, default="")
    return most_frequent if text_counts.get(most_frequent) else ""


class _WordPair(NamedTuple):
    """Two words in a row, one of them unknown, and the word that they make."""

    joined: str
    start: int
    end: int


def _joined_pairs_with_unknown_word(
    typed_query: str, unknown_words: Collection[str]
) -> list[_WordPair]:
    """Return two words in a row as one, which may be right: "tensor itterator" for TensorIterator."""
    pairs = []
    for (first, start, _), (second, _, end) in pairwise(folded_words_with_offsets(typed_query)):
        if first in unknown_words or second in unknown_words:
            pairs.append(_WordPair(first + second, start, end))
    return pairs


def _replace_words(typed_query: str, replacement_by_word: Mapping[str, str]) -> str:
    parts = []
    previous_end = 0  # of the word before
    for word, start, end in folded_words_with_offsets(typed_query):
        typed_word = typed_query[start:end]
        parts += [typed_query[previous_end:start], replacement_by_word.get(word, typed_word)]
        previous_end = end
    return "".join([*parts, typed_query[previous_end:]])


def _searched_words(prepared_query: PreparedQuery) -> list[str]:
    words = set[str]()
    for term in prepared_query.query.terms:
        if not term.fact:
            for word, _, _ in folded_words_with_offsets(term.typed):
                # A single letter is an initial or a sign, and not misspelled.
                if len(word) > 1:
                    words.add(word)
    max_words = 12  # each takes a lookup
    return sorted(words - STOP_WORDS)[:max_words]


def _words_without_texts(
    prepared_query: PreparedQuery, words: Sequence[str], *, is_exact: bool = False
) -> list[str]:
    """Return the words that no text of the catalog has in any form, or, if `is_exact`, as they are.

    Transcripts do not count: programs that write them misspell words, too.
    """
    written_kinds = TEXT_KINDS.keys() - {"transcript"}
    text_counts = text_counts_by_word(
        prepared_query, words, written_kinds, max_count=1, is_exact=is_exact
    )
    return [word for word, count in text_counts.items() if count == 0]


def text_counts_by_word(
    prepared_query: PreparedQuery,
    words: Collection[str],
    kinds: Collection[str] = TEXT_KINDS,
    *,
    max_count: int = 2_000,
    is_exact: bool = True,
) -> dict[str, int]:
    """Return the number of texts that hold each word, or words in a row, at most `max_count`, in the order of the
    words.

    Unless `is_exact`, texts with other forms of a word count too.
    """
    if not words:
        return {}
    # Between two very common words the counts do not decide.
    lookup = f"SELECT 0 FROM ({sql_of_matching_texts(kinds)}) texts LIMIT {max_count}"
    statements = []
    expressions = []
    # A word that is an abbreviation counts without its long form.
    without_long_forms = replace(prepared_query, long_forms={})
    for number, word in enumerate(words):
        statements.append(f"SELECT {number}, count(*) FROM ({lookup}) texts")
        # In quotes, or "half precision" would count texts with "halfprecision", too.
        term = Term(word, tuple(word.split()), quoted=is_exact)
        expressions.append(without_long_forms.engine_expression(term, is_exact=is_exact))
    count_by_number = dict(fetch_rows(" UNION ALL ".join(statements), expressions))
    return {word: count_by_number[number] for number, word in enumerate(words)}


def _words_with_similar_beginnings(words: Sequence[str]) -> list[str]:
    """Return the words of the catalog with similar beginnings.

    Return [] if there are more than the database can read in its time. Then nothing is corrected.
    """
    beginnings = set[str]()
    for word in words:
        # The first letter is right, or swapped with the second ("otols" is "tools"), or one too many
        # ("ttools"), so that the word begins with the second and third. No word is shorter than two letters.
        beginnings.update((word[0], word[1] + word[0], word[1:3]))
    lengths = list(map(len, words))
    try:
        return load_words_with_beginnings(
            beginnings,
            min_length=min(lengths) - _MAX_EDITS,
            max_length=max(lengths) + _MAX_EDITS,
        )
    except DatabaseError as error:
        if find_fault(error) != DATABASE_TOO_SLOW:
            raise
        return []


def find_replacements(
    prepared_query: PreparedQuery, word: str, vocabulary: Collection[str]
) -> list[str]:
    """Return the words of the vocabulary that may replace a word, the likeliest first: "tensor" for "tensr"."""
    edits_by_candidate = _edits_by_similar_word(word, vocabulary)
    # A slip in an ordinary word must not become a name.
    kinds = TEXT_KINDS.keys() - {"person"}
    text_counts = text_counts_by_word(prepared_query, sorted(edits_by_candidate), kinds)
    costs = {}
    for candidate, text_count in text_counts.items():
        # The vocabulary may have a word that no text has any more.
        if text_count > 0:
            # Of two equally similar words the more common one is likelier to be meant.
            costs[candidate] = edits_by_candidate[candidate] - 0.1 * log2(text_count)
    return sorted(costs, key=costs.__getitem__)[:_MAX_TRIED]


def _edits_by_similar_word(word: str, vocabulary: Collection[str]) -> dict[str, float]:
    """Return how many letters of a word must change to give each similar word. A wrong first letter counts
    half a letter more."""
    # One letter of four may be wrong, two of eight. With two of six, "Norway" became "normal".
    max_edits = bisect((4, 8), len(word))
    # This distance counts two swapped letters as one edit. Twice as many as are tried, as some are in no text
    # any more, and the more common ones come first.
    similar = process.extract(
        word, list(vocabulary), scorer=OSA.distance, score_cutoff=max_edits, limit=2 * _MAX_TRIED
    )
    edits_by_word: dict[str, float] = {}
    for candidate, edits, _ in similar:
        has_first_letter = candidate[0] == word[0]
        # "waht" is "what", but "hour" is not "our", without which a query has a word less.
        may_replace = has_first_letter or candidate not in STOP_WORDS
        # A correction must not change digits: "gpt3" is not "gpt4".
        if may_replace and _digits(candidate) == _digits(word):
            edits_by_word[candidate] = edits if has_first_letter else edits + 0.5
    return edits_by_word


def _digits(word: str) -> str:
    return re.sub(r"\D", "", word)
