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


def parse_seconds(number_or_text: object) -> float | None:
    """Return the seconds that a number or a text means, or None if they are not from 0 up to a week."""
    seconds = (
        _seconds_of_text_or_none(number_or_text)
        if isinstance(number_or_text, str)
        else number_or_text
    )
    # JSON's true is an int of Python.
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    if not 0 <= seconds < MAX_SECONDS:
        return None
    return round(float(seconds), 3)


def _seconds_of_text_or_none(text: str) -> float | None:
    # "1:02:03", "62:03.5", "62,5"
    match = re.fullmatch(
        r"(?:(?:(?P<hours>[0-9]{1,4}):)?(?P<minutes>[0-9]{1,4}):)?"
        r"(?P<seconds>[0-9]{1,9}(?:[.,][0-9]{0,9})?)",
        text.strip(),
    )
    if match is None:
        return None
    parts = match.groupdict("0")
    seconds = float(parts["seconds"].replace(",", "."))
    return int(parts["hours"]) * 3600 + int(parts["minutes"]) * 60 + seconds


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
    at_line_starts: list[Timecode] = []
    at_line_ends: list[Timecode] = []
    without_addresses = blank_addresses(text)
    for match in _TIME_IN_NOTES.finditer(without_addresses):
        timecode = Timecode(match.start(), match.end(), timecode_seconds(match))
        is_too_late = length is not None and timecode.second >= length
        if is_too_late or _is_time_of_day(_line_behind(without_addresses, timecode)):
            continue
        if _begins_line(without_addresses, timecode):
            at_line_starts.append(timecode)
        elif _ends_line_with_title(without_addresses, timecode):
            at_line_ends.append(timecode)
    # Times at the ends of lines may be lengths of songs, which do not ascend. A single time shows neither.
    end_seconds = [timecode.second for timecode in at_line_ends]
    do_ascend = end_seconds == sorted(set(end_seconds))
    if len(end_seconds) > 1 and do_ascend:
        return tuple(sorted(at_line_starts + at_line_ends))
    return tuple(at_line_starts)


def _begins_line(text: str, timecode: Timecode) -> bool:
    """Return whether only a bullet or a number is before a time in its line: "• 1. (1:02) Springs"."""
    line_start = text.rfind("\n", 0, timecode.start) + 1
    # 60 characters are enough for bullets and numbers.
    is_near_line_start = timecode.start - line_start <= 60
    bullet = r"\W*(?:\d{1,3}[.)]\s+)?\W*"
    return is_near_line_start and bool(re.fullmatch(bullet, text[line_start : timecode.start]))


def _ends_line_with_title(text: str, timecode: Timecode) -> bool:
    """Return whether a time ends a line with words: "Springs … (1:02)"."""
    # 60 characters before it are enough for a few words.
    _, _, before = text[max(0, timecode.start - 60) : timecode.start].rpartition("\n")
    ends_line = re.fullmatch(r"[\s)\]]*", _line_behind(text, timecode))
    return bool(ends_line and _TITLE_BEFORE.fullmatch(before))


def _line_behind(text: str, timecode: Timecode) -> str:
    # 60 characters are enough to see a time of day, or that the line ends.
    behind, _, _ = text[timecode.end : timecode.end + 60].partition("\n")
    return behind


def _is_time_of_day(after: str) -> bool:
    """Return whether the text behind a time makes it a time of day: " Uhr", " to 14:00 UTC"."""
    behind_range = _RANGE.sub("", after)
    return OF_THE_DAY.match(behind_range) is not None
