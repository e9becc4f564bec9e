"""Finds the entries that no title names: dates, lengths, numbers and single words of a list that are
those of one episode each."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from ...dates import Mark, month_of
from ...text.normalize import words
from ..rows import PageRows
from .episode_index import EpisodeIndex, KnownEpisode
from .page_rows import PageRow
from .records import LONGEST, Element
from .seeds import Record, joined
from .title_hits import Hit

FEWEST = 3  # entries of a list that show that it is the show's
NEEDED = 2  # signs that name an episode
RARE = 2  # titles of the show that may have a word which tells them
LETTERS = 4  # of such a word
BEGINNING = 60  # characters of a row in which a number may be the episode's

_MONTH = r"[^\W\d_]{3,12}"
_DAY = r"(?P<day>[0-3]?\d)"
# "17.11.", "9 stycznia", "Nov 17".
_NUMERIC = re.compile(rf"(?<![\d.,:/]){_DAY}\.\s?(?P<month>[01]?\d)\.(?!\d)")
_NAMED = (
    re.compile(rf"(?<![\d.,:/]){_DAY}(?:st|nd|rd|th|\.|º)?\s(?:de\s)?(?P<month>{_MONTH})"),
    re.compile(rf"(?P<month>{_MONTH})\.?\s{_DAY}(?![\d:.])"),
)

DayOfYear = tuple[int, int]  # month and day


@dataclass(slots=True)
class Said:
    """What a row, or the rows of an element, say that may be true of an episode."""

    days: set[date] = field(default_factory=set)
    days_of_year: set[DayOfYear] = field(default_factory=set)
    lengths: list[Mark] = field(default_factory=list)
    numbers: set[int] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def add(self, other: Said) -> None:
        self.days |= other.days
        self.days_of_year |= other.days_of_year
        self.lengths += other.lengths
        self.numbers |= other.numbers
        self.words |= other.words

    def signs(self, episode: KnownEpisode, own_words: set[str]) -> int:
        """How many of them are true of the episode; 0 without a date or a number."""
        of_year = {(day.month, day.day) for day in episode.days}
        has_number = not self.numbers.isdisjoint(episode.numbers)
        # A page may be in another time zone than the feed, which a number makes up for.
        days = episode.days | (_days_beside(episode.days) if has_number else set())
        has_day = not (self.days.isdisjoint(days) and self.days_of_year.isdisjoint(of_year))
        has_length = any(episode.agrees_with(mark) > 0 for mark in self.lengths)
        has_word = not self.words.isdisjoint(own_words)
        return (has_day + has_number) and has_day + has_number + has_length + has_word


def _days_beside(days: Iterable[date]) -> set[date]:
    return {day + timedelta(n) for day in days for n in (-1, 1)}


class SignIndex:
    """Known episodes by their days and numbers, and the words that few of their titles have."""

    def __init__(self, index: EpisodeIndex) -> None:
        self.by_sign: dict[Hashable, set[int]] = defaultdict(set)
        self.episodes = index.episodes
        for episode in index.episodes:
            of_year = {(day.month, day.day) for day in episode.days}
            for sign in (*episode.days, *of_year, *episode.numbers):
                self.by_sign[sign].add(episode.name)
        own = [set(words(episode.title)) for episode in index.episodes]
        often = Counter(word for title in own for word in title if len(word) >= LETTERS)
        self.words = [{word for word in title if 0 < often[word] <= RARE} for title in own]

    def named_by(self, said: Said) -> int | None:
        """The one episode of which most signs are true, and enough of them."""
        given = (*said.days, *said.days_of_year, *said.numbers)
        names = set[int]().union(*(self.by_sign.get(sign, ()) for sign in given))
        ranked = sorted(
            ((said.signs(self.episodes[name], self.words[name]), name) for name in names),
            reverse=True,
        )
        counts = [count for count, _ in ranked[:2]]
        is_one = max(counts, default=0) >= NEEDED and counts.count(counts[0]) == 1
        return ranked[0][1] if is_one else None


def seeds_by_signs(
    rows: Sequence[PageRow],
    page: PageRows,
    elements: Mapping[int, Element],
    index: EpisodeIndex,
    known: Sequence[Record],
) -> list[Record]:
    """The entries of lists of which most elements have the signs of one episode each, without those
    that are known, and of which the episode is."""
    by_sign = SignIndex(index)
    said = list(map(_said, rows))
    lists: dict[Hashable, list[int]] = defaultdict(list)
    for number, element in elements.items():
        if number and element.last - element.first < LONGEST:
            lists[page.blocks.parents[number], page.blocks.shapes[number]].append(number)
    taken = {name for record in known for name in record.episodes}
    seeded = {hit.row for record in known for hit in record.hits}
    found: dict[int, Record] = {}
    for numbers in lists.values():
        named = _named_in([elements[number] for number in numbers], said, by_sign)
        for element, name in named if len(numbers) >= FEWEST else ():
            own = range(element.first, element.last + 1)
            if name not in taken and seeded.isdisjoint(own):
                found.setdefault(name, _record(element, name, rows))
    return list(found.values())


def _named_in(
    elements: Sequence[Element], said: Sequence[Said], index: SignIndex
) -> list[tuple[Element, int]]:
    """The elements that name an episode by their signs; none where these are not most of those with
    a date or a number, or two name one."""
    named, count = [], 0
    for element in elements:
        every = Said()
        for row in said[element.first : element.last + 1]:
            every.add(row)
        if every.days or every.days_of_year or every.numbers:
            count += 1
            if (name := index.named_by(every)) is not None:
                named.append((element, name))
    often = Counter(name for _, name in named)
    single = [(element, name) for element, name in named if often[name] == 1]
    return single if len(single) >= max(FEWEST, count // 2 + 1) else []


def _record(element: Element, name: int, rows: Sequence[PageRow]) -> Record:
    """The entry of an element; its title is taken to be in the row with the most words."""
    own = rows[element.first : element.last + 1]
    title = max(own, key=lambda row: (row.row.heading > 0, len(words(row.words))))
    hit = Hit(title.place, 0, len(title.text), (name,), "title", 0, len(words(title.text)))
    return joined([hit], frozenset([name]))


def _said(row: PageRow) -> Said:
    """What a row says."""
    dates = [mark for mark in row.marks if mark.kind == "date"]
    said = Said(
        {day for mark in dates for day in mark.days},
        lengths=[mark for mark in row.marks if mark.span],
        numbers=set(row.numbers(0, BEGINNING)),
        words=set(words(row.words)),
    )
    for link in row.row.links:
        said.words |= set(words(link.rpartition("://")[2].partition("/")[2]))
    if not dates:
        said.days_of_year = set(_days_of_year(row))
    return said


def _days_of_year(row: PageRow) -> Iterator[DayOfYear]:
    """The dates without a year in a row."""
    for match in _NUMERIC.finditer(row.text[:BEGINNING]):
        yield int(match["month"]), int(match["day"])
    for form in _NAMED:
        for match in form.finditer(row.text[:BEGINNING]):
            if number := month_of(match["month"], row.language):
                yield number, int(match["day"])
