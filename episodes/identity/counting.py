"""Finds the words by which the titles of a show count its episodes ("Ep. 9", "#170"), and where
they do; pure."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import NamedTuple

from ..fields import NUMBER, SEASON, TYPES
from ..records import RankedEntry, SourceEntry
from ..text.numbering import counts_in
from .match_keys import MatchKeys

FEWEST = 5  # titles that show a habit
# The share of its numbers, beyond one, that may break the rise or be contradicted by declared ones.
OTHERS = 0.1
YEARS = 10  # before or after the date of an episode that titles name a year
APART = 5  # numbers more than episodes between two that follow each other: others are missing
# The last number in the name of an audio file, and what stands before it there.
FILE = re.compile(
    r"[^?#]*(?P<lead>/(?:[^/?#]*?[^/?#\d])??)(?P<number>\d{1,4})(?!\d)[^/?#\d]*?(?:\.\w{2,4})?(?:[?#].*)?"
)

Number = tuple[int | None, int]  # with its season, where it has one


class TitleCount(NamedTuple):
    """What leads the numbers by which a source's titles count its episodes, and its audio files as
    they do, and the keys of the entries whose title has a number that does not count them."""

    leads: Sequence[str] = ()
    others: Sequence[str] = ()

    def number_in(self, entry: SourceEntry) -> Number | None:
        """The number that the title gives an entry with a date, else its audio file; None for
        trailers and the like."""
        found = _numbers_in(entry) if _is_counted(entry) and entry.key not in self.others else ()
        return next(((season, n) for lead, season, n in found if lead in self.leads), None)


Counts = Mapping[str, TitleCount]  # by source
UNCOUNTED = TitleCount([], [])


def uncounted_in(group: Sequence[SourceEntry], counts: Counts) -> set[int]:
    """The numbers in the titles of an episode that do not count it: pages repeat them."""
    titles = (e.said.title for e in group if e.key in counts.get(e.source, UNCOUNTED).others)
    return {number for title in titles for _, _, number in counts_in(title)}


def counted(
    entry: SourceEntry, facts: MatchKeys, counts: Counts, uncounted: Collection[int] = ()
) -> RankedEntry:
    """The entry for merging, with the number that its title gives it where it declares none, and
    without one that another's title has and is not counted by."""
    # Read once here, as every later step would read the markup anew.
    said = replace(entry.said, text=facts.text)
    if said.number in uncounted and not entry.own:
        said = replace(said, number=None)
    found = counts.get(entry.source, UNCOUNTED).number_in(entry)
    if found and NUMBER.value_in(said) is None:
        season, number = found
        said = replace(said, number=number, season=said.season if season is None else season)
    return RankedEntry(replace(entry, said=said), facts.title)


def title_counts(episodes: Sequence[Sequence[SourceEntry]]) -> dict[str, TitleCount]:
    """By source of the show's own how its titles count; the entries of each episode come in the
    order of rank."""
    listed: dict[str, list[SourceEntry]] = defaultdict(list)
    for entries in episodes:
        own = {e.source: e for e in reversed(entries) if e.own and _is_counted(e)}
        for source, entry in own.items():
            listed[source].append(entry)
    return {source: _count_of(entries) for source, entries in listed.items()}


def _is_counted(entry: SourceEntry) -> bool:
    return bool(entry.said.published) and entry.said.episode_type not in TYPES[1:]


def _numbers_in(entry: SourceEntry) -> Iterator[tuple[str, int | None, int]]:
    """The numbers that may count an entry, each with what leads it: those in its title, and behind
    them that of its audio file, with a slash."""
    yield from counts_in(entry.said.title)
    if file := FILE.fullmatch(entry.said.audio_url):
        yield file["lead"].casefold(), None, int(file["number"])


