"""Moments: passages of a transcript as pages show them, each with its time."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..text.speech import Speech
from ..text.summaries import LONGEST, cut
from .excerpts import BEFORE, marked
from .passages import Passage
from .terms import Query

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
