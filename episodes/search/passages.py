"""Moments: the passages of a transcript that say what is searched for, best first, each with its
time."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from . import excerpts
from .engine import PreparedQuery, all_rows
from .terms import Query, found_in

CLOSE = 300  # characters within which words are said together: some twenty seconds
APART = 200  # characters between the beginnings of two passages: more than one shows
TIGHT = 50  # characters by which one passage has to be shorter to be the better one
MOST_READ = 60  # transcripts, those of the best episodes
FINE = 30.0  # seconds: in a longer paragraph the second of a sentence is estimated
PER_SECOND = 14  # characters that are said in a second, where nothing says when the last ones end
LEAD = 120  # characters before the words in which their sentence may begin
SENTENCE_ENDS = (". ", "? ", "! ", "\n")


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
    terms = sum(not term.fact for term in asked.query.terms)
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


class Moment(NamedTuple):
    """A passage as pages show it: its second in the audio (None where nothing says it), the number
    of its paragraph, and its words in parts, of which every second was searched for."""

    second: int | None
    paragraph: int
    text: list[str]


class Speech:
    """What is said in an episode as one text, of which each place has a paragraph and perhaps a
    second.

    `cues` are the paragraphs of a transcript: [start in seconds or None, speaker, text].
    """

    def __init__(self, cues: Sequence[Sequence[object]], length: float | None = None) -> None:
        self.text = "\n".join(str(words) for _, _, words in cues)
        self._starts, self._timed, at = list[int](), list[tuple[int, float]](), 0
        for start, _, words in cues:
            self._starts.append(at)
            if isinstance(start, int | float):
                self._timed.append((at, start))
            at += len(str(words)) + 1
        if self._timed:
            place, start = self._timed[-1]
            end = length or start + (len(self.text) - place) / PER_SECOND
            self._timed.append((len(self.text) + 1, end))

    def moment(self, passage: Passage, query: Query) -> Moment:
        """A passage with its place in the audio, which is where its sentence begins."""
        at, sentence = passage.start, self._sentence(passage.start)
        start = self.text.rfind(" ", 0, max(at - LEAD, 0)) + 1 if sentence is None else sentence
        longest = max(excerpts.LONGEST, passage.end - start + excerpts.BEFORE)
        shown = excerpts.cut(self.text.replace("\n", " "), start, longest)
        opening = "…" if sentence is None else ""
        paragraph = bisect(self._starts, at)
        return Moment(self._second(start), paragraph, excerpts.marked(opening + shown, query))

    def _sentence(self, at: int) -> int | None:
        """Where the sentence of a place begins; None where that is too far away."""
        earliest = max(at - LEAD, 0)
        ends = ((self.text.rfind(end, earliest, at), len(end)) for end in SENTENCE_ENDS)
        found = [place + signs for place, signs in ends if place >= 0]
        return max(found, default=None if earliest else 0)

    def _second(self, place: int) -> int | None:
        """The second at which something is said: that of its paragraph, or in a long one by the
        share of the words before it."""
        number = bisect(self._timed, (place, float("inf")))
        if not number:
            return None
        (start, first), (end, last) = self._timed[number - 1 : number + 1]
        share = (place - start) / (end - start) if last - first > FINE else 0
        return int(first + share * (last - first))
