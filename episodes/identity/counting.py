"""Finds the words by which the titles of a show count its episodes ("Ep. 9", "#170"), and where
they do; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from ..fields import NUMBER, SEASON, TYPES
from ..records import EntryData, SourceEntry
from ..text.numbering import counts_in
from .match_keys import MatchKeys
from .merging import RankedEntry

FEWEST = 5  # titles that show a habit
OTHERS = (
    0.1  # share of its numbers, beyond one, that break the rise or that declared ones contradict
)
YEARS = 10  # before or after the date of an episode that titles name a year
APART = 5  # numbers more than episodes between two that follow each other: others are missing


class TitleCount(NamedTuple):
    """The words and signs before the numbers by which a source's titles count its episodes, and the
    keys of the entries whose title has another number there."""

    leads: Sequence[str] = ()
    others: Sequence[str] = ()

    def number_in(self, said: EntryData) -> int | None:
        """The number that the title gives the entry; None for trailers and the like."""
        if said.moment is None or said.episode_type in TYPES[1:]:
            return None
        found = (number for lead, number in counts_in(said.title) if lead in self.leads)
        return next(found, None)


UNCOUNTED = TitleCount()
Counts = Mapping[str, TitleCount]  # by source


def follows(number: int, last: int) -> bool:
    """True for a number that a title can give the next episode behind this one."""
    return last < number <= last + 1 + APART


def counted(entry: SourceEntry, facts: MatchKeys, counts: Counts) -> RankedEntry:
    """The entry for merging, with the number that its title gives it where it declares none."""
    count = counts.get(entry.source, UNCOUNTED)
    number = None if entry.key in count.others else count.number_in(entry.said)
    if number is not None and NUMBER.value_in(entry.said) is None:
        entry = replace(entry, said=replace(entry.said, number=number))
    return RankedEntry(entry, facts, number)


class Listed(NamedTuple):
    """An entry that its title may count: when and in which season it came, its key, and what it
    says."""

    at: datetime
    season: int
    key: str
    said: EntryData


def title_counts(episodes: Sequence[Sequence[SourceEntry]]) -> dict[str, TitleCount]:
    """The counts of the show's own sources whose titles count; the entries of each episode come in
    the order of rank."""
    listed: dict[str, list[Listed]] = defaultdict(list)
    for entries in episodes:
        first = {entry.source: entry for entry in reversed(entries) if entry.own}
        for source, entry in first.items():
            said = entry.said
            if said.moment and said.episode_type not in TYPES[1:]:
                season = SEASON.value_in(said) or 0
                listed[source].append(Listed(said.moment.at, season, entry.key, said))
    found = {source: _count_of(entries) for source, entries in listed.items()}
    return {source: count for source, count in found.items() if count.leads}


def _count_of(entries: Sequence[Listed]) -> TitleCount:
    """The count that at least half of a source's titles have."""
    by_lead: dict[str, dict[str, int]] = defaultdict(dict)
    for entry in entries:
        for lead, number in counts_in(entry.said.title):
            by_lead[lead].setdefault(entry.key, number)
    declared = {e.key: n for e in entries if (n := NUMBER.value_in(e.said)) is not None}
    leads = [lead for lead, numbers in by_lead.items() if _is_habit(entries, numbers, declared)]
    count = TitleCount(sorted(leads))
    titled = {e.key: n for e in entries if (n := count.number_in(e.said)) is not None}
    if 2 * len(titled) < len(entries):
        return UNCOUNTED
    right = _going_up(entries, titled | declared) | declared.keys()
    return count._replace(others=sorted(titled.keys() - right))


def _is_habit(
    entries: Sequence[Listed], numbers: Mapping[str, int], declared: Mapping[str, int]
) -> bool:
    """True for numbers, by entry, that count: they go up with the dates, are not parts of these,
    and are those that the entries declare."""
    wrong = [key for key, number in numbers.items() if declared.get(key, number) != number]
    rising = _going_up(entries, numbers)
    of_dates = [_is_of_the_date(e.at, numbers[e.key]) for e in entries if e.key in numbers]
    most_wrong = 1 + OTHERS * len(numbers)
    return (
        len(rising) >= FEWEST
        and max(len(numbers) - len(rising), len(wrong)) <= most_wrong
        and 2 * sum(of_dates) < len(numbers)
    )


def _is_of_the_date(at: datetime, number: int) -> bool:
    """True for a year of about a date, and the day of the month or the one beside it."""
    return abs(number - at.year) <= YEARS or abs(number - at.day) <= 1


def _going_up(entries: Sequence[Listed], numbers: Mapping[str, int]) -> set[str]:
    """The keys of the most entries whose numbers, season by season, go up with the dates, each no
    faster than the episodes between it and its neighbour do."""
    dated = sorted(entries, key=lambda e: (e.at, e.season, numbers.get(e.key, 0), e.key))
    counted = [
        (place, e.season, numbers[e.key], e.key)
        for place, e in enumerate(dated)
        if e.key in numbers
    ]
    rising = [counted[place] for place in _longest_rise([row[1:3] for row in counted])]
    near: set[str] = set()
    for (place, season, number, key), (later, other_season, other, other_key) in pairwise(rising):
        if season == other_season and other - number <= later - place + APART:
            near |= {key, other_key}
    return near


def _longest_rise(values: Sequence[tuple[int, int]]) -> list[int]:
    """The places of the longest subsequence that goes up: the one that the values have in common
    with all of them in order."""
    common = LCSseq.editops(values, sorted(set(values))).as_matching_blocks()
    return [place for block in common for place in range(block.a, block.a + block.size)]
