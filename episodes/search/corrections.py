"""Corrections of misspelled queries: words of the catalog replace words that no episode has."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise, product
from math import log2
from typing import NamedTuple

from django.db import DatabaseError
from rapidfuzz import process
from rapidfuzz.distance import OSA

from ..text.database_errors import DATABASE_TOO_SLOW, find_fault
from .engine import TEXT_KINDS, PreparedQuery, fetch_rows, lookup_statement
from .prepare import load_words_beginning
from .terms import STOP_WORDS, Term, words_with_offsets

_MAX_CORRECTED_WORDS = 4
_MAX_TRIED = 6  # candidates for a word, and corrected queries


def suggest_queries(prepared: PreparedQuery) -> Iterator[str]:
    """Yield the query with every unknown word replaced by a similar one, the likeliest first.

    Then yield it with two words joined to one. A word that occurs is never corrected, and a number
    never becomes another.
    """
    typed = prepared.query.typed
    unknown = _unknown_words(prepared)
    if not 0 < len(unknown) <= _MAX_CORRECTED_WORDS:
        return
    pairs = _pairs_to_join(typed, unknown)
    vocabulary = _similar_vocabulary([*unknown, *(pair.joined for pair in pairs)])
    replacements = {}
    for word in unknown:
        candidates = find_replacements(prepared, word, vocabulary, _max_edits(word))
        if candidates:
            replacements[word] = candidates
    if replacements:
        for choice in islice(product(*replacements.values()), _MAX_TRIED):
            yield _replace_words(typed, dict(zip(replacements, choice, strict=True)))
    for pair in pairs:
        candidates = find_replacements(prepared, pair.joined, vocabulary, _max_edits(pair.word))
        if candidates:
            yield typed[: pair.start] + candidates[0] + typed[pair.end :]


class _WordPair(NamedTuple):
    """Two words in a row that may be one, of which `word` is unknown."""

    word: str
    start: int
    end: int
    joined: str


def _pairs_to_join(typed: str, unknown: Collection[str]) -> list[_WordPair]:
    pairs = []
    for (first, start, _), (second, _, end) in pairwise(words_with_offsets(typed)):
        for word in {first, second}.intersection(unknown):
            pairs.append(_WordPair(word, start, end, first + second))
    return pairs


def _replace_words(typed: str, replacements: Mapping[str, str]) -> str:
    """Return the query with words replaced."""
    parts, done = [], 0
    for word, start, end in words_with_offsets(typed):
        if word in replacements:
            parts += [typed[done:start], replacements[word]]
            done = end
    return "".join([*parts, typed[done:]])


def _unknown_words(prepared: PreparedQuery) -> list[str]:
    """Return the words that no text of the catalog has in any form."""
    words = set[str]()
    for term in prepared.query.terms:
        if not term.fact:
            words.update(word for word, _, _ in words_with_offsets(term.typed))
    # A query with more unknown words is not corrected.
    checked = sorted(words - STOP_WORDS - {""})[: 3 * _MAX_CORRECTED_WORDS]
    counts = count_texts(prepared, [Term(word, (word,)) for word in checked])
    return [word for word, count in zip(checked, counts, strict=True) if count == 0]


def count_texts(prepared: PreparedQuery, terms: Sequence[Term]) -> list[int]:
    """Count the texts of the catalog that hold each of these terms, up to 2,000."""
    if not terms:
        return []
    # Of two words that more texts have, neither is the likelier.
    lookup = f"SELECT 0 FROM ({lookup_statement(TEXT_KINDS)}) texts LIMIT 2000"
    counts = [f"SELECT {number}, count(*) FROM ({lookup}) texts" for number in range(len(terms))]
    without_long_forms = replace(prepared, long_forms={})
    expressions = [without_long_forms.expression(term, is_exact=False) for term in terms]
    count_by_number = dict(fetch_rows(" UNION ALL ".join(counts), expressions))
    return [count_by_number[number] for number in range(len(terms))]


def _similar_vocabulary(words: Sequence[str]) -> list[str]:
    """Return the words of the catalog with similar beginnings.

    Return [] if there are more than the database can read in its time. Then nothing is corrected.
    """
    beginnings = set[str]()
    for word in words:
        # The first letter is right, or the first two are swapped, or the first is one too many.
        beginnings.update((word[:1], word[1::-1], word[1:3] or word))
    try:
        return load_words_beginning(beginnings)
    except DatabaseError as error:
        if find_fault(error) != DATABASE_TOO_SLOW:
            raise
        return []


def _max_edits(word: str) -> int:
    """Return how many letters of a word may be wrong; none of a number, or of three letters."""
    if word.isdecimal() or len(word) < 4:
        return 0
    if len(word) < 6:
        return 1
    return 2 if len(word) < 10 else 3


def find_replacements(
    prepared: PreparedQuery, word: str, vocabulary: Collection[str], max_edits: int
) -> list[str]:
    """Return the words of the vocabulary that may replace a word, the likeliest first."""
    similar = process.extract(
        word, list(vocabulary), scorer=OSA.distance, score_cutoff=max_edits, limit=12
    )
    edits_by_word = {}
    for candidate, edits, _ in similar:
        if _digits(candidate) == _digits(word):
            edits_by_word[candidate] = edits
    candidates = sorted(edits_by_word)
    terms = [Term(candidate, (candidate,), quoted=True) for candidate in candidates]
    counts = count_texts(prepared, terms)
    costs = []
    for candidate, count in zip(candidates, counts, strict=True):
        if count:
            cost: float = edits_by_word[candidate]
            if candidate[0] != word[0]:
                cost += 0.5
            # Common words are likelier.
            cost -= 0.1 * log2(count)
            costs.append((cost, candidate))
    return [candidate for _, candidate in sorted(costs)[:_MAX_TRIED]]


def _digits(word: str) -> str:
    return re.sub(r"\D", "", word)
