"""Speech: the words of a transcript, and the second at which each of them is said."""

from bisect import bisect, bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import inf
from operator import itemgetter
from typing import Any

PER_SECOND = 14  # characters that are said in a second, where nothing says when the last ones end
SLOWEST = 5  # characters a second of speech in any script; the rest of the time is music or silence


class Speech:
    """Paragraphs of a transcript as one text, each place of which is said at some second.

    `cues` are [start in seconds or None, speaker, words]; `times` are [place in the text, second]
    of what begins within them. Between two known times people are taken to speak at one speed;
    `length` is that of the audio in seconds. `known` are places with their seconds, which never
    go back, from before the first to behind the last.
    """

    def __init__(
        self,
        cues: Sequence[Sequence[Any]],
        times: Iterable[Sequence[float]] = (),
        length: float | None = None,
    ) -> None:
        self.cues, self.text = cues, "\n".join(words for _, _, words in cues)
        # Those of the paragraphs, and of one after the last.
        self.places = [*accumulate((len(words) + 1 for _, _, words in cues), initial=0)]
        starts = zip(self.places, map(itemgetter(0), cues), strict=False)
        known: list[tuple[int, float]] = [
            (place, start) for place, start in starts if start is not None
        ]
        known += [(int(place), second) for place, second in times]
        place, start = max(known, default=(0, 0.0))
        end = length or start + (len(self.text) - place) / PER_SECOND
        known = [(-1, 0.0), *sorted(known), (len(self.text) + 1, max(start, end))]
        # Starts can go back, where people interrupt each other; what is said does not.
        seconds = accumulate((second for _, second in known), max)
        self.known = [(place, second) for (place, _), second in zip(known, seconds, strict=True)]

    def second(self, place: int) -> int | None:
        """The whole second at which something is said; None before the first known time."""
        return int(self._second(place)) if bisect(self.known, (place, inf)) > 1 else None

    def span(self, first: int, end: int) -> tuple[float, float]:
        """The seconds at which a stretch of the text begins and ends."""
        return self._second(first), self._second(end)

    def paragraph(self, place: int) -> int:
        """The number of the paragraph of a place, from 1."""
        return bisect(self.places, place)

    def paragraphs(self, start: float, end: float) -> range:
        """The numbers of the paragraphs that are said from one second to another, and of those at
        their edges; none where no times are known."""
        seconds = [second for _, second in self.known]
        first, _ = self.known[max(1, bisect_left(seconds, start) - 1)]
        last, _ = self.known[min(bisect(seconds, end), len(seconds) - 1)]
        return range(self.paragraph(first), min(self.paragraph(last), len(self.cues)) + 1)

    def _second(self, place: int) -> float:
        number = bisect(self.known, (place, inf))
        (start, first), (end, last) = self.known[number - 1 : number + 1]
        return first + (place - start) * min((last - first) / (end - start), 1 / SLOWEST)
