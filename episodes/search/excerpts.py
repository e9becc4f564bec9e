"""A line or two of an episode's notes, or of its transcript with their time: their opening, or the words
around what was searched for."""

import re
from typing import NamedTuple

from ..text.speech import Speech
from ..text.summaries import LONGEST, cut
from .passages import Passage, passages
from .terms import Query, parse_query, spans

LONGEST_SENTENCE = 400
BEFORE = 60


def around(text: str, query: str, otherwise: str) -> list[str]:
    """The words around the place that holds most of what was searched for, in parts: every second
    was searched for; what is said `otherwise` where there is no such place."""
    prose = " ".join(text.split())
    found = passages(prose, parse_query(query))
    return marked(_around(prose, found[0].start), query) if found else [otherwise]


def marked(text: str, query: str | Query) -> list[str]:
    """A text in parts, of which every second was searched for."""
    parts, done = [], 0
    for start, end, _ in spans(text, query if isinstance(query, Query) else parse_query(query)):
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
    sentence = SENTENCE_END.split(speech.text[: passage.start][-LEAD:])[-1]
    is_cut = len(sentence) == LEAD
    start = passage.start - len(sentence.partition(" ")[2] if is_cut else sentence)
    longest = max(LONGEST, passage.end - start + BEFORE)
    shown = cut(speech.text.replace("\n", " "), start, longest)
    words = marked(f"{'…' * is_cut}{shown}", query)
    return Moment(speech.second(start), speech.paragraph(passage.start), words)
