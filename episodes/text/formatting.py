"""Lengths, days, counts and positions in words."""

import re
from calendar import month_name
from collections.abc import Mapping
from datetime import UTC, datetime
from unicodedata import bidirectional

from .timecodes import LONGEST

HOUR = 3_600  # seconds
# From so much on a length is said in hours, from so much in tens of them.
FEW_HOURS, MANY_HOURS = 10 * HOUR, 100 * HOUR
_POSITION = re.compile(r"(?=\d)(?:(?:(\d{1,2})[h:])?(\d{1,3})[m:])?(?:(\d{1,9})s?)?", re.ASCII)


def minutes(seconds: int | None) -> str:
    """`14 min`, `2 h 41 min`, to the nearest minute; "" where unknown."""
    return hours(seconds) if seconds else ""


def length(seconds: int | None, exact: bool) -> str:
    """`14 min 5 s` where seconds are known, `14 min` where only minutes are; "" where nothing
    is."""
    if not seconds or not exact or seconds % 60 == 0:
        return minutes(seconds)
    return f"{seconds // 60} min {seconds % 60} s".removeprefix("0 min ")


def hours(seconds: int) -> str:
    """`2 h 41 min`, `41 min`."""
    whole, rest = divmod(max(1, round(seconds / 60)), 60)
    return f"{whole} h {rest} min".removeprefix("0 h ").removesuffix(" 0 min")


def together(extent: Mapping[str, int]) -> str:
    """The length of the episodes together: `2 h 41 min`, `13 hours`, `2,140 hours`; where some
    lengths are unknown `at least 2 h 41 min`, `13+ hours`, and "" where all are."""
    seconds, whole = extent["seconds"], extent["timed"] == extent["episodes"]
    if not extent["timed"]:
        return ""
    if seconds < FEW_HOURS:
        return hours(seconds) if whole else f"at least {hours(seconds)}"
    unit = HOUR if seconds < MANY_HOURS else 10 * HOUR
    known = round(seconds / unit) if whole else seconds // unit
    return f"{known * unit // HOUR:,}{'' if whole else '+'} hours"


def day(moment: datetime | None) -> str:
    """`21 June 2021`; "" where unknown."""
    if moment is None:
        return ""
    at = moment.astimezone(UTC)
    return f"{at.day} {at:%B %Y}"


def xml_trouble(counts: Mapping[str, int]) -> str:
    """Words about an import whose XML was repaired; "" for any other."""
    if "broken" not in counts:
        return ""
    return f"its XML is not well-formed; items that could be read only in part: {counts['broken']}"


def episodes(count: int) -> str:
    return counted(count, "episode", "episodes")


def counted(count: int, one: str, many: str) -> str:
    return f"No {many}" if count == 0 else f"1 {one}" if count == 1 else f"{count:,} {many}"


def isolated(words: str) -> str:
    """Foreign words inside a text without markup: letters that run from right to left move nothing
    beside them."""
    is_mixed = any(bidirectional(letter) in ("R", "AL") for letter in words)
    return f"\u2068{words}\u2069" if is_mixed else words


def lengths(least: str, most: str) -> str:
    """`15 to 20 min`, `up to 15 min`, `20 min or longer`; "" for any."""
    if least and most:
        return f"{least} to {most} min"
    return f"up to {most} min" if most else f"{least} min or longer" if least else ""


def clock(seconds: float) -> str:
    """A position in the audio: `12:34`, `1:02:03`."""
    hours, rest = divmod(max(0, int(seconds)), 3600)
    minutes_, last = divmod(rest, 60)
    return f"{hours}:{minutes_:02}:{last:02}" if hours else f"{minutes_}:{last:02}"


def position(text: str) -> int | None:
    """The seconds that `754`, `12:34`, `1:02:03` or `12m34s` mean; None for what is no position."""
    found = _POSITION.fullmatch(text.strip()[:20])
    if found is None:
        return None
    hours, minutes_, last = map(int, found.groups("0"))
    return min(hours * 3600 + minutes_ * 60 + last, LONGEST)


def month(text: str) -> str:
    """`2021-03` → `March 2021`; a year, or "" for none, as it is."""
    year, _, number = text.partition("-")
    return f"{month_name[int(number)]} {year}" if number else year
