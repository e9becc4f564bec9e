"""What a query says of episodes beside words: a number, a year or month, a length."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..text.formatting import lengths
from ..text.numbering import BOTH, numbers_in

MONTHS = {
    name.lower(): number for names in (calendar.month_name, calendar.month_abbr) for number, name in enumerate(names)
}
MONTHS.pop("")
ONE_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
LESS = "under|below|less than|at most|no more than|up to|shorter than"
MORE = "over|above|more than|at least|no less than|longer than"
NUMBER = re.compile(r"(?:(?:episode|ep\.?|number|no\.)\s*)?#?\s*(?P<number>\d{1,5})", re.IGNORECASE)
DATE = re.compile(
    rf"(?<!\S)(?:(?P<name>{ONE_MONTH})[.,]?\s+)?(?P<year>(?:19|20)\d\d)(?:-(?P<month>0[1-9]|1[0-2]))?(?!\S)",
    re.IGNORECASE,
)
LENGTH = re.compile(
    rf"(?<!\S)(?:(?P<less>{LESS})|{MORE})\s+(?P<minutes>\d{{1,3}})[\s-]?(?:m|min|mins|minutes?)\.?(?!\S)", re.IGNORECASE
)


@dataclass(frozen=True)
class Fact:
    """What must be so of an episode, in words and as lookups of its fields; `only` where no text says the same."""

    words: str
    lookups: tuple[tuple[str, int], ...]
    only: bool = False


def facts(typed: str) -> list[tuple[int, int, Fact]]:
    """The facts that a query asks for, each with its place in it. A number is one where the query says nothing else."""
    if whole := _number(typed):
        return [(0, len(typed), whole)]
    return sorted([*_dates(typed), *_lengths(typed)], key=lambda place: place[0])


def _number(typed: str) -> Fact | None:
    if both := BOTH.fullmatch(typed):
        season, number = numbers_in(both)
        return Fact(f"season {season}, episode {number}", (("season", season), ("number", number)))
    found = NUMBER.fullmatch(typed)
    if found is None or DATE.fullmatch(typed):
        return None
    return Fact(f"episode {int(found['number'])}", (("number", int(found["number"])),))


def _dates(typed: str) -> Iterator[tuple[int, int, Fact]]:
    for found in DATE.finditer(typed):
        year, name = int(found["year"]), found["name"]
        month = int(found["month"]) if found["month"] else MONTHS[name.lower()] if name else 0
        lookups = (("published_at__year", year), *([("published_at__month", month)] if month else []))
        when = f"{calendar.month_name[month]} {year}" if month else str(year)
        yield (*found.span(), Fact(f"published in {when}", lookups))


def _lengths(typed: str) -> Iterator[tuple[int, int, Fact]]:
    for found in LENGTH.finditer(typed):
        minutes = found["minutes"]
        end, words = ("lte", lengths("", minutes)) if found["less"] else ("gte", lengths(minutes, ""))
        yield (*found.span(), Fact(words, ((f"duration_seconds__{end}", int(minutes) * 60),), only=True))
