"""The passages of a text that hold the terms of a query together, best first."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .engine import PreparedQuery, all_rows
from .terms import Query, found_in

CLOSE = 300  # characters within which words are said together: some twenty seconds
APART = 200  # characters between the beginnings of two passages: more than one shows
TIGHT = 50  # characters by which one passage has to be shorter to be the better one
MOST_READ = 40  # transcripts, those of the best episodes


class Passage(NamedTuple):
    """A stretch of a text that holds terms together: from the first to the last of them, which
    terms they are, and how often any of them is said nearby."""

    start: int
    end: int
    terms: frozenset[int]
    hits: int

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """Sorts the passages of a text: most terms, then the shorter one, then where more is said
        of them."""
        return -len(self.terms), (self.end - self.start) // TIGHT, -self.hits, self.start

    def closeness(self, terms: int) -> float:
        """From 0 to 1: a passage with all of so many terms side by side has 1."""
        share = len(self.terms) / terms
        return share * share * (1 - min(self.end - self.start, CLOSE) / CLOSE / 2)


def passages(text: str, query: Query) -> list[Passage]:
    """The places of a text that hold terms, best first and apart from each other."""
    found: list[Passage] = []
    starts: list[int] = []
    for passage in sorted(_passages(text, query), key=lambda one: one.rank):
        place = bisect(starts, passage.start)
        if all(abs(passage.start - other) >= APART for other in starts[max(place - 1, 0) :][:2]):
            starts.insert(place, passage.start)
            found.append(passage)
    return found


def closeness_in(asked: PreparedQuery, ids: Sequence[int]) -> dict[int, float]:
    """For the first of these episodes how close together the words of a query are said, from 0 to
    1; of one word nobody needs to know."""
    terms = len(asked.query.sayable)
    if terms < 2 or not ids:
        return {}
    numbers = ", ".join(map(str, ids[:MOST_READ]))
    statement = f"SELECT episode_id, text FROM episodes_transcript WHERE episode_id IN ({numbers})"
    return {
        pk: max((one.closeness(terms) for one in _passages(text, asked.query)), default=0)
        for pk, text in all_rows(asked.connection, statement, ())
    }


def _passages(text: str, query: Query) -> Iterator[Passage]:
    """The shortest passage that ends with each place that holds a term."""
    hits = sorted(found_in(text, query))
    last: dict[int, int] = {}  # the place of each term that was said last
    for number, (start, end, term) in enumerate(hits):
        last[term] = start
        near = {term: at for term, at in last.items() if start - at <= CLOSE}
        first = min(near.values())
        nearby = bisect(hits, (first + CLOSE,)) - bisect(hits, (first,), hi=number)
        yield Passage(first, end, frozenset(near), nearby)
