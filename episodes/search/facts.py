"""Facts in a query: the number of an episode, a year, month or day, a length."""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from ..dates import find_time_mentions
from ..text.formatting import format_day
from ..text.numbering import SEASON_AND_NUMBER, WORDS, season_and_number_of_match
from ..text.vocabulary import pattern_of_words


@dataclass(frozen=True)
class Fact:
    """A property that an episode must have, in words and as lookups of its fields."""

    words: str
    lookups: tuple[tuple[str, int | datetime], ...]
    is_limit: bool = False  # of a length, such as "under 15 min". No text is searched for its words


class FactMatch(NamedTuple):
    """A fact, and its position in the query."""

    start: int
    end: int
    fact: Fact


def parse_facts_of_query(typed_query: str) -> list[FactMatch]:
    """Return the facts in a query with their positions: "2021" at 5 to 9 of "vmap 2021". A number alone is the
    number of an episode."""
    number_fact = number_fact_or_none(typed_query)
    if number_fact:
        return [FactMatch(0, len(typed_query), number_fact)]
    days = list(_iterate_facts_of_days(typed_query))
    facts = days.copy()
    for match in _DATE_OR_LENGTH.finditer(typed_query):
        is_part_of_day = any(day.start < match.end() and match.start() < day.end for day in days)
        if not is_part_of_day:  # "June 2021" of "21 June 2021"
            fact = _fact_of_typed_length(match) if match["number"] else _fact_of_typed_date(match)
            facts.append(FactMatch(*match.span(), fact))
    return sorted(facts, key=lambda fact_match: fact_match.start)


def number_fact_or_none(text: str) -> Fact | None:
    """Return the fact of a text that is nothing but the number of an episode, such as "#52" or "s2e5"."""
    season_and_number = SEASON_AND_NUMBER.fullmatch(text)
    if season_and_number:
        season, number = season_and_number_of_match(season_and_number)
        words = f"season {season}, episode {number}"
        return Fact(words, (("season", season), ("number", number)))
    episode_number = _EPISODE_NUMBER.fullmatch(text)
    # "2021" is a year, in "episode 2021", too.
    if not episode_number or _DATE_OR_LENGTH.search(text):
        return None
    number = int(episode_number["number"])
    return Fact(f"episode {number}", (("number", number),))


# "#52", "no. 52", "Folge 52", "第52回". "E3" is a fair.
_NUMBER_WORDS = pattern_of_words(f"number no {WORDS['episode']}".replace(" e ", " "))
_EPISODE_NUMBER = re.compile(
    rf"(?:(?:{_NUMBER_WORDS})\.?)?\s{{0,9}}#?\s{{0,9}}(?P<number>\d{{1,5}})[回話话集期회화]?",
    re.IGNORECASE,
)
_DATE_SIDES = ("before", "until", "since", "after")
# The lookup for a length by the words before it.
_LENGTH_LOOKUPS = {
    **dict.fromkeys(("under", "below", "less than", "shorter than"), "lt"),
    **dict.fromkeys(("at most", "no more than", "up to"), "lte"),
    **dict.fromkeys(("over", "above", "more than", "longer than"), "gt"),
    **dict.fromkeys(("at least", "no less than"), "gte"),
}
_LIMIT_WORDS = "|".join([*_LENGTH_LOOKUPS, "about", "around", "roughly"]).replace(" ", r"\ ")
_MONTH_NAMES = "|".join([*calendar.month_name[1:], "Sept", *calendar.month_abbr[1:]])
_MINUTES = "m(?:in|ins|inutes?)?"
# "2021", "before 2021", "March 2021", "2021-03"; "under 15 minutes", "10-15 min", "1 hour", "1 h 20 min"
_DATE_OR_LENGTH = re.compile(
    rf"""(?<!\S)(?:
        (?:(?P<side>{"|".join(_DATE_SIDES)})\s{{1,9}})?
            (?:(?P<name>{_MONTH_NAMES})[.,]?\s{{1,9}})?
            (?P<year>(?:19|20)\d\d)(?:-(?P<month>0[1-9]|1[0-2]))?
        |(?:(?P<limit>{_LIMIT_WORDS})\s{{1,9}}
            |(?P<range_start>\d{{1,3}})\s{{0,9}}(?:-|–|\s{{1,9}}to\s{{1,9}})\s{{0,9}})?
        (?P<number>\d{{1,3}})[\s-]?(?:{_MINUTES}|(?P<hours>h(?:r|rs|ours?)?)
            (?:\.?,?\s{{0,9}}(?:and\s{{1,9}})?(?P<minutes>\d{{1,2}})[\s-]?{_MINUTES})?)\.?
    )(?!\S)""",
    re.IGNORECASE | re.VERBOSE,
)


