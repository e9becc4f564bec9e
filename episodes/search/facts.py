"""Facts in a query: the number of an episode, a year or month, a length."""

import calendar
import re
from dataclasses import dataclass
from typing import NamedTuple

from ..text.numbering import SEASON_AND_NUMBER, season_and_number_of_match


@dataclass(frozen=True)
class Fact:
    """A property that an episode must have, in words and as lookups of its fields."""

    words: str
    lookups: tuple[tuple[str, int], ...]
    is_exclusive: bool = False  # no text says the same, so texts are not searched


class FoundFact(NamedTuple):
    """A fact, and its position in the query."""

    start: int
    end: int
    fact: Fact


def parse_facts_of_query(typed_query: str) -> list[FoundFact]:
    """Return the facts in a query with their positions. A number alone is the number of an episode."""
    both = SEASON_AND_NUMBER.fullmatch(typed_query)
    if both:
        season, number = season_and_number_of_match(both)
        words = f"season {season}, episode {number}"
        fact = Fact(words, (("season", season), ("number", number)))
        return [FoundFact(0, len(typed_query), fact)]
    facts = []
    for match in _DATE_OR_LENGTH.finditer(typed_query):
        fact = _filter_of_typed_length(match) if match["number"] else _filter_of_typed_date(match)
        facts.append(FoundFact(*match.span(), fact))
    episode_number = _EPISODE_NUMBER.fullmatch(typed_query)
    if episode_number and not facts:
        number = int(episode_number[1])
        facts.append(
            FoundFact(0, len(typed_query), Fact(f"episode {number}", (("number", number),)))
        )
    return facts


_EPISODE_NUMBER = re.compile(
    r"(?:episode|ep\.?|number|no\.)?\s{0,9}#?\s{0,9}(\d{1,5})", re.IGNORECASE
)
# The lookup for a date by the word before it, and for a length.
_DATE_LOOKUPS = {"before": "lt", "until": "lte", "since": "gte", "after": "gt"}
_LENGTH_LOOKUPS = {
    **dict.fromkeys(("under", "below", "less than", "shorter than"), "lt"),
    **dict.fromkeys(("at most", "no more than", "up to"), "lte"),
    **dict.fromkeys(("over", "above", "more than", "longer than"), "gt"),
    **dict.fromkeys(("at least", "no less than"), "gte"),
}
_LIMIT_WORDS = "|".join([*_LENGTH_LOOKUPS, "about", "around", "roughly"]).replace(" ", r"\ ")
_MONTH_NAMES = "|".join([*calendar.month_name[1:], "Sept", *calendar.month_abbr[1:]])
# "2021", "before 2021", "March 2021", "2021-03"; "under 15 minutes", "10-15 min", "1 hour"
_DATE_OR_LENGTH = re.compile(
    rf"""(?<!\S)(?:
        (?:(?P<side>{"|".join(_DATE_LOOKUPS)})\s{{1,9}}(?=\d{{4}}(?!\S))
            |(?P<name>{_MONTH_NAMES})[.,]?\s{{1,9}})?
            (?P<year>(?:19|20)\d\d)(?:-(?P<month>0[1-9]|1[0-2]))?
        |(?:(?P<limit>{_LIMIT_WORDS})\s{{1,9}}
            |(?P<range_start>\d{{1,3}})\s{{0,9}}(?:-|–|\s{{1,9}}to\s{{1,9}})\s{{0,9}})?
        (?P<number>\d{{1,3}})[\s-]?(?:m(?:in|ins|inutes?)?|(?P<hours>h(?:r|rs|ours?)?))\.?
    )(?!\S)""",
    re.IGNORECASE | re.VERBOSE,
)


def _filter_of_typed_date(date_match: re.Match[str]) -> Fact:
    """Return the fact of a year or month: `before 2021`, `2021-03`, `March 2021` or `2021`."""
    year = int(date_match["year"])
    if date_match["side"]:
        side = date_match["side"].lower()
        lookup = f"published_at__year__{_DATE_LOOKUPS[side]}"
        return Fact(f"published {side} {year}", ((lookup, year),))
    in_year = ("published_at__year", year)
    if date_match["month"]:
        month = int(date_match["month"])
    elif date_match["name"]:
        abbreviations = [name.lower() for name in calendar.month_abbr]
        # The first abbreviation is "", so the index is the number of the month.
        month = abbreviations.index(date_match["name"][:3].lower())
    else:
        return Fact(f"published in {year}", (in_year,))
    words = f"published in {calendar.month_name[month]} {year}"
    return Fact(words, (in_year, ("published_at__month", month)))


def _filter_of_typed_length(match: re.Match[str]) -> Fact:
    """Return the fact of a length in minutes or hours. Without a limit it includes lengths a tenth away."""
    unit = 3600 if match["hours"] else 60
    seconds = int(match["number"]) * unit
    limit = " ".join((match["limit"] or "").lower().split())
    if match["range_start"]:
        range_start = int(match["range_start"]) * unit
        bounds = {"gte": range_start, "lte": seconds}
        words = f"{range_start // 60} to"
    elif limit in _LENGTH_LOOKUPS:
        bounds = {_LENGTH_LOOKUPS[limit]: seconds}
        words = limit
    else:
        bounds = {"gte": seconds * 9 // 10, "lte": seconds * 11 // 10}
        words = limit or "about"
    lookups = tuple((f"duration_seconds__{name}", bound) for name, bound in bounds.items())
    # A text may say "15 minutes" too, but not "10 to 15 minutes".
    is_exclusive = bool(limit or match["range_start"])
    return Fact(f"{words} {seconds // 60} min", lookups, is_exclusive)
