"""Words of transcripts that curators corrected. The words around them find them again in every
version of the file."""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .transcript_cues import UNSPACED_RANGES, fold_spaces

# Letters and digits of scripts that put spaces between words.
_LETTER = rf"[^\W{UNSPACED_RANGES}]"

Paragraphs = Sequence[Sequence[object]]  # start, speaker, words


@dataclass(frozen=True, slots=True)
class WordCorrection:
    """Wrong words, the words before and after them, and the right ones. Without words around them
    they are corrected everywhere."""

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
        """The words on three lines, as decisions store them."""
        return "\n".join((self.before, self.wrong, self.after))

    @property
    def pattern(self) -> re.Pattern[str]:
        """A pattern for whole words within one paragraph. Words around them may be in the next."""
        before = _spaced(self.before, r"\s+")
        after = _spaced(self.after, r"\s+")
        wrong = _spaced(self.wrong, r"[^\S\n]+")
        return re.compile(rf"({before})(?<!{_LETTER})({wrong})(?!{_LETTER})(?={after})")


def _spaced(words: str, space: str) -> str:
    """Return a pattern for words with the pattern `space` between them."""
    return space.join(map(re.escape, words.split(" ")))


def find_words_in_paragraphs(cues: Paragraphs, wrong: str) -> Iterator[tuple[int, WordCorrection]]:
    """Yield each place that has these words: the number of its paragraph, from 1, and a correction
    with five words on either side."""
    text = _text_of_paragraphs(cues)
    for match in WordCorrection("", fold_spaces(wrong), "").pattern.finditer(text):
        # Scripts without spaces have long words, so characters are limited as well.
        before = text[max(0, match.start() - 60) : match.start()].replace("\n", " ")
        after = text[match.end() : match.end() + 60].replace("\n", " ")
        words_before = " ".join(before.split(" ")[-5:])
        words_after = " ".join(after.split(" ")[:5])
        paragraph = text.count("\n", 0, match.start()) + 1
        yield paragraph, WordCorrection(words_before, match[2], words_after)


class CorrectedTranscript(NamedTuple):
    """The paragraphs of a transcript with corrected words."""

    paragraphs: list[list[object]]  # start, speaker, words
    times: list[list[float]]  # at their new positions
    unmatched: list[WordCorrection]  # corrections that match nothing


def apply_corrections(
    cues: Paragraphs, times: list[list[float]], corrections: Iterable[WordCorrection]
) -> CorrectedTranscript:
    """Return a transcript with the right words. Each correction applies to the result of the ones before
    it."""
    text = _text_of_paragraphs(cues)
    unmatched = []
    for correction in corrections:
        pattern = correction.pattern
        spans = [match.span(2) for match in pattern.finditer(text)]
        if not spans:
            unmatched.append(correction)
        text = pattern.sub(r"\g<1>" + correction.right.replace("\\", r"\\"), text)
        times = _move_times(times, spans, len(correction.right) - len(correction.wrong))
    paragraphs = []
    for (start, speaker, _), words in zip(cues, text.split("\n"), strict=True):
        paragraphs.append([start, speaker, words])
    return CorrectedTranscript(paragraphs, times, unmatched)


def _move_times(
    times: list[list[float]], spans: list[tuple[int, int]], added_length: int
) -> list[list[float]]:
    """Return [position, second] with positions moved by the length that each span before them grew.
    Drop times within spans."""
    starts = [start for start, _ in spans]
    ends = [end for _, end in spans]
    moved = []
    for position, second in times:
        ended = bisect(ends, position)
        is_inside = bisect_left(starts, position) != ended
        if not is_inside:
            moved.append([position + added_length * ended, second])
    return moved


def _text_of_paragraphs(cues: Paragraphs) -> str:
    return "\n".join(str(words) for _, _, words in cues)