def _iterate_facts_of_days(typed_query: str) -> Iterator[FactMatch]:
    """Yield the facts of exact days: `2021-06-21`, `June 21, 2021`, `since 21 June 2021`."""
    for mention in find_time_mentions(typed_query):
        # A numeric date such as 3/4/2021 has no moment, because it may mean two days.
        if mention.moment is None:
            continue
        text_before = typed_query[: mention.start]
        text_behind = typed_query[mention.end :]
        # The day in "v2021-06-21b" is part of a word.
        neighbouring_characters = text_before[-1:] + text_behind[:1]
        is_within_word = neighbouring_characters.strip() != ""
        if is_within_word:
            continue
        start = mention.start
        side = "on"
        word_before = text_before.rstrip().rpartition(" ")[2]
        if word_before.lower() in _DATE_SIDES:
            start = text_before.rindex(word_before)
            side = word_before.lower()
        day = mention.moment.at.replace(hour=0, minute=0, second=0)
        name = format_day(day)
        fact = _fact_of_period(side, name, day, day + timedelta(days=1))
        yield FactMatch(start, mention.end, fact)


def _fact_of_typed_date(match: re.Match[str]) -> Fact:
    """Return the fact of a year or month: `before 2021`, `2021-03`, `since March 2021` or `2021`."""
    side = (match["side"] or "").lower()
    year = int(match["year"])
    month = int(match["month"] or 0)  # "2021-03"
    if match["name"]:  # "March 2021"
        abbreviations = [name.lower() for name in calendar.month_abbr]
        # The first abbreviation is "", so the index is the number of the month.
        month = abbreviations.index(match["name"][:3].lower())
    first_month, last_month = (month, month) if month else (1, 12)
    _, last_day = calendar.monthrange(year, last_month)
    start = datetime(year, first_month, 1, tzinfo=UTC)
    end = datetime(year, last_month, last_day, tzinfo=UTC) + timedelta(days=1)
    name = f"{calendar.month_name[month]} {year}" if month else str(year)
    return _fact_of_period(side or "in", name, start, end)


def _fact_of_period(side: str, name: str, start: datetime, end: datetime) -> Fact:
    """Return the fact of an episode before, until, since, after or in a period. `end` is the start of the
    next period: in "until 2021" it is the beginning of 2022."""
    since_start = ("published_at__gte", start)
    before_end = ("published_at__lt", end)
    lookup_by_side = {
        "before": ("published_at__lt", start),
        "until": before_end,
        "since": since_start,
        "after": ("published_at__gte", end),
    }
    words = f"published {side} {name}"
    if side in lookup_by_side:
        return Fact(words, (lookup_by_side[side],))
    return Fact(words, (since_start, before_end))  # "in June 2021", "on 21 June 2021"


def _fact_of_typed_length(match: re.Match[str]) -> Fact:
    """Return the fact of a length in minutes or hours: `under 15 min` is `duration_seconds__lt` 900. A length
    alone, or behind "around", includes lengths a tenth away."""
    seconds_per_unit = 3600 if match["hours"] else 60
    seconds = int(match["number"]) * seconds_per_unit + int(match["minutes"] or 0) * 60
    words_before = " ".join((match["limit"] or "").lower().split())  # "less than", "around" or ""
    if match["range_start"]:  # "10-15 min"
        least_seconds = int(match["range_start"]) * seconds_per_unit
        bounds = {"gte": least_seconds, "lte": seconds}
        words = f"{least_seconds // 60} to"
    elif words_before in _LENGTH_LOOKUPS:  # "under 15 min"
        bounds = {_LENGTH_LOOKUPS[words_before]: seconds}
        words = words_before
    else:  # "around 15 min", "15 min"
        bounds = {"gte": seconds * 9 // 10, "lte": seconds * 11 // 10}
        words = words_before or "about"
    lookups = tuple((f"duration_seconds__{name}", bound) for name, bound in bounds.items())
    # A text may have the words "15 min", so a length alone is also searched in texts. "around 15 min" and
    # "10-15 min" are limits.
    is_limit = bool(words_before or match["range_start"])
    return Fact(f"{words} {seconds // 60} min", lookups, is_limit)
