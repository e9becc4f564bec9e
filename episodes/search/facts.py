"""What a query says of episodes beside words: a number, a year or month, a length."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass

from ..text.formatting import lengths
from ..text.numbering import BOTH, numbers_in

MONTHS = {
    name.lower(): number for names in (calendar.month_name, calendar.month_abbr) for number, name in enumerate(names)
}
MONTHS.pop("")
MONTHS["sept"] = 9
ONE_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
LESS = r"under|below|less\ than|at\ most|no\ more\ than|up\ to|shorter\ than"
MORE = r"over|above|more\ than|at\ least|no\ less\ than|longer\ than"
# "March 2021", "2021", "2021-03"; "under 15 minutes", "at least 20 min"
FACT = re.compile(
    rf"""(?<!\S)(?:
        (?:(?P<name>{ONE_MONTH})[.,]?\s+)?(?P<year>(?:19|20)\d\d)(?:-(?P<month>0[1-9]|1[0-2]))?
        |(?:(?P<less>{LESS})|{MORE})
        \s+(?P<minutes>\d{{1,3}})[\s-]?m(?:in|ins|inutes?)?\.?
    )(?!\S)""",
    re.IGNORECASE | re.VERBOSE,
)
BEFORE_NUMBER = ("", "episode", "ep", "ep.", "number", "no.")
LONGEST_NUMBER = 5


@dataclass(frozen=True)
class Fact:
    """What must be so of an episode, in words and as lookups of its fields; `only` where no text says the same."""

    words: str
    lookups: tuple[tuple[str, int], ...]
    only: bool = False


def facts(typed: str) -> list[tuple[int, int, Fact]]:
    """The facts that a query asks for, each with its place in it. A number is one where the query says nothing else."""
    found = [(*found.span(), _date(found) if found["year"] else _length(found)) for found in FACT.finditer(typed)]
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
    year, month = int(found["year"]), int(found["month"] or MONTHS.get((found["name"] or "").lower(), 0))
    if not month:
        return Fact(f"published in {year}", (("published_at__year", year),))
    return Fact(
        f"published in {calendar.month_name[month]} {year}",
        (("published_at__year", year), ("published_at__month", month)),
    )


def _length(found: re.Match[str]) -> Fact:
    minutes = found["minutes"]
    limit, words = ("lte", lengths("", minutes)) if found["less"] else ("gte", lengths(minutes, ""))
    return Fact(words, ((f"duration_seconds__{limit}", int(minutes) * 60),), only=True)
