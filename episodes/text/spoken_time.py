"""The words of a transcript, and the second of the audio of each."""

from bisect import bisect, bisect_left
from collections.abc import Iterable, Sequence
from math import inf
from typing import Any

CHARACTERS_PER_SECOND = 14  # characters that people say in a second
SLOWEST = 5  # characters a second of speech in any script. Other time is music or silence.


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
        self.places = [0]  # positions of the paragraphs, and the end of the last
        known_times: list[tuple[int, float]] = []
        for start_second, _, words in cues:
            if start_second is not None:
                known_times.append((self.places[-1], start_second))
            self.places.append(self.places[-1] + len(words) + 1)
        for position, second in times:
            known_times.append((int(position), second))
        last_position, last_second = max(known_times, default=(0, 0.0))
        end = length or last_second + (len(self.text) - last_position) / CHARACTERS_PER_SECOND
        last_time = (len(self.text) + 1, max(last_second, end))
        # Starts can go back if people interrupt each other. Here the seconds must ascend.
        self.known = [(-1, 0.0)]  # (position, second)
        for position, second in [*sorted(known_times), last_time]:
            self.known.append((position, max(self.known[-1][1], second)))

    def second(self, position: int) -> int | None:
        """Return the whole second of a position, or None before the first known time."""
        if bisect(self.known, (position, inf)) <= 1:
            return None
        return int(self._exact_second(position))

    def span(self, start: int, end: int) -> tuple[float, float]:
        """Return the first and last second of a part of the text."""
        return self._exact_second(start), self._exact_second(end)

    def paragraph(self, position: int) -> int:
        """Return the number of the paragraph at a position, from 1."""
        return bisect(self.places, position)

    def paragraphs(self, start: float, end: float) -> range:
        """Return the numbers of the paragraphs from one second to another, with the paragraphs at
        both edges, or an empty range without known times."""
        seconds = [second for _, second in self.known]
        first, _ = self.known[max(1, bisect_left(seconds, start) - 1)]
        last, _ = self.known[min(bisect(seconds, end), len(seconds) - 1)]
        return range(self.paragraph(first), min(self.paragraph(last), len(self.cues)) + 1)

    def _exact_second(self, position: int) -> float:
        """Return the second of a position, between the seconds known before and after it."""
        index = bisect(self.known, (position, inf))
        start, start_second = self.known[index - 1]
        end, end_second = self.known[index]
        speed = min((end_second - start_second) / (end - start), 1 / SLOWEST)
        return start_second + (position - start) * speed
