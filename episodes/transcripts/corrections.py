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
    is_of_show: bool = False  # of all its transcripts, and without words around them

    @classmethod
    def from_key(cls, key: str, right: str) -> WordCorrection:
        if "\n" not in key:
            return cls.of_show(key, right)
        before, wrong, after = key.split("\n")
        return cls(before, wrong, after, right)

    @classmethod
    def of_show(cls, wrong: str, right: str) -> WordCorrection:
        return cls("", wrong, "", right, is_of_show=True)

    @property
    def key(self) -> str:
        """Return the words as decisions store them: on three lines, or the wrong words of a show alone."""
        if self.is_of_show:
            return self.wrong
        return "\n".join((self.before, self.wrong, self.after))

    @property
    def ignores_case(self) -> bool:
        """Return whether it also corrects its words with capitals. With a capital of their own they may be
        another word: Pirate, pirate."""
        return self.is_of_show and self.wrong == self.wrong.lower()

    @property
    def pattern(self) -> re.Pattern[str]:
        """Return a pattern for whole words within one paragraph. Words around them may be in the next."""
        before = _pattern_of_spaced_words(self.before, r"\s+")
        after = _pattern_of_spaced_words(self.after, r"\s+")
        wrong = _pattern_of_spaced_words(self.wrong, r"[^\S\n]+")
        return re.compile(
            rf"(?P<before>{before})(?<!{_LETTER})(?P<wrong>{wrong})(?!{_LETTER})(?={after})",
            re.IGNORECASE if self.ignores_case else 0,
        )


def _pattern_of_spaced_words(words: str, space: str) -> str:
    return space.join(map(re.escape, words.split(" ")))


def iterate_paragraph_numbers_and_corrections(
    paragraphs: Paragraphs, wrong_words: str
) -> Iterator[tuple[int, WordCorrection]]:
    """Yield, for each occurrence of these words, the number of its paragraph, from 1, and a correction
    without the right words. The correction has a few words on either side: ("we use ", "pie torch", " for fun")."""
    text = _text_of_paragraphs(paragraphs)
    pattern = WordCorrection(before="", wrong=fold_spaces(wrong_words), after="").pattern
    # Scripts without spaces have long words, so characters are limited as well.
    max_words, max_characters = 5, 60
    for match in pattern.finditer(text):
        start, end = match.span()
        # Words around it may be of the paragraph before or behind.
        text_before = text[max(0, start - max_characters) : start].replace("\n", " ")
        text_after = text[end : end + max_characters].replace("\n", " ")
        words_before = " ".join(text_before.split(" ")[-max_words:])
        words_after = " ".join(text_after.split(" ")[:max_words])
        # Each line is a paragraph.
        paragraph_number = text.count("\n", 0, start) + 1
        yield paragraph_number, WordCorrection(words_before, match["wrong"], words_after)


class CorrectedTranscript(NamedTuple):
    """The paragraphs of a transcript with corrected words."""

    paragraphs: list[list[object]]  # start, speaker, words
    times: list[list[float]]  # at their new positions
    unmatched: list[WordCorrection]  # corrections that match nothing


def correct_transcript_and_list_unmatched(
    paragraphs: Paragraphs, times: list[list[float]], corrections: Iterable[WordCorrection]
) -> CorrectedTranscript:
    """Return a transcript with the right words. Each correction applies to the result of the corrections
    before it."""
    text = _text_of_paragraphs(paragraphs)
    unmatched = []
    for correction in corrections:
        pattern = correction.pattern
        wrong_spans = [match.span("wrong") for match in pattern.finditer(text)]
        if not wrong_spans:
            unmatched.append(correction)
        # In the replacement of `sub` a backslash would begin an escape.
        right_words = correction.right.replace("\\", r"\\")
        text = pattern.sub(r"\g<before>" + right_words, text)
        # "PyTorch" for "pie torch" is two characters shorter, so the words behind it move by -2.
        added_length = len(correction.right) - len(correction.wrong)
        times = _drop_replaced_times_and_shift_others(times, wrong_spans, added_length)
    # Corrections keep line breaks, so each line is still a paragraph.
    corrected_paragraphs = []
    for (start, speaker, _), words in zip(paragraphs, text.split("\n"), strict=True):
        corrected_paragraphs.append([start, speaker, words])
    return CorrectedTranscript(corrected_paragraphs, times, unmatched)


def _drop_replaced_times_and_shift_others(
    times: list[list[float]], replaced_spans: list[tuple[int, int]], added_length: int
) -> list[list[float]]:
    """Return [position, second] with each position moved by `added_length` for every span before it.

    Drop times within spans. A position at the edge of a span is outside. The spans are sorted and do not
    overlap.
    """
    starts = [start for start, _ in replaced_spans]
    ends = [end for _, end in replaced_spans]
    moved_times = []
    for position, second in times:
        # Counts of the spans that end at the position or before, and that begin before it.
        ended_span_count = bisect(ends, position)
        begun_span_count = bisect_left(starts, position)
        is_within_span = begun_span_count != ended_span_count
        if not is_within_span:
            moved_times.append([position + added_length * ended_span_count, second])
    return moved_times


def _text_of_paragraphs(paragraphs: Paragraphs) -> str:
    return "\n".join(str(words) for _, _, words in paragraphs)
