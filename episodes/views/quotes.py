"""Quotes: the sentences of a transcript that are said between two times."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import NamedTuple

from ..models import MAX_MOMENT_SECONDS, Episode, Transcript
from ..text.formatting import format_minutes, format_time, parse_time_parameter
from ..text.markup import storable_text
from ..text.sentences import sentence_spans
from ..text.spoken_time import Speech


def load_speech(episode: Episode) -> Speech:
    """Return the speech of an episode; an empty one if it has no transcript."""
    transcript: Transcript = getattr(episode, "transcript", Transcript())
    return transcript.speech(episode.duration_seconds)


class TimeRange(NamedTuple):
    """The second at which to begin, and the one at which to stop; 0 if the address has none."""

    start: int
    end: int = 0

    @property
    def opening(self) -> "TimeRange":
        """Return the first 30 seconds from the start; nothing for a start at 0."""
        if self.start == 0:
            return TimeRange(0)
        return TimeRange(self.start, self.start + 30)

    def __str__(self) -> str:
        """Return `324-341`, `324` or "", as in an address."""
        if self.end:
            return f"{self.start}-{self.end}"
        return str(self.start) if self.start else ""


def time_range_and_complaints(parameter: str, episode: Episode) -> tuple[TimeRange, list[str]]:
    """Return the time range in a parameter `?t=`, such as `324-341` or `5:24`, and complaints about it.

    An unreadable start gives a range from 0 without an end.
    """
    text = storable_text(parameter).strip()
    start_text, _, end_text = text.partition("-")
    start = _parse_position(start_text)
    end = _parse_position(end_text)
    # Without a stored length any time may be in the episode.
    length = episode.duration_seconds or 1 << 30
    # The stored length may be a minute too short.
    if start is None or start >= length + 60:
        complaint = f"“{text[:20]}” is no time in this episode, such as 754 or 12:34"
        return TimeRange(0), [complaint]
    if end_text and end not in range(start + 1, start + MAX_MOMENT_SECONDS + 1):
        longest = format_minutes(MAX_MOMENT_SECONDS)
        complaint = f"“{text[:20]}” must end after it begins, within {longest}"
        return TimeRange(start), [complaint]
    return TimeRange(start, end or 0), []


def _parse_position(text: str) -> int | None:
    """Return the seconds of a position, 0 for "", None for other text."""
    return parse_time_parameter(f"0{text.strip()}")


class SpokenSentence(NamedTuple):
    """A sentence with its first second and the one after its last, and the number of its paragraph."""

    start: int
    end: int
    paragraph: int
    speaker: str
    words: str


@dataclass(frozen=True)
class Quote:
    """Sentences in a row, with the first second and the one after the last. A quote without any is false."""

    start: int = 0
    end: int = 0
    sentences: Sequence[SpokenSentence] = ()

    def __bool__(self) -> bool:
        return bool(self.sentences)

    @property
    def span(self) -> str:
        """Return `324-341`, as in an address; "" without sentences."""
        return f"{self.start}-{self.end}" if self else ""

    @property
    def clock(self) -> str:
        """Return `5:24`."""
        return format_time(self.start)

    @property
    def words(self) -> str:
        return " ".join(sentence.words for sentence in self.sentences)

    @property
    def turns(self) -> list[tuple[str, str]]:
        """Return speakers in turn, each with their words."""
        turns = []
        for speaker, group in groupby(self.sentences, key=lambda sentence: sentence.speaker):
            turns.append((speaker, " ".join(sentence.words for sentence in group)))
        return turns


def find_quote(speech: Speech, time_range: TimeRange) -> Quote:
    """Return the whole sentences that are said in a time range.

    Return an empty quote if the range has no end, no times are known, or the sentences last longer
    than `MAX_MOMENT_SECONDS`.
    """
    spoken = _sentences_around_range(speech, time_range)
    if not spoken:
        return Quote()
    starts = [sentence.start for sentence in spoken]
    ends = [sentence.end for sentence in spoken]
    # From the last sentence that begins before the range to the first one that ends after it.
    first = max(bisect_right(starts, time_range.start) - 1, 0)
    last = min(bisect_left(ends, time_range.end), len(ends) - 1)
    start, end = starts[first], ends[last]
    is_in_range = start <= time_range.start < end
    if not is_in_range or end > start + MAX_MOMENT_SECONDS:
        return Quote()
    # All sentences that begin, or end, within the same second are quoted.
    return Quote(start, end, spoken[bisect_left(starts, start) : bisect_right(ends, end)])


def _sentences_around_range(speech: Speech, time_range: TimeRange) -> list[SpokenSentence]:
    """Return the sentences of the paragraphs that are said in a time range; [] without an end."""
    if not time_range.end:
        return []
    spoken = []
    for number in speech.paragraphs(time_range.start, time_range.end):
        offset = speech.paragraph_starts[number - 1]
        _, speaker, words = speech.cues[number - 1]
        for first, last in sentence_spans(words):
            start, end = speech.span(offset + first, offset + last)
            # Addresses have whole seconds. These are rounded outwards, so that no word is cut.
            sentence = SpokenSentence(int(start), ceil(end), number, speaker, words[first:last])
            spoken.append(sentence)
    return spoken
