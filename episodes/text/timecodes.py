"""Positions in an audio file as files and people write them: `1:02:03`, `62.5`, `00:00:01,500`."""

import re

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

_WRITTEN = re.compile(r"(?:(?:([0-9]{1,4}):)?([0-9]{1,4}):)?([0-9]{1,9}(?:[.,][0-9]{0,9})?)")


def parse_seconds(value: object) -> float | None:
    """Return the seconds that a number or a text means, or None if they are not from 0 up to a week."""
    if isinstance(value, str):
        match = _WRITTEN.fullmatch(value.strip())
        if match is None:
            return None
        hours, minutes, seconds = match.groups("0")
        value = int(hours) * 3600 + int(minutes) * 60 + float(seconds.replace(",", "."))
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value < MAX_SECONDS
    ):
        return None
    return round(float(value), 3) + 0.0  # 0.0 for -0.0


def timecode_seconds(match: re.Match[str]) -> int:
    """Return the seconds of a match of `TIMECODE_PATTERN`."""
    return int(match["hours"] or 0) * 3600 + int(match["minutes"]) * 60 + int(match["seconds"])


# --- Positions in notes --------------------------------------------------------------------------

_TIME_IN_NOTES = re.compile(
    rf"(?<![\w:.,/\\+=$€£#&?%<>]){TIMECODE_PATTERN}(?:[.,][0-9]{{3}}(?=[\s)\]]|\Z))?(?!(?![A-Z])\w|[/%\\+=@]|[:.,]\w)"
)
_OPENS = re.compile(r"\W*(?:\d{1,3}[.)]\s+)?\W*")
_CLOSES = re.compile(r"[\s)\]]*\Z")
_TITLE_BEFORE = re.compile(r".*[^\W\d_].*[\s.…:|(\[–—-]")
_DURATION = re.compile(
    r"\s*(?:(?:min(?:ute)?s?|h(?:ou)?rs?)\b\.?\s*(?:long|total)?|long|total|in length)\s*(?:[)\]]|\Z)",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"\s*(?:-|–|—|to|and|until|till)\s*{TIMECODE_PATTERN}(?![\w:])")
Position = tuple[int, int, int]  # start and end in the text, and the second


def find_timecodes(text: str, length: int | None) -> tuple[Position, ...]:
    """Return the positions in the audio that plain notes name, with their offsets in the notes.

    `length` is the length of the episode in seconds, if known. Later times are not positions. A time counts
    at the beginning of a line, and at the ends of lines if they ascend. Addresses and times of day do
    not count.
    """
    at_starts: list[Position] = []
    at_ends: list[Position] = []
    masked = blank_addresses(text)
    for match in _TIME_IN_NOTES.finditer(masked):
        first, last = match.span()
        line_start = masked.rfind("\n", 0, first) + 1
        # 60 characters are enough: only bullets and numbers may stand before a time.
        before = masked[max(line_start, first - 60) : first]
        after = masked[last : last + 60].partition("\n")[0]
        seconds = timecode_seconds(match)
        is_too_late = length is not None and seconds >= length
        if is_too_late or _is_length_or_time_of_day(after):
            continue
        if first - line_start <= 60 and _OPENS.fullmatch(before):
            at_starts.append((first, last, seconds))
        elif _CLOSES.match(after) and _TITLE_BEFORE.fullmatch(before):
            at_ends.append((first, last, seconds))
    times = [seconds for _, _, seconds in at_ends]
    if len(times) > 1 and times == sorted(set(times)):
        return tuple(sorted(at_starts + at_ends))
    return tuple(at_starts)


def _is_length_or_time_of_day(after: str) -> bool:
    """Return whether the text behind a time makes it a length, or a time of day, perhaps behind
    "to 14:00"."""
    if _DURATION.match(after):
        return True
    until = _RANGE.match(after)
    return OF_THE_DAY.match(after, until.end() if until else 0) is not None
