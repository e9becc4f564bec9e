"""The passages of a text that hold the terms of a query together, best first, and a line or two of
it to show: the opening, or the words around what was searched for."""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..text.speech import Speech
from ..text.summaries import LONGEST, cut
from .engine import PreparedQuery, all_rows
from .terms import Query, found_in, parse_query, spans

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


def together(found: Sequence[Passage], query: Query) -> list[Passage]:
    """Return the passages that hold every term of a query that can be said."""
    return [passage for passage in found if passage.terms >= query.sayable]


def closeness_in(asked: PreparedQuery, ids: Sequence[int]) -> dict[int, float]:
    """For the first of these episodes how close together the words of a query are said, from 0 to
    1; of one word nobody needs to know."""
    terms = len(asked.query.sayable)
    if terms < 2 or not ids:
        return {}
    numbers = ", ".join(map(str, ids[:MOST_READ]))
    statement = f"SELECT episode_id, text FROM episodes_transcript WHERE episode_id IN ({numbers})"
    found: defaultdict[int, float] = defaultdict(float)
    for pk, text in all_rows(statement, ()):
        for passage in _passages(text, asked.query):
            # One with all terms side by side has 1.
            share = len(passage.terms) / terms
            length = min(passage.end - passage.start, CLOSE) / CLOSE
            found[pk] = max(found[pk], share * share * (1 - length / 2))
    return found


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


LONGEST_SENTENCE = 400
BEFORE = 60


def around(text: str, query: str, otherwise: str) -> list[str]:
    """The words around the place that holds most of what was searched for, in parts: every second
    was searched for; what is said `otherwise` where there is no such place."""
    prose, asked = " ".join(text.split()), parse_query(query)
    found = passages(prose, asked)
    return marked(_around(prose, found[0].start), asked) if found else [otherwise]


def marked(text: str, query: Query) -> list[str]:
    """A text in parts, of which every second was searched for."""
    parts, done = [], 0
    for start, end, _ in spans(text, query):
        parts += [text[done:start], text[start:end]]
        done = end
    return [*parts, text[done:]]


def with_name(sentence: str, name: str) -> list[str]:
    """A sentence in parts: every second is a name of code that stands by itself. A long one is cut
    around it."""
    prose = " ".join(sentence.split())
    itself = re.compile(rf"(?<!\w)({re.escape(name)})(?!\w)")
    found = itself.search(prose)
    if len(prose) > LONGEST_SENTENCE:
        prose = _around(prose, found.start() if found else 0)
    return itself.split(prose)


def _around(prose: str, at: int) -> str:
    """A line or two of prose that show what is at a place: from the beginning if they reach so
    far."""
    start = 0 if at < LONGEST - BEFORE else prose.rfind(" ", 0, at - BEFORE) + 1
    return f"{'…' if start else ''}{cut(prose, start)}"


LEAD = 120  # characters before the words in which their sentence may begin
SENTENCE_END = re.compile(r"[.?!]\s|\n")


class Moment(NamedTuple):
    """A passage as pages show it: its second in the audio (None where nothing says it), the number
    of its paragraph, and its words in parts, of which every second was searched for."""

    second: int | None
    paragraph: int
    text: list[str]


def moment_of(speech: Speech, passage: Passage, query: Query) -> Moment:
    """A passage with its place in the audio, which is where its sentence begins."""
    start, is_cut = _sentence_start(speech.text, passage.start)
    longest = max(LONGEST, passage.end - start + BEFORE)
    shown = cut(speech.text.replace("\n", " "), start, longest)
    words = marked(f"{'…' * is_cut}{shown}", query)
    return Moment(speech.second(start), speech.paragraph(passage.start), words)


def nearest(found: Sequence[Passage], speech: Speech, second: int) -> list[Passage]:
    """Return passages, those first whose moments are nearest to a second of the audio."""

    def distance(passage: Passage) -> int:
        start, _ = _sentence_start(speech.text, passage.start)
        return abs((speech.second(start) or 0) - second)

    return sorted(found, key=distance)


def _sentence_start(text: str, offset: int) -> tuple[int, bool]:
    """Return the offset at which the sentence of an offset begins, and whether it was cut there."""
    sentence = SENTENCE_END.split(text[:offset][-LEAD:])[-1]
    is_cut = len(sentence) == LEAD
    return offset - len(sentence.partition(" ")[2] if is_cut else sentence), is_cut
