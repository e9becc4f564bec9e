"""Moments: passages of a transcript as pages show them, each with its time."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from .excerpts import BEFORE, LONGEST, cut, marked
from .passages import Passage
from .terms import Query

FINE = 30  # seconds: in a longer paragraph the second of a sentence is estimated
PER_SECOND = 14  # characters that are said in a second, where nothing says when the last ones end
LEAD = 120  # characters before the words in which their sentence may begin
SENTENCE_END = re.compile(r"[.?!]\s|\n")


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
        lines = [str(words) for _, _, words in cues]
        self.text = "\n".join(lines)
        places = accumulate((len(line) + 1 for line in lines), initial=0)
        starts = (start for start, *_ in cues)
        self._timed = [
            (place, start)
            for place, start in zip(places, starts, strict=False)
            if isinstance(start, int | float)
        ]
        place, start = self._timed[-1] if self._timed else (0, 0)
        end = length or start + (len(self.text) - place) / PER_SECOND
        self._timed.append((len(self.text) + 1, end))

    def moment(self, passage: Passage, query: Query) -> Moment:
        """A passage with its place in the audio, which is where its sentence begins."""
        before = self.text[: passage.start]
        sentence = SENTENCE_END.split(before[-LEAD:])[-1]
        is_cut = len(sentence) == LEAD
        start = passage.start - len(sentence.partition(" ")[2] if is_cut else sentence)
        longest = max(LONGEST, passage.end - start + BEFORE)
        shown = cut(self.text.replace("\n", " "), start, longest)
        return Moment(
            self._second(start),
            before.count("\n") + 1,
            marked(f"{'…' * is_cut}{shown}", query),
        )

    def _second(self, place: int) -> int | None:
        """The second at which something is said: that of its paragraph, or in a long one by the
        share of the words before it."""
        number = bisect(self._timed, (place, float("inf")))
        if not number:
            return None
        (start, first), (end, last) = self._timed[number - 1 : number + 1]
        share = (place - start) / (end - start) if last - first > FINE else 0
        return int(first + share * (last - first))
