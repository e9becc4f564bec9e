"""Quotes: the sentences of a transcript that are said between two times."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from ..models import MAX_MOMENT_SECONDS, Episode, Transcript
from ..text.formatting import format_minutes, format_time, seconds_of_time_parameter
from ..text.markup import storable_text
from ..text.spoken_time import Speech


def load_speech(episode: Episode) -> Speech:
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

    @property
    def query(self) -> str:
        """Return `?t=324-341` or `?t=324`; "" for a start at 0."""
        return f"?t={self}" if str(self) else ""

    @property
    def media_fragment(self) -> str:
        """Return `#t=324,341` or `#t=324`, with which the address of a sound plays this part."""
        return f"#t={self.start},{self.end}" if self.end else f"#t={self.start}"

    def __str__(self) -> str:
        """Return `324-341`, `324` or "", as in an address."""
        if self.end:
            return f"{self.start}-{self.end}"
        return str(self.start) if self.start else ""


def time_range_and_complaints(time_text: str, episode: Episode) -> tuple[TimeRange, list[str]]:
    """Return the time range in a parameter `?t=`, such as `324-341` or `5:24`, and complaints about it.

    An unreadable start gives a range from 0 without an end.
    """
    text = storable_text(time_text).strip()
    # "324" and "341". Without a hyphen the end is "".
    start_text, _, end_text = text.partition("-")
    start = _parse_position(start_text)
    end = _parse_position(end_text)
    quoted_text = text[:20]  # of an address that anybody may have written
    length = episode.duration_seconds
    # A page of a directory may give the length in whole minutes, so it may be a minute too short.
    is_behind_end = bool(start and length and start >= length + 60)
    if start is None or is_behind_end:
        complaint = f"“{quoted_text}” is no time in this episode, such as 754 or 12:34"
        return TimeRange(0), [complaint]
    possible_ends = range(start + 1, start + MAX_MOMENT_SECONDS + 1)
    # An unreadable end (None) is no possible one either.
    if end_text and end not in possible_ends:
        max_length = format_minutes(MAX_MOMENT_SECONDS)
        complaint = f"“{quoted_text}” must end after it begins, within {max_length}"
        return TimeRange(start), [complaint]
    return TimeRange(start, end or 0), []


def _parse_position(text: str) -> int | None:
    # The seconds, 0 for "", and None for other text. The zero in front changes no time, `05:24` or
    # `0754`, and makes "" a time, too.
    return seconds_of_time_parameter(f"0{text.strip()}")


class SpokenSentence(NamedTuple):
    """A sentence with the second it begins in, and the first second after it."""

    start: int
    end: int
    paragraph: int  # its number, from 1
    speaker: str
    words: str


@dataclass(frozen=True)
class Quote:
    """Sentences in a row, with the second they begin in, and the first second after them.

    An empty quote has no sentences, the span "", and is false.
    """

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
    def query(self) -> str:
        """Return `?t=324-341`, or "" without sentences."""
        return f"?t={self.span}" if self else ""

    @property
    def clock(self) -> str:
        return format_time(self.start)

    @property
    def words(self) -> str:
        return " ".join(sentence.words for sentence in self.sentences)

    @property
    def speakers_and_words(self) -> list[tuple[str, str]]:
        turns = []
        for speaker, sentences in groupby(self.sentences, key=lambda sentence: sentence.speaker):
            words = " ".join(sentence.words for sentence in sentences)
            turns.append((speaker, words))
        return turns


def find_whole_sentence_quote_or_empty(speech: Speech, time_range: TimeRange) -> Quote:
    """Return the whole sentences that are said in a time range.

    Return an empty quote if the range has no end, no times are known, or the sentences last longer
    than `MAX_MOMENT_SECONDS`.
    """
    sentences = _sentences_of_paragraphs_in_range(speech, time_range)
    if not sentences:
        return Quote()
    # From 326 to 330 with sentences from 319 to 324, 324 to 329, and 329 to 341: from 324 to 341.
    # The quote starts with the last sentence that begins before the range, or with it.
    earlier_starts = [
        sentence.start for sentence in sentences if sentence.start <= time_range.start
    ]
    start = max(earlier_starts, default=sentences[0].start)
    # It ends with the first sentence that ends after the range, or with it.
    later_ends = [sentence.end for sentence in sentences if sentence.end >= time_range.end]
    end = min(later_ends, default=sentences[-1].end)
    # The range may begin in a pause, or after the last sentence.
    is_said_at_start = start <= time_range.start < end
    is_too_long = end - start > MAX_MOMENT_SECONDS
    if not is_said_at_start or is_too_long:
        return Quote()
    # The address has whole seconds, and several short sentences may begin, or end, in one second.
    quoted = [sentence for sentence in sentences if start <= sentence.start and sentence.end <= end]
    return Quote(start, end, quoted)


def _sentences_of_paragraphs_in_range(
    speech: Speech, time_range: TimeRange
) -> list[SpokenSentence]:
    if not time_range.end:
        return []
    sentences = []
    for paragraph_number in speech.paragraph_numbers(time_range.start, time_range.end):
        _, speaker, _ = speech.cues[paragraph_number - 1]  # paragraphs are numbered from 1
        # The offsets of each sentence in the text of the transcript.
        for start_offset, end_offset in speech.sentence_spans(paragraph_number):
            # Addresses have whole seconds.
            start_second, end_second = speech.whole_second_range(start_offset, end_offset)
            sentence = SpokenSentence(
                start=start_second,
                end=end_second,
                paragraph=paragraph_number,
                speaker=speaker,
                words=speech.text[start_offset:end_offset],
            )
            sentences.append(sentence)
    return sentences