def _count_of(entries: Sequence[SourceEntry]) -> TitleCount:
    """The count that at least half of a source's entries have."""
    by_lead: dict[str, dict[str, Number]] = defaultdict(dict)
    for entry in entries:
        for lead, season, number in _numbers_in(entry):
            by_lead[lead].setdefault(entry.key, (season, number))
    declared = {
        e.key: (SEASON.value_in(e.said), one)
        for e in entries
        if (one := NUMBER.value_in(e.said)) is not None
    }
    leads, known = list[str](), declared
    # Files count where they agree with the rest: many are numbered as they come, trailers and all.
    for lead in sorted(by_lead, key=lambda one: one.startswith("/")):
        numbers, fewest = by_lead[lead], FEWEST * lead.startswith("/")
        if len(numbers) >= FEWEST and _is_habit(entries, numbers, known, fewest):
            leads.append(lead)
            known = numbers | known
    count = TitleCount(sorted(leads))
    titled = {e.key: n for e in entries if (n := count.number_in(e)) is not None}
    # Fewer than half count a series within the show, or anything else.
    if 2 * len(titled) < len(entries):
        count, titled = UNCOUNTED, {}
    # What is declared is believed even where it breaks the rise: a person typed it.
    right = _going_up(entries, titled | declared) | declared.keys()
    rare = [own for lead, own in by_lead.items() if lead[:1] != "/" and 2 * len(own) < len(entries)]
    return count._replace(others=sorted(set(chain(titled, *rare)) - right))


def _is_habit(
    entries: Sequence[SourceEntry],
    numbers: Mapping[str, Number],
    known: Mapping[str, Number],
    fewest: int,
) -> bool:
    """True for numbers, by entry, that count: they go up with the dates, are not parts of these,
    and are the known ones of at least so many entries and of hardly any another."""
    own = [entry for entry in entries if entry.key in numbers]
    equal = [known[key][1] == one for key, (_, one) in numbers.items() if key in known]
    dates = [e for e in own if _is_of_the_date(e.said.published, numbers[e.key])]
    rising, others = _going_up(own, numbers), 1 + OTHERS * len(own)
    return (
        len(rising) >= FEWEST
        and sum(equal) >= fewest
        and max(len(own) - len(rising), equal.count(False)) <= others
        and 2 * len(dates) < len(own)
    )


def _is_of_the_date(published: str, number: Number) -> bool:
    """True for a year of about a date, and the day of the month or the one beside it: of "24.12"
    the season."""
    season, one = number
    first = one if season is None else season
    return abs(first - int(published[:4])) <= YEARS or abs(first - int(published[8:10])) <= 1


def _going_up(entries: Sequence[SourceEntry], numbers: Mapping[str, Number]) -> set[str]:
    """The keys of the most entries whose numbers, season by season, go up with the dates, each no
    faster than the episodes between it and its neighbour do."""
    dated = sorted(
        (entry.said.published, season or SEASON.value_in(entry.said) or 0, number, entry.key)
        for entry in entries
        for season, number in [numbers.get(entry.key, (None, 0))]
    )
    counted = [(place, *row[1:]) for place, row in enumerate(dated) if row[3] in numbers]
    rising = [counted[place] for place in _longest_rise([row[1:3] for row in counted])]
    near: set[str] = set()
    # Numbers that go up faster than episodes come are years, prices, records.
    for (place, season, number, key), (later, other_season, other, other_key) in pairwise(rising):
        if season == other_season and other - number <= later - place + APART:
            near |= {key, other_key}
    return near


def _longest_rise(values: Sequence[tuple[int, int]]) -> list[int]:
    """The places of the longest subsequence that goes up (patience sorting)."""
    ends: list[tuple[int, int]] = []  # the lowest value at which a rise of each length can end
    places: list[int] = []  # of these values
    before: list[int] = []  # by place, that of the value below it in its rise; -1 for none
    for place, value in enumerate(values):
        length = bisect_left(ends, value)
        before.append(places[length - 1] if length else -1)
        # Of equal values the first: an extra comes behind its episode.
        if value not in ends[length : length + 1]:
            ends[length : length + 1] = [value]
            places[length : length + 1] = [place]
    rise = places[-1:]
    while rise and before[rise[-1]] >= 0:
        rise.append(before[rise[-1]])
    return rise[::-1]
