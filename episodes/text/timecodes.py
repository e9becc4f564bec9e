"""Reads positions in an audio file as files and people write them: `1:02:03`, `62.5`,
`00:00:01,500`."""

from __future__ import annotations

import re

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
        found = _WRITTEN.fullmatch(value[:100].strip())
        if found is None:
            return None
        hours, minutes, seconds = found.groups("0")
        value = int(hours) * 3600 + int(minutes) * 60 + float(seconds.replace(",", "."))
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LONGEST:
        return None
    return round(float(value), 3) + 0.0  # which makes 0.0 of -0.0


def seconds_of(found: re.Match[str]) -> int:
    """The seconds of a match of `IN_TEXT`."""
    return int(found["hours"] or 0) * 3600 + int(found["minutes"]) * 60 + int(found["seconds"])
