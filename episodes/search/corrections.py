"""Corrections of misspelled queries: words of the catalog in place of words that occur in no
episode."""

import re
from bisect import bisect
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise, product
from math import log2
from operator import itemgetter

from django.db import DatabaseError
from rapidfuzz import process
from rapidfuzz.distance import OSA

from ..text.faults import SLOW, fault_of
from .engine import KINDS, PreparedQuery, all_rows, lookup, words_like
from .terms import STOP_WORDS, Term, words_in

MOST_CORRECTED = 4
MOST_CANDIDATES = 12
MOST_TRIED = 6
MOST_COUNTED = 2_000  # texts that hold a word: of two that more hold, neither is the likelier


def corrected_queries(asked: PreparedQuery) -> Iterator[str]:
    """The query with every word that no episode holds replaced by near ones that some do, the
    likeliest first; then with one word in place of two that were typed apart.

    A word that occurs is never corrected, and a number never becomes another.
    """
    typed = asked.query.typed
    unknown = _unknown(asked)
    if not 0 < len(unknown) <= MOST_CORRECTED:
        return
    apart = [
        (word, start, end, one + other)
        for (one, start, _), (other, _, end) in pairwise(words_in(typed))
        for word in {one, other}.intersection(unknown)
    ]
    known = _words_like([*unknown, *map(itemgetter(-1), apart)])
    nearest = {word: _nearest(asked, word, known, _most_edits(word)) for word in unknown}
    correctable = list(filter(nearest.get, unknown))
    choices = product(*map(nearest.__getitem__, correctable))
    for choice in islice(choices, MOST_TRIED if correctable else 0):
        instead = dict(zip(correctable, choice, strict=True))
        yield _corrected(typed, instead)
    for word, start, end, joined in apart:
        for other in _nearest(asked, joined, known, _most_edits(word))[:1]:
            yield typed[:start] + other + typed[end:]


def _corrected(typed: str, instead: Mapping[str, str]) -> str:
    """Return the query with other words in place of some."""
    parts, done = [], 0
    for word, start, end in words_in(typed):
        if word in instead:
            parts += [typed[done:start], instead[word]]
            done = end
    return "".join([*parts, typed[done:]])


def _unknown(asked: PreparedQuery) -> list[str]:
    """The words that no text of the catalog holds, in any form."""
    words = {
        word for term in asked.query.terms if not term.fact for word, *_ in words_in(term.typed)
    }
    sought = sorted(words - STOP_WORDS - {""})[: 3 * MOST_CORRECTED]
    counts = _frequencies(asked, [Term(word, (word,)) for word in sought])
    return [word for word, count in zip(sought, counts, strict=True) if not count]


def _frequencies(asked: PreparedQuery, terms: Sequence[Term]) -> list[int]:
    """The number of texts of the catalog that hold each of these terms, as far as one counts."""
    if not terms:
        return []
    counts = [
        f"SELECT {number}, count(*) FROM (SELECT 0 FROM ({lookup(KINDS)}) texts "
        f"LIMIT {MOST_COUNTED}) texts"
        for number in range(len(terms))
    ]
    alone = replace(asked, long_forms={})
    values = [alone.expression(term, exact=False) for term in terms]
    found = dict(all_rows(" UNION ALL ".join(counts), values))
    return [found[number] for number in range(len(terms))]


def _words_like(unknown: Sequence[str]) -> dict[str, None]:
    """The words of the catalog that begin like these; none where there are more than the database
    can read in its time. Then searches go without corrections."""
    try:
        return words_like(set[str]().union(*map(_beginnings, unknown)))
    except DatabaseError as error:
        if fault_of(error) != SLOW:
            raise
        return {}


def _beginnings(word: str) -> set[str]:
    """The beginnings of words of which this may be a misspelling: their first letter is right, or
    the first two are swapped, or one is too many."""
    return {word[:1], word[1::-1], word[1:3] or word}


def _most_edits(word: str) -> int:
    """The number of slips that a word of that length may hold; a number none. Of three letters too
    little is left when one is another."""
    return 0 if word.isdecimal() else bisect((4, 6, 10), len(word))


def _nearest(asked: PreparedQuery, word: str, known: Collection[str], most_edits: int) -> list[str]:
    """The candidates to replace a word, best first."""
    near = process.extract(
        word, [*known], scorer=OSA.distance, score_cutoff=most_edits, limit=MOST_CANDIDATES
    )
    digits = re.sub(r"\D", "", word)
    edits = {other: slips for other, slips, _ in near if re.sub(r"\D", "", other) == digits}
    others = sorted(edits)
    used = _frequencies(asked, [Term(other, (other,), quoted=True) for other in others])
    costs = sorted(
        (edits[other] + 0.5 * (word[0] != other[0]) - 0.1 * log2(count), other)
        for other, count in zip(others, used, strict=True)
        if count
    )
    return [other for _, other in costs[:MOST_TRIED]]
