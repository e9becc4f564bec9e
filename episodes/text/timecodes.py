"""Positions in an audio file as files and people write them: `1:02:03`, `62.5`, `00:00:01,500`."""

import re
from typing import NamedTuple

from .addresses import blank_addresses

MAX_SECONDS = 7 * 86_400  # a longer time is a mistake

# A position in a text, with minutes and seconds of two digits as on a clock.
TIMECODE_PATTERN = (
    r"(?:(?P<hours>[0-9]{1,2}):(?=[0-5][0-9]:))?(?P<minutes>[0-9]{1,3}):(?P<seconds>[0-5][0-9])"
)

# Text behind a time of day. "Am" and "At" in a title are words.
OF_THE_DAY = re.compile(
    r"\s?(?:(?:am|pm|AM|PM|[ap]\.\s?m|[AP]\.\s?M|o['’]clock|Uhr)\b|\+[01][0-9](?::?[0-5][0-9])?\b)|Z\b"
    r"|\s?\(?(?:UTC|GMT|AK[SD]T|[ECMPHNA][SD]T|BST|IST|JST|KST|HKT|SGT|MSK|[CEW]ES?T|A[ECW][SD]T|NZ[SD]T)\b"
)


def parse_seconds(value: object) -> float | None:
    """Return the seconds that a number or a text means, or None if they are not from 0 up to a week."""
    if isinstance(value, str):
        # "1:02:03", "62:03.5", "62,5"
        match = re.fullmatch(
            r"(?:(?:(?P<hours>[0-9]{1,4}):)?(?P<minutes>[0-9]{1,4}):)?"
            r"(?P<seconds>[0-9]{1,9}(?:[.,][0-9]{0,9})?)",
            value.strip(),
        )
        if match is None:
            return None
        parts = match.groupdict("0")
        seconds = float(parts["seconds"].replace(",", "."))
        value = int(parts["hours"]) * 3600 + int(parts["minutes"]) * 60 + seconds
    # JSON's true is an int of Python.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 <= value < MAX_SECONDS:
        return None
    return round(float(value), 3) + 0.0  # -0.0 becomes 0.0


def timecode_seconds(match: re.Match[str]) -> int:
    parts = match.groupdict("0")
    return int(parts["hours"]) * 3600 + int(parts["minutes"]) * 60 + int(parts["seconds"])


# --- Positions in notes --------------------------------------------------------------------------

_TIME_IN_NOTES = re.compile(
    rf"(?<![\w:.,/\\+=$€£#&?%<>]){TIMECODE_PATTERN}(?:[.,][0-9]{{3}}(?=[\s)\]]|\Z))?(?!(?![A-Z])\w|[/%\\+=@]|[:.,]\w)"
)
_TITLE_BEFORE = re.compile(r".*[^\W\d_].*[\s.…:|(\[–—-]")
_RANGE = re.compile(rf"\A\s*(?:-|–|—|to|and|until|till)\s*{TIMECODE_PATTERN}(?![\w:])")


class Timecode(NamedTuple):
    """A position in the audio that a text names at text[start:end]."""

    start: int
    end: int
    second: int


def find_timecodes_at_line_edges(text: str, length: int | None) -> tuple[Timecode, ...]:
    """Return the positions in the audio that plain notes name, with their offsets in the notes.

    `length` is the length of the episode in seconds, if known. Later times are not positions. A time counts
    at the beginning of a line, and at the ends of lines if they ascend. Addresses and times of day do
    not count.
    """
    at_starts: list[Timecode] = []  # of lines
    at_ends: list[Timecode] = []
    without_addresses = blank_addresses(text)
    for match in _TIME_IN_NOTES.finditer(without_addresses):
        start, end = match.span()
        line_start = without_addresses.rfind("\n", 0, start) + 1
        # 60 characters of the line on either side are enough for bullets, numbers and a few words.
        before = without_addresses[max(line_start, start - 60) : start]
        after, _, _ = without_addresses[end : end + 60].partition("\n")
        timecode = Timecode(start, end, timecode_seconds(match))
        is_too_late = length is not None and timecode.second >= length
        if is_too_late or _is_time_of_day(after):
            continue
        # "• 1. (1:02) Springs"
        has_only_bullet_before = re.fullmatch(r"\W*(?:\d{1,3}[.)]\s+)?\W*", before)
        # "Springs … (1:02)"
        has_title_before = _TITLE_BEFORE.fullmatch(before)
        ends_line = re.match(r"[\s)\]]*\Z", after)
        is_near_line_start = start - line_start <= 60  # so that `before` has all of it
        if has_only_bullet_before and is_near_line_start:
            at_starts.append(timecode)
        elif has_title_before and ends_line:
            at_ends.append(timecode)
    # Times at the ends of lines may be lengths of songs, which do not ascend.
    end_seconds = [timecode.second for timecode in at_ends]
    do_ascend = end_seconds == sorted(set(end_seconds))
    if len(end_seconds) > 1 and do_ascend:
        return tuple(sorted(at_starts + at_ends))
    return tuple(at_starts)


def _is_time_of_day(after: str) -> bool:
    """Return whether the text behind a time makes it a time of day: " Uhr", " to 14:00 UTC"."""
    behind_range = _RANGE.sub("", after)
    return OF_THE_DAY.match(behind_range) is not None
