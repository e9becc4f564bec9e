"""Facts that a query asks for beside words: a number, a year or month."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass

from ..text.numbering import BOTH, numbers_in

MONTHS = [name.lower() for name in calendar.month_abbr]
ONE_MONTH = "|".join([*calendar.month_name[1:], "Sept", *calendar.month_abbr[1:]])
SIDES = {"before": "lt", "until": "lte", "since": "gte", "after": "gt"}
# "2021", "before 2021", "March 2021", "2021-03"
FACT = re.compile(
    rf"""(?<!\S)(?:(?P<side>{"|".join(SIDES)})\s+(?=\d{{4}}(?!\S))|(?P<name>{ONE_MONTH})[.,]?\s+)?
        (?P<year>(?:19|20)\d\d)(?:-(?P<month>0[1-9]|1[0-2]))?(?!\S)""",
    re.IGNORECASE | re.VERBOSE,
)
NUMBER = re.compile(r"(?:episode|ep\.?|number|no\.)?\s*#?\s*(\d{1,5})", re.IGNORECASE)


@dataclass(frozen=True)
class Fact:
    """A property that an episode must have, in words and as lookups of its fields."""

    words: str
    lookups: tuple[tuple[str, int], ...]


def facts(typed: str) -> list[tuple[int, int, Fact]]:
    """The facts that a query asks for, each with its place in it. A number is one where the query
    says nothing else."""
    if both := BOTH.fullmatch(typed):
        season, number = numbers_in(both)
        words = f"season {season}, episode {number}"
        return [(0, len(typed), Fact(words, (("season", season), ("number", number))))]
    found = [(*one.span(), _date(one)) for one in FACT.finditer(typed)]
    alone = NUMBER.fullmatch(typed)
    if found or not alone:
        return found
    number = int(alone[1])
    return [(0, len(typed), Fact(f"episode {number}", (("number", number),)))]


def _date(found: re.Match[str]) -> Fact:
    year, side, name = int(found["year"]), (found["side"] or "").lower(), found["name"] or ""
    if side:
        return Fact(f"published {side} {year}", ((f"published_at__year__{SIDES[side]}", year),))
    month = int(found["month"] or MONTHS.index(name[:3].lower()))
    in_month = (("published_at__month", month),) * bool(month)
    words = f"published in {calendar.month_name[month]} {year}".replace("  ", " ")
    return Fact(words, (("published_at__year", year), *in_month))
