"""Sentences of a text, and the words in it: where each begins and ends."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from .vocabulary import alternatives, load

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*[+#]*|&")

_BREAK = re.compile(r"[.!?…][\"”’')\]]{0,2}\s+|\n+")
_ENDS_IN_ABBREVIATION = re.compile(
    rf"(?:^|[\s(])(?:{alternatives(load(__file__, 'sentences')['abbreviations'])}|[^\W\d_])\.\Z",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """First and last place of each sentence or line that holds something, without the space behind
    it."""
    start = 0
    for found in _BREAK.finditer(text):
        if "\n" not in found[0] and _ENDS_IN_ABBREVIATION.search(
            text, max(0, start - 1, found.start() - 8), found.start() + 1
        ):
            continue
        end = found.start() + len(found[0].rstrip())
        if end > start:
            yield start, end
        start = found.end()
    if start < len(text):
        yield start, len(text)


class Sentences:
    """The sentences of a text, asked by a place in it."""

    def __init__(self, text: str) -> None:
        self.spans = list(sentences(text)) or [(0, len(text))]
        self.starts = [start for start, _ in self.spans]

    def around(self, place: int) -> tuple[int, int]:
        return self.spans[max(0, bisect_right(self.starts, place) - 1)]


LONGEST_EXCERPT = 240


def excerpt(text: str, span: tuple[int, int], first: int, last: int, mark: str = "") -> str:
    """A sentence that holds text[first:last]; of a long one what stands near it, cut between words,
    marked where cut."""
    start, end = span
    if end - start <= LONGEST_EXCERPT:
        return " ".join(text[start:end].split())
    high = min(end, max(last + 80, start + LONGEST_EXCERPT))
    low = max(start, high - LONGEST_EXCERPT)
    before, after = text[low:first], text[last:high]
    before = f"{mark} {before.partition(' ')[2]}" if low > start else before
    after = f"{after.rpartition(' ')[0]} {mark}" if high < end else after
    return " ".join(f"{before}{text[first:last]}{after}".split())
