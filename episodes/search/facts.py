"""Facts that a query asks for beside words: a number, a year or month, a length."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass

from ..text.formatting import lengths
from ..text.numbering import BOTH, numbers_in

MONTHS = {
    name.lower(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
}
MONTHS.pop("")
MONTHS["sept"] = 9
ONE_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
# The comparison of a length, by the words before it; a number alone, or "about", takes what is a
# tenth longer or shorter, too.
LIMITS = {
    "lt": r"under|below|less\ than|shorter\ than",
    "lte": r"at\ most|no\ more\ than|up\ to",
    "gt": r"over|above|more\ than|longer\ than",
    "gte": r"at\ least|no\ less\ than",
    "about": r"about|around|roughly",
}
LIMIT = "|".join(f"(?P<{name}>{words})" for name, words in LIMITS.items())
SIDES = {"before": "lt", "until": "lte", "since": "gte", "after": "gt"}
# "2021", "before 2021", "March 2021", "2021-03", "2021-03-10", "10.03.2021"; "under 15 minutes", "at
# least 20 min", "10-15 min", "about 20 minutes", "1 hour"
FACT = re.compile(
    rf"""(?<!\S)(?:
        (?:(?P<side>{"|".join(SIDES)})\s+(?=\d{{4}}(?!\S))|(?P<name>{ONE_MONTH})[.,]?\s+)?
            (?P<year>(?:19|20)\d\d)(?:-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>[0-3]\d))?)?
        |(?P<first>[0-3]?\d)\.(?P<second>0?[1-9]|1[0-2])\.(?P<last>(?:19|20)\d\d)
        |(?:(?:{LIMIT})\s+|(?P<least>\d{{1,3}})\s*(?:-|–|\s+to\s+)\s*)?
        (?P<minutes>\d{{1,3}})[\s-]?(?:m(?:in|ins|inutes?)?|(?P<hours>h(?:r|rs|ours?)?))\.?
    )(?!\S)""",
    re.IGNORECASE | re.VERBOSE,
)
BEFORE_NUMBER = ("", "episode", "ep", "ep.", "number", "no.")
LONGEST_NUMBER = 5


@dataclass(frozen=True)
class Fact:
    """A property that an episode must have, in words and as lookups of its fields; `only` where no text
    says the same."""

    words: str
    lookups: tuple[tuple[str, int], ...]
    only: bool = False


def facts(typed: str) -> list[tuple[int, int, Fact]]:
    """The facts that a query asks for, each with its place in it. A number is one where the query
    says nothing else."""
    found = [
        (*found.span(), _length(found) if found["minutes"] else _date(found))
        for found in FACT.finditer(typed)
    ]
    number = None if found else _number(typed)
    return [(0, len(typed), number)] if number else found


def _number(typed: str) -> Fact | None:
    if both := BOTH.fullmatch(typed):
        season, number = numbers_in(both)
        return Fact(f"season {season}, episode {number}", (("season", season), ("number", number)))
    before, _, last = f" {typed.lower()}".replace("#", " ").rpartition(" ")
    if before.strip() not in BEFORE_NUMBER or not last.isdecimal() or len(last) > LONGEST_NUMBER:
        return None
    return Fact(f"episode {int(last)}", (("number", int(last)),))


def _date(found: re.Match[str]) -> Fact:
    said = found.groupdict("")
    year, side = int(said["year"] + said["last"]), said["side"].lower()
    if side:
        return Fact(f"published {side} {year}", ((f"published_at__year__{SIDES[side]}", year),))
    month = int(said["month"] + said["second"] or MONTHS.get(said["name"].lower(), 0))
    day = int(f"0{said['day']}{said['first']}")
    named = {"year": year, "month": month, "day": day}
    lookups = tuple((f"published_at__{part}", value) for part, value in named.items() if value)
    name = f"{calendar.month_name[month]} {year}".strip()
    return Fact(f"published on {day} {name}" if day else f"published in {name}", lookups)


def _length(found: re.Match[str]) -> Fact:
    unit = 60 if found["hours"] else 1
    minutes, least = int(found["minutes"]) * unit, int(found.groupdict("0")["least"]) * unit
    if least:
        limits = _seconds(gte=least * 60, lte=minutes * 60)
        return Fact(lengths(str(least), str(minutes)), limits, only=True)
    limit = next((name for name in LIMITS if found[name]), "")
    if limit in ("", "about"):
        # A text may say "15 minutes" too.
        return Fact(
            f"about {minutes} min", _seconds(gte=minutes * 54, lte=minutes * 66), only=bool(limit)
        )
    words = {
        "lt": f"under {minutes} min",
        "gt": f"over {minutes} min",
        "lte": lengths("", str(minutes)),
    }
    return Fact(
        words.get(limit, lengths(str(minutes), "")), _seconds(**{limit: minutes * 60}), only=True
    )


def _seconds(**limits: int) -> tuple[tuple[str, int], ...]:
    return tuple((f"duration_seconds__{name}", seconds) for name, seconds in limits.items())
