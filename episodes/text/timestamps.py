"""Finds where lines of notes begin or end with a position in the audio, "12:34" or "1:02:03"."""

from __future__ import annotations

import re

from .addresses import without_addresses
from .timecodes import IN_TEXT, OF_THE_DAY, seconds_of

AROUND = 60  # characters before and after a time that are looked at

_TIME = re.compile(
    rf"(?<![\w:.,/\\+=$€£#&?%<>]){IN_TEXT}(?:[.,][0-9]{{3}}(?=[\s)\]]|\Z))?(?!(?![A-Z])\w|[/%\\+=@]|[:.,]\w)"
)
_OPENS = re.compile(r"\W*(?:\d{1,3}[.)]\s+)?\W*")
_CLOSES = re.compile(r"[\s)\]]*\Z")
_TITLE = re.compile(r".*[^\W\d_].*[\s.…:|(\[–—-]")
_DURATION = re.compile(
    r"\s*(?:(?:min(?:ute)?s?|h(?:ou)?rs?)\b\.?\s*(?:long|total)?|long|total|in length)\s*(?:[)\]]|\Z)",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"\s*(?:-|–|—|to|and|until|till)\s*{IN_TEXT}(?![\w:])")
Position = tuple[int, int, int]


def timestamps(text: str, length: int | None) -> tuple[Position, ...]:
    """The positions in the audio that plain notes name: offsets (`text[first:last]`), and seconds.

    `length` is that of the episode, in seconds, where known: nothing at or beyond it is a position.
    A time counts at the beginning of a line, and at the end of lines that go forward; never in
    addresses, and never as a time of day.
    """
    opening: list[Position] = []
    closing: list[Position] = []
    masked = without_addresses(text)
    for found in _TIME.finditer(masked):
        first, last = found.span()
        line = masked.rfind("\n", 0, first) + 1
        before = masked[max(line, first - AROUND) : first]
        after = masked[last : last + AROUND].partition("\n")[0]
        seconds, until = seconds_of(found), _RANGE.match(after)
        # A length, or a time of day, perhaps behind "to 14:00".
        is_else = _DURATION.match(after) or OF_THE_DAY.match(after, until.end() if until else 0)
        if is_else or (length is not None and seconds >= length):
            continue
        if first - line <= AROUND and _OPENS.fullmatch(before):
            opening.append((first, last, seconds))
        elif _CLOSES.match(after) and _TITLE.fullmatch(before):
            closing.append((first, last, seconds))
    times = [position[2] for position in closing]
    is_list = len(times) > 1 and times == sorted(set(times))  # two or more that go forward
    return tuple(sorted(opening + closing * is_list))
