"""Words of transcripts that curators corrected, found again in every version of the file by the words
around them."""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from .transcript_cues import UNSPACED, folded

AROUND = 5  # words, or parts of one, on either side that tell a place from others
FARTHEST = 60  # characters: scripts without spaces have long words
# Letters and digits of scripts that put spaces between words.
_LETTER = rf"[^\W{UNSPACED}]"

Paragraphs = Sequence[Sequence[object]]  # start, speaker, words


@dataclass(frozen=True, slots=True)
class WordCorrection:
    """Wrong words with what is said before and after them, and the right ones; with nothing around
    them, the words wherever they are said."""

    before: str
    wrong: str
    after: str
    right: str = ""

    @classmethod
    def from_key(cls, key: str, right: str) -> WordCorrection:
        before, wrong, after = key.split("\n")
        return cls(before, wrong, after, right)

    @property
    def key(self) -> str:
        """The place on three lines, as a decision names it."""
        return "\n".join((self.before, self.wrong, self.after))

    @property
    def pattern(self) -> re.Pattern[str]:
        """Whole words within one paragraph; those around them may be in the next."""
        before, after = (_spaced(words, r"\s+") for words in (self.before, self.after))
        wrong = _spaced(self.wrong, r"[^\S\n]+")
        return re.compile(rf"({before})(?<!{_LETTER})({wrong})(?!{_LETTER})(?={after})")


def _spaced(words: str, space: str) -> str:
    return space.join(map(re.escape, words.split(" ")))


def places_of(cues: Paragraphs, wrong: str) -> Iterator[tuple[int, WordCorrection]]:
    """The places that have these words, each with the number of its paragraph, from 1."""
    text = _joined(cues)
    for found in WordCorrection("", folded(wrong), "").pattern.finditer(text):
        before = text[max(0, found.start() - FARTHEST) : found.start()].replace("\n", " ")
        after = text[found.end() : found.end() + FARTHEST].replace("\n", " ")
        place = WordCorrection(
            " ".join(before.split(" ")[-AROUND:]), found[2], " ".join(after.split(" ")[:AROUND])
        )
        yield text.count("\n", 0, found.start()) + 1, place


def corrected(
    cues: Paragraphs, times: list[list[float]], corrections: Iterable[WordCorrection]
) -> tuple[list[list[object]], list[list[float]], list[WordCorrection]]:
    """The paragraphs with the right words, their times at the new places, and the corrections that
    have no place. Each correction is of what the ones before it left."""
    text, lost = _joined(cues), []
    for one in corrections:
        spans = [found.span(2) for found in one.pattern.finditer(text)]
        if not spans:
            lost.append(one)
        text = one.pattern.sub(r"\g<1>" + one.right.replace("\\", r"\\"), text)
        longer, end = len(one.right) - len(one.wrong), itemgetter(1)
        # What began among the wrong words has no place any more.
        times = [
            [place + longer * bisect(spans, place, key=end), second]
            for place, second in times
            if bisect_left(spans, (place,)) == bisect(spans, place, key=end)
        ]
    said = text.split("\n")
    rows = [[*cue[:2], words] for cue, words in zip(cues, said, strict=True)]
    return rows, times, lost


def _joined(cues: Paragraphs) -> str:
    return "\n".join(str(words) for _, _, words in cues)
