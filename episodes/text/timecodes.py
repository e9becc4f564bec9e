"""Reads positions in an audio file as files and people write them: `1:02:03`, `62.5`,
`00:00:01,500`."""

import re

from .addresses import without_addresses

LONGEST = 7 * 86_400  # seconds: beyond it is a mistake

# A position in a text, which has minutes and seconds of two digits where a clock has them.
IN_TEXT = (
    r"(?:(?P<hours>[0-9]{1,2}):(?=[0-5][0-9]:))?(?P<minutes>[0-9]{1,3}):(?P<seconds>[0-5][0-9])"
)

# What follows a time of day. "Am" and "At" in a title are words.
OF_THE_DAY = re.compile(
    r"\s?(?:(?:am|pm|AM|PM|[ap]\.\s?m|[AP]\.\s?M|o['’]clock|Uhr)\b|\+[01][0-9](?::?[0-5][0-9])?\b)|Z\b"
    r"|\s?\(?(?:UTC|GMT|AK[SD]T|[ECMPHNA][SD]T|BST|IST|JST|KST|HKT|SGT|MSK|[CEW]ES?T|A[ECW][SD]T|NZ[SD]T)\b"
)

_WRITTEN = re.compile(r"(?:(?:([0-9]{1,4}):)?([0-9]{1,4}):)?([0-9]{1,9}(?:[.,][0-9]{0,9})?)")


def position(value: object) -> float | None:
    """The seconds that a number or a text means; None for what is no time from 0 up to a week, NaN
    among it."""
    if isinstance(value, str):
        found = _WRITTEN.fullmatch(value.strip())
        if found is None:
            return None
        hours, minutes, seconds = found.groups("0")
        value = int(hours) * 3600 + int(minutes) * 60 + float(seconds.replace(",", "."))
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LONGEST:
        return None
    return round(float(value), 3) + 0.0  # which makes 0.0 of -0.0


def seconds_of(found: re.Match[str]) -> int:
    """The seconds of a match of `IN_TEXT`."""
    return (
        int(found.groupdict("0")["hours"]) * 3600
        + int(found["minutes"]) * 60
        + int(found["seconds"])
    )


# --- Positions in notes --------------------------------------------------------------------------

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
