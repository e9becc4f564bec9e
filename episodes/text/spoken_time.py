"""The words of a transcript, and the second of the audio of each."""

from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil, inf
from typing import Any, NamedTuple

from .sentences import sentence_spans

CHARACTERS_PER_SECOND = 14  # characters that people say in a second
MAX_SENTENCE_LENGTH = 300  # characters. A longer sentence lacks punctuation, and ends at pauses.


class KnownTime(NamedTuple):
    """A position in the text of a transcript, and its second in the audio."""

    position: int
    second: float


class Speech:
    """The paragraphs of a transcript as one text, with the second of each position in it.

    Between two known times people are taken to speak at one speed.
    """

    def __init__(
        self,
        cues: Sequence[Sequence[Any]],
        times: Iterable[Sequence[float]] = (),
        length: float | None = None,
    ) -> None:
        """`cues` are [start in seconds or None, speaker, words], `times` are [position in the text,
        second], and `length` is the length of the audio in seconds."""
        self.cues = cues
        self.text = "\n".join(words for _, _, words in cues)
        self.paragraph_starts = [0]  # and the end of the last paragraph
        # A stored time is a list of two floats.
        known_times = [KnownTime(int(position), second) for position, second in times]
        for start_second, _, words in cues:
            paragraph_start = self.paragraph_starts[-1]
            if start_second is not None:
                known_times.append(KnownTime(paragraph_start, start_second))
            self.paragraph_starts.append(paragraph_start + len(words) + len("\n"))
        # One time before the text and one behind it, so that each position is between two.
        before_text = KnownTime(-1, 0.0)
        end_second = self._audio_length_or_estimated_end(known_times, length)
        behind_text = KnownTime(len(self.text) + 1, end_second)
        self.known_times = _raise_falling_seconds([before_text, *sorted(known_times), behind_text])

    def _audio_length_or_estimated_end(
        self, known_times: Sequence[KnownTime], audio_length: float | None
    ) -> float:
        if audio_length:
            return audio_length
        # As if people spoke without a pause from the last known time on.
        last_time = max(known_times, default=KnownTime(0, 0.0))
        remaining_characters = len(self.text) - last_time.position
        return last_time.second + remaining_characters / CHARACTERS_PER_SECOND

    def second(self, position: int) -> int | None:
        """Return the whole second of a position, or None before the first known time."""
        # The time at index 0 stands before the text, and is not known.
        has_known_time_before = self._index_of_time_behind(position) > 1
        return int(self._interpolated_second(position)) if has_known_time_before else None

    def second_range(self, start: int, end: int) -> tuple[float, float]:
        return self._interpolated_second(start), self._interpolated_second(end)

    def paragraph_number(self, position: int) -> int:
        """Return the number of the paragraph at a position, from 1."""
        return bisect(self.paragraph_starts, position)

    def paragraph_numbers(self, start_second: float, end_second: float) -> range:
        """Return the numbers, from 1, of the paragraphs from one second to another, with the paragraphs
        at both edges, or an empty range without known times."""
        times = self.known_times[1:]  # without the time before the text
        if len(times) == 1:  # the time behind the text alone
            return range(0)
        seconds = [time.second for time in times]
        # The last known time before the start, or else the first known time.
        index_before = max(0, bisect_left(seconds, start_second) - 1)
        # The first known time behind the end, or the end of the text.
        index_behind = min(bisect(seconds, end_second), len(times) - 1)
        first_paragraph = self.paragraph_number(times[index_before].position)
        paragraph_behind = self.paragraph_number(times[index_behind].position)
        last_paragraph = min(paragraph_behind, len(self.cues))
        return range(first_paragraph, last_paragraph + 1)

    def sentence_spans(self, paragraph_number: int) -> list[tuple[int, int]]:
        """Return start and end of each sentence of a paragraph. No sentence goes on in the next one."""
        paragraph_start = self.paragraph_starts[paragraph_number - 1]
        _, _, words = self.cues[paragraph_number - 1]
        spans: list[tuple[int, int]] = []
        for start, end in sentence_spans(words):
            spans += self._split_long_sentence_at_pauses(
                paragraph_start + start, paragraph_start + end
            )
        return spans

    def span_of_whole_sentences(
        self, start: int, end: int, length_to_fill: int = 0
    ) -> tuple[int, int]:
        """Return start and end of the sentences that a part of the text is in.

        Add the next sentences of the last paragraph as long as all have at most `length_to_fill` characters.
        """
        first_paragraph = self.paragraph_number(start)
        last_paragraph = self.paragraph_number(end - 1)
        # Of the sentences that begin before the part the last, and of those that end behind it the first.
        # White space around a paragraph is in no sentence.
        starts = [first for first, _ in self.sentence_spans(first_paragraph) if first <= start]
        span_start = max(starts, default=start)
        ends = [last for _, last in self.sentence_spans(last_paragraph) if last >= end]
        span_end = min(ends, default=end)
        for sentence_end in ends:
            if sentence_end - span_start <= length_to_fill:
                span_end = sentence_end
        return span_start, span_end

    def whole_second_range(self, start: int, end: int) -> tuple[int, int]:
        """Return the first second of a part of the text, and the first second after it."""
        first, last = self.second_range(start, end)
        # Rounded outwards, so that no word is cut.
        return int(first), ceil(last)

    def _split_long_sentence_at_pauses(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        if end - start <= MAX_SENTENCE_LENGTH:
            yield start, end
            return
        min_pause = 2  # seconds
        part_start = start
        for before, behind in pairwise(self._known_times_before_and_in(start, end)):
            if _pause_seconds_between(before, behind) >= min_pause:
                part = self.text[part_start : behind.position].rstrip()
                yield part_start, part_start + len(part)
                part_start = behind.position
        yield part_start, end

    def _known_times_before_and_in(self, start: int, end: int) -> Sequence[KnownTime]:
        """Return the last time up to the start of a part of the text, and the times in this part."""
        index_of_last_before = self._index_of_time_behind(start) - 1
        index_behind_part = self._index_of_time_behind(end - 1)
        return self.known_times[index_of_last_before:index_behind_part]

    def _index_of_time_behind(self, position: int) -> int:
        return bisect(self.known_times, (position, inf))

    def _interpolated_second(self, position: int) -> float:
        index = self._index_of_time_behind(position)
        before = self.known_times[index - 1]
        behind = self.known_times[index]
        seconds_between = behind.second - before.second
        characters_between = behind.position - before.position
        known_seconds_per_character = seconds_between / characters_between
        # People say five characters a second or more, in any script. In a longer time there is music as
        # well, which comes behind the words.
        seconds_per_character = min(known_seconds_per_character, 1 / 5)
        return before.second + (position - before.position) * seconds_per_character


def _raise_falling_seconds(times: Iterable[KnownTime]) -> list[KnownTime]:
    # Starts of cues can go back if people interrupt each other.
    ascending = []
    latest_second = 0.0
    for position, second in times:
        latest_second = max(latest_second, second)
        ascending.append(KnownTime(position, latest_second))
    return ascending


def _pause_seconds_between(before: KnownTime, behind: KnownTime) -> float:
    # The rest of the time between them, in which nobody speaks.
    spoken_seconds = (behind.position - before.position) / CHARACTERS_PER_SECOND
    return behind.second - before.second - spoken_seconds
