"""Facts that a query asks for beside words: a number, a year or month, a length."""

import calendar
import re
from dataclasses import dataclass

from ..text.numbering import BOTH, numbers_in

MONTHS = [name.lower() for name in calendar.month_abbr]
ONE_MONTH = "|".join([*calendar.month_name[1:], "Sept", *calendar.month_abbr[1:]])
# How a length, and a year, is compared, by the words before it.
LIMITS = {
    **dict.fromkeys(("under", "below", "less than", "shorter than"), "lt"),
    **dict.fromkeys(("at most", "no more than", "up to"), "lte"),
    **dict.fromkeys(("over", "above", "more than", "longer than"), "gt"),
    **dict.fromkeys(("at least", "no less than"), "gte"),
}
LIMIT = "|".join([*LIMITS, "about", "around", "roughly"]).replace(" ", r"\ ")
SIDES = {"before": "lt", "until": "lte", "since": "gte", "after": "gt"}
# "2021", "before 2021", "March 2021", "2021-03"; "under 15 minutes", "10-15 min", "1 hour"
FACT = re.compile(
    rf"""(?<!\S)(?:
        (?:(?P<side>{"|".join(SIDES)})\s+(?=\d{{4}}(?!\S))|(?P<name>{ONE_MONTH})[.,]?\s+)?
            (?P<year>(?:19|20)\d\d)(?:-(?P<month>0[1-9]|1[0-2]))?
        |(?:(?P<limit>{LIMIT})\s+
            |(?P<least>\d{{1,3}})\s*(?:-|–|\s+to\s+)\s*)?
        (?P<most>\d{{1,3}})[\s-]?(?:m(?:in|ins|inutes?)?|(?P<hours>h(?:r|rs|ours?)?))\.?
    )(?!\S)""",
    re.IGNORECASE | re.VERBOSE,
)
NUMBER = re.compile(r"(?:episode|ep\.?|number|no\.)?\s*#?\s*(\d{1,5})", re.IGNORECASE)


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
    if both := BOTH.fullmatch(typed):
        season, number = numbers_in(both)
        words = f"season {season}, episode {number}"
        return [(0, len(typed), Fact(words, (("season", season), ("number", number))))]
    found = [
        (*one.span(), _length(one) if one["most"] else _date(one)) for one in FACT.finditer(typed)
    ]
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


def _length(found: re.Match[str]) -> Fact:
    """A number alone, or "about", takes what is a tenth longer or shorter, too."""
    unit = 3600 if found["hours"] else 60
    seconds, limit = int(found["most"]) * unit, " ".join((found["limit"] or "").lower().split())
    limits, words = {"gte": seconds * 9 // 10, "lte": seconds * 11 // 10}, limit or "about"
    if limit in LIMITS:
        limits = {LIMITS[limit]: seconds}
    if found["least"]:
        least = int(found["least"]) * unit
        limits, words = {"gte": least, "lte": seconds}, f"{least // 60} to"
    lookups = tuple((f"duration_seconds__{name}", value) for name, value in limits.items())
    # A text may say "15 minutes" too.
    return Fact(f"{words} {seconds // 60} min", lookups, only=bool(limit or found["least"]))
