"""Finds the entries that no title names, by their dates, and the numbers, words or lengths beside
these."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from ...dates import Mark, month_of
from ...identity import marked
from ...text.normalize import words
from ..rows import PageRows
from .episode_index import BY_SIGNS, DOUBTFUL, EpisodeIndex, Hit, KnownEpisode
from .page_rows import PageRow, is_prose
from .records import LONGEST, Element, Record, joined

FEWEST = 3  # entries of a list that show that it is the show's
NEEDED = 2  # the weight of a number, and of a word, that names an episode beside its date
CONFIRMED = 3  # one in so many of a list has a title of the show
MANY = 20  # episodes of one day, or of one number, that it tells apart
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
    """Dates, lengths, numbers and words of a row, or of the rows of an element, that may be an
    episode's."""

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
        """How many of them are true of the episode beside the date, of which a number and a word
        tell more than a length; 0 where it has another date."""
        of_year = {(day.month, day.day) for day in episode.days}
        has_number = not self.numbers.isdisjoint(episode.numbers)
        # A page may be in another time zone than the feed, which a number makes up for.
        days = episode.days | (_days_beside(episode.days) if has_number else set())
        has_day = not (self.days.isdisjoint(days) and self.days_of_year.isdisjoint(of_year))
        has_length = any(episode.agrees_with(mark) > 0 for mark in self.lengths)
        has_word = not self.words.isdisjoint(own_words)
        return has_day and NEEDED * (has_number + has_word) + has_length


def _days_beside(days: Iterable[date]) -> set[date]:
    return {day + timedelta(n) for day in days for n in (-1, 1)}


class SignIndex:
    """Known episodes by their days and numbers, and the words that few of their titles have."""

    def __init__(self, index: EpisodeIndex) -> None:
        by_sign = defaultdict[Hashable, set[int]](set)
        self.episodes = index.episodes
        for episode in index.episodes:
            of_year = {(day.month, day.day) for day in episode.days}
            for sign in (*episode.days, *of_year, *episode.numbers):
                by_sign[sign].add(episode.name)
        self.by_sign = {sign: own for sign, own in by_sign.items() if len(own) <= MANY}
        own = [set(words(episode.title)) for episode in index.episodes]
        often = Counter(word for title in own for word in title if len(word) >= LETTERS)
        self.words = [{word for word in title if 0 < often[word] <= RARE} for title in own]

    def named_by(self, said: Said) -> tuple[int, int]:
        """The weight of the signs of the episode of which most are true, and its number; 0 where
        that is none, or several."""
        given = (*said.days, *said.days_of_year, *said.numbers)
        names = set[int]().union(*(self.by_sign.get(sign, ()) for sign in given))
        ranked = sorted(
            ((said.signs(self.episodes[name], self.words[name]), name) for name in names),
            reverse=True,
        )
        best, *others = ranked or [(0, 0)]
        return (0, 0) if others and others[0][0] == best[0] else best


def seeds_by_signs(
    rows: Sequence[PageRow],
    page: PageRows,
    elements: Mapping[int, Element],
    by_sign: SignIndex,
    known: Sequence[Record],
) -> list[Record]:
    """The entries of lists of which most elements have the signs of one episode each, without those
    that are known, and of which the episode is. They are DOUBTFUL where few titles confirm the
    list: another show may have the dates and numbers of this one, and titles like its own."""
    said = list(map(_said, rows))
    taken = {name for record in known for name in record.episodes}
    titled = {(hit.row, name) for record in known for hit in record.hits for name in hit.episodes}
    seeded = {row for row, _ in titled}
    found: dict[int, Record] = {}
    for own in _lists(page, elements):
        named = _named_in(own, said, by_sign)
        confirmed = sum(_is_titled(element, name, titled) for element, name in named)
        kind = BY_SIGNS if confirmed * CONFIRMED >= len(named) else DOUBTFUL
        for element, name in named:
            is_free = name not in taken and seeded.isdisjoint(element.rows)
            if is_free and not _is_marked(rows[element.first : element.last + 1]):
                found.setdefault(name, _record(element, name, rows, kind))
    return list(found.values())


def _lists(page: PageRows, elements: Mapping[int, Element]) -> Collection[list[Element]]:
    """The elements of the page that stand side by side and have one shape."""
    lists: dict[Hashable, list[Element]] = defaultdict(list)
    for number, element in elements.items():
        if number and element.last - element.first < LONGEST:
            lists[page.blocks.parents[number], page.blocks.shapes[number]].append(element)
    return lists.values()


def _is_titled(element: Element, name: int, titled: Collection[tuple[int, int]]) -> bool:
    """True where a title in the element names the episode."""
    return any((row, name) in titled for row in element.rows)


def _named_in(
    elements: Sequence[Element], said: Sequence[Said], index: SignIndex
) -> list[tuple[Element, int]]:
    """The elements that name an episode by date and another sign; none where a number or a word does
    not name most of those with a date."""
    found, count = [], 0
    for element in elements if len(elements) >= FEWEST else ():
        every = Said()
        for row in said[element.first : element.last + 1]:
            every.add(row)
        count += bool(every.days or every.days_of_year)
        found.append((element, *index.named_by(every)))
    often = Counter(name for _, weight, name in found if weight)
    named = [(element, weight, name) for element, weight, name in found if often[name] == 1]
    sure = sum(weight >= NEEDED for _, weight, _ in named)
    is_list = sure >= max(FEWEST, count // 2 + 1)
    return [(element, name) for element, weight, name in named if weight and is_list]


def _is_marked(rows: Sequence[PageRow]) -> bool:
    """True for rows with a word that makes an entry another episode: "Replay:", "(trailer)"."""
    return any(marked(row.text) for row in rows if not is_prose(row.words))


def _record(element: Element, name: int, rows: Sequence[PageRow], kind: str) -> Record:
    """The entry of an element; its title is taken to be in the row with the most words."""
    own = rows[element.first : element.last + 1]
    title = max(own, key=lambda row: (row.row.heading > 0, len(words(row.words))))
    hit = Hit(title.place, 0, len(title.text), (name,), kind, 0, len(words(title.text)))
    return joined([hit], frozenset([name]))


def _said(row: PageRow) -> Said:
    """The dates, lengths, numbers and words of a row."""
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
