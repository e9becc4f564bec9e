"""Finds the words by which the titles of a show count its episodes ("Ep. 9", "#170"), and where
they do; pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from ..fields import NUMBER, SEASON, TYPES
from ..records import NO_DATE, EntryData, SourceEntry
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


def title_counts(episodes: Sequence[Sequence[SourceEntry]]) -> dict[str, TitleCount]:
    """The counts of the show's own sources whose titles count; the entries of each episode come in
    the order of rank."""
    listed: dict[str, list[SourceEntry]] = defaultdict(list)
    for entries in episodes:
        first = {entry.source: entry for entry in reversed(entries) if entry.own}
        for source, entry in first.items():
            if entry.said.moment and entry.said.episode_type not in TYPES[1:]:
                listed[source].append(entry)
    found = {source: _count_of(entries) for source, entries in listed.items()}
    return {source: count for source, count in found.items() if count.leads}


def _count_of(entries: Sequence[SourceEntry]) -> TitleCount:
    """The count that at least half of a source's titles have."""
    by_lead: dict[str, dict[str, int]] = defaultdict(dict)
    for entry in entries:
        for lead, number in counts_in(entry.said.title):
            by_lead[lead].setdefault(entry.key, number)
    leads = [lead for lead, numbers in by_lead.items() if _is_habit(entries, numbers)]
    count = TitleCount(sorted(leads))
    titled = {e.key: n for e in entries if (n := count.number_in(e.said)) is not None}
    if 2 * len(titled) < len(entries):
        return UNCOUNTED
    declared = {e.key: n for e in entries if (n := NUMBER.value_in(e.said)) is not None}
    right = _going_up(entries, titled | declared) | declared.keys()
    return count._replace(others=sorted(titled.keys() - right))


def _is_habit(entries: Sequence[SourceEntry], numbers: Mapping[str, int]) -> bool:
    """True for numbers, by entry, that count: they go up with the dates, are not parts of these,
    and are those that the entries declare."""
    own = [entry for entry in entries if entry.key in numbers]
    stated = [(NUMBER.value_in(entry.said), numbers[entry.key]) for entry in own]
    wrong = [pair for pair in stated if pair[0] not in (None, pair[1])]
    rising = _going_up(own, numbers)
    dates = [entry for entry in own if _is_of_the_date(entry.said, numbers[entry.key])]
    return (
        len(rising) >= FEWEST
        and len(own) - len(rising) <= 1 + OTHERS * len(own)
        and len(wrong) <= 1 + OTHERS * len(own)
        and 2 * len(dates) < len(own)
    )


def _is_of_the_date(said: EntryData, number: int) -> bool:
    """True for a year of about an entry's date, and the day of the month or the one beside it."""
    at = said.moment.at if said.moment else NO_DATE
    return abs(number - at.year) <= YEARS or abs(number - at.day) <= 1


def _going_up(entries: Sequence[SourceEntry], numbers: Mapping[str, int]) -> set[str]:
    """The keys of the most entries whose numbers, season by season, go up with the dates, each no
    faster than the episodes between it and its neighbour do."""
    dated = sorted(
        (
            entry.said.moment.at,
            SEASON.value_in(entry.said) or 0,
            numbers.get(entry.key, 0),
            entry.key,
        )
        for entry in entries
        if entry.said.moment
    )
    counted = [(place, *row[1:]) for place, row in enumerate(dated) if row[3] in numbers]
    rising = [counted[place] for place in _longest_rise([row[1:3] for row in counted])]
    near: set[str] = set()
    for (place, season, number, key), (later, other_season, other, other_key) in pairwise(rising):
        if season == other_season and other - number <= later - place + APART:
            near |= {key, other_key}
    return near


def _longest_rise(values: Sequence[tuple[int, int]]) -> list[int]:
    """The places of the longest subsequence that goes up, by patience sorting."""
    lowest: list[tuple[int, int]] = []  # the last values of the longest rises of each length
    places: list[int] = []  # of these
    before: list[int] = []
    for place, value in enumerate(values):
        length = bisect_left(lowest, value)
        lowest[length : length + 1], places[length : length + 1] = [value], [place]
        before.append(places[length - 1] if length else -1)
    rise = places[-1:]
    while rise and before[rise[-1]] >= 0:
        rise.append(before[rise[-1]])
    return rise[::-1]
