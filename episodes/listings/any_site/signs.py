"""Finds the entries that no title names, by signs that are true of one episode together: a day, a
number, a length to the second, and words of its title or its notes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from ...dates import Mark, month_of
from ...identity import marked
from ...text.normalize import fold, words
from ..rows import PageRows
from .episode_index import BY_SIGNS, DOUBTFUL, TIMED, EpisodeIndex, Hit, KnownEpisode
from .page_rows import PageRow, is_prose
from .records import LONGEST, Element, Record, joined

FEWEST = 3  # entries of a list that show that it is the show's
FEWEST_UNDATED = 4  # of one without dates, as every show has a first and a second episode
NEEDED = 2  # the weight of a sign that names an episode beside another
CONFIRMED = 3  # one in so many of a list has a title of the show
MANY = 20  # episodes of one day, or of one number, that it tells apart
RARE = 2  # titles, or notes, of the show that may have a word which tells them
LETTERS = 4  # of such a word
# In scripts without blanks three signs are a word, too: in Japanese of those that carry meaning.
_THREE = re.compile(r"(?=([\u30a0-\u30ff\u3400-\u9fff\uac00-\ud7af]{3}))")
BEGINNING = 60  # characters of a row in which a number may be the episode's
SECONDS = 2  # by which a length to the second may differ

_MONTH = r"[^\W\d_]{3,12}"
_DAY = r"(?P<day>[0-3]?\d)"
# "17.11.", "11月17日", "9 stycznia", "Nov 17".
_DATES = (
    re.compile(rf"(?<![\d.,:/]){_DAY}\.\s?(?P<month>[01]?\d)\.(?!\d)"),
    re.compile(rf"(?<!\d)(?P<month>[01]?\d)\s?[月월]\s?{_DAY}\s?[日일]"),
    re.compile(rf"(?<![\d.,:/]){_DAY}(?:st|nd|rd|th|\.|º)?\s(?:de\s)?(?P<month>{_MONTH})"),
    re.compile(rf"(?P<month>{_MONTH})\.?\s{_DAY}(?![\d:.])"),
)

Span = tuple[int, int]  # from the least to the most seconds


@dataclass(slots=True)
class Said:
    """Dates, lengths, numbers and words of a row, or of the rows of an element, that may be an
    episode's."""

    days: set[date] = field(default_factory=set)
    days_of_year: set[tuple[int, int]] = field(default_factory=set)  # month and day
    lengths: list[Mark] = field(default_factory=list)
    to_the_second: set[Span] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def add(self, other: Said) -> None:
        self.days |= other.days
        self.days_of_year |= other.days_of_year
        self.lengths += other.lengths
        self.to_the_second |= other.to_the_second
        self.numbers |= other.numbers
        self.words |= other.words

    @property
    def is_dated(self) -> bool:
        return bool(self.days or self.days_of_year)

    def times(self, episode: KnownEpisode) -> bool:
        """True where a length is the episode's to the second."""
        return not self.to_the_second.isdisjoint(episode.spans)

    def weight(
        self, episode: KnownEpisode, title_words: Collection[str], note_words: Collection[str]
    ) -> int:
        """The weight of the signs that are true of the episode beside its day, or beside its number
        or length where no date is printed; 0 where it has another day. Words of the notes and a
        length in minutes weigh half."""
        of_year = {(day.month, day.day) for day in episode.days}
        has_number = not self.numbers.isdisjoint(episode.numbers)
        # A page may be in another time zone than the feed, which a number makes up for.
        days = _near(episode.days, timedelta(1), int(has_number))
        has_day = not (self.days.isdisjoint(days) and self.days_of_year.isdisjoint(of_year))
        is_timed = self.times(episode)
        lasts = max((episode.agrees_with(mark) for mark in self.lengths), default=0)
        if not has_day and (self.is_dated or not (has_number or is_timed)):
            return 0
        signs = has_day + has_number + is_timed + (not self.words.isdisjoint(title_words))
        hints = (lasts > 0 and not is_timed) + len(self.words.intersection(note_words))
        # Without a date another length makes a hint of a sign: "700 minutes" may be words of a title.
        is_other = lasts < 0 and not has_day
        return max(0, NEEDED * (signs - 1) + min(hints, NEEDED) - is_other)


def _near(values: Iterable[Any], step: Any, most: int) -> set[Any]:
    """The values, and those that are up to so many steps before or after one."""
    return {value + n * step for value in values for n in range(-most, most + 1)}


class SignIndex:
    """Known episodes by their days, numbers and lengths, and the words that few of their titles and
    notes have."""

    def __init__(self, index: EpisodeIndex) -> None:
        by_sign = defaultdict[Hashable, set[int]](set)
        self.episodes = index.episodes
        for episode in index.episodes:
            of_year = {(day.month, day.day) for day in episode.days}
            for sign in (*episode.days, *of_year, *episode.numbers, *episode.spans):
                by_sign[sign].add(episode.name)
        self.by_sign = {sign: own for sign, own in by_sign.items() if len(own) <= MANY}

    @cached_property
    def words(self) -> list[tuple[set[str], set[str]]]:
        """The telling words of each title, and of the notes."""
        titles = [_words_of(episode.title) for episode in self.episodes]
        notes = [
            _words_of("\n".join(episode.notes)) - own
            for episode, own in zip(self.episodes, titles, strict=True)
        ]
        return list(zip(_telling(titles), _telling(notes), strict=True))

    def named_by(self, said: Said) -> tuple[int, int]:
        """The weight of the signs of the episode of which most are true, and its number; 0 where
        that is none, or several."""
        given = (*said.days, *said.days_of_year, *said.numbers, *said.to_the_second)
        names = set[int]().union(*(self.by_sign.get(sign, ()) for sign in given))
        ranked = sorted(
            ((said.weight(self.episodes[name], *self.words[name]), name) for name in names),
            reverse=True,
        )
        best, *others = ranked or [(0, 0)]
        return (0, 0) if others and others[0][0] == best[0] else best


def _telling(texts: Sequence[set[str]]) -> list[set[str]]:
    """The words of each text that few of them have."""
    often = Counter(word for own in texts for word in own)
    return [{word for word in own if often[word] <= RARE} for own in texts]


def _words_of(text: str) -> set[str]:
    return {*_THREE.findall(fold(text)), *(word for word in words(text) if len(word) >= LETTERS)}


def seeds_by_signs(
    rows: Sequence[PageRow],
    page: PageRows,
    elements: Mapping[int, Element],
    by_sign: SignIndex,
    known: Sequence[Record],
) -> list[Record]:
    """The entries of lists of which most elements have the signs of one episode each, without those
    that are known, and of which the episode is. They are DOUBTFUL where few titles, or lengths to
    the second, confirm the list: another show may have the dates and numbers of this one, and
    titles like its own."""
    taken = {name for record in known for name in record.episodes}
    titled = {(hit.row, name) for record in known for hit in record.hits for name in hit.episodes}
    seeded = {row for row, _ in titled}
    found: dict[int, Record] = {}
    for own in _lists(rows, page, elements):
        named = _named_in(own, by_sign)
        kind = _kind_of(named, titled, by_sign.episodes)
        for one in named:
            is_free = one.name not in taken and seeded.isdisjoint(one.element.rows)
            if is_free and not _is_marked(rows[one.element.first : one.element.last + 1]):
                found.setdefault(one.name, _record(one, rows, kind))
    return list(found.values())


class _Named(NamedTuple):
    """An element with what it says, and the episode that this names with its weight."""

    element: Element
    said: Said
    weight: int
    name: int


def _kind_of(
    named: Sequence[_Named],
    titled: Collection[tuple[int, int]],
    episodes: Sequence[KnownEpisode],
) -> str:
    """The kind of the hits of a list, by what confirms it."""
    timed = {one.name for one in named if one.said.times(episodes[one.name])}
    confirmed = {
        one.name for one in named if any((row, one.name) in titled for row in one.element.rows)
    }
    if len(timed) * CONFIRMED >= len(named):
        return TIMED
    return BY_SIGNS if len(timed | confirmed) * CONFIRMED >= len(named) else DOUBTFUL


def _lists(
    rows: Sequence[PageRow], page: PageRows, elements: Mapping[int, Element]
) -> Iterator[list[tuple[Element, Said]]]:
    """The elements of the page that stand side by side and have one shape, with what they say."""
    by_row = list(map(_said, rows))
    lists: dict[Hashable, list[Element]] = defaultdict(list)
    for number, element in elements.items():
        if number and element.last - element.first < LONGEST:
            lists[page.blocks.parents[number], page.blocks.shapes[number]].append(element)
    for own in lists.values():
        every = [(element, Said()) for element in own if len(own) >= FEWEST]
        for element, said in every:
            for place in element.rows:
                said.add(by_row[place])
        yield every


def _named_in(elements: Sequence[tuple[Element, Said]], index: SignIndex) -> list[_Named]:
    """The elements that name an episode by several signs; none where they are no list of the show.
    Hints name none without a date where others have one."""
    found = [_Named(element, said, *index.named_by(said)) for element, said in elements]
    often = Counter(one.name for one in found if one.weight)
    named = [one for one in found if one.weight and often[one.name] == 1]
    dated = any(one.said.is_dated for one in found)
    if not _are_list(named, found, dated=dated):
        return []
    return [one for one in named if one.weight >= NEEDED or one.said.is_dated == dated]


def _are_list(named: Sequence[_Named], found: Sequence[_Named], *, dated: bool) -> bool:
    """True where most elements with a date or a number name an episode by more than hints."""
    sure = sum(one.weight >= NEEDED for one in named)
    counted = sum(one.said.is_dated or bool(one.said.numbers) for one in found)
    return sure >= max(FEWEST if dated else FEWEST_UNDATED, counted // 2 + 1)


def _is_marked(rows: Sequence[PageRow]) -> bool:
    """True for rows with a word that makes an entry another episode: "Replay:", "(trailer)"."""
    return any(marked(row.text) for row in rows if not is_prose(row.words))


def _record(one: _Named, rows: Sequence[PageRow], kind: str) -> Record:
    """The entry of an element; its title is taken to be in the row with the most words."""
    own = rows[one.element.first : one.element.last + 1]
    title = max(own, key=lambda row: (row.row.heading > 0, len(words(row.words))))
    hit = Hit(title.place, 0, len(title.text), (one.name,), kind, 0, len(words(title.text)))
    return joined([hit], frozenset(hit.episodes))


def _said(row: PageRow) -> Said:
    """The dates, lengths, numbers and words of a row."""
    dates = [mark for mark in row.marks if mark.kind == "date"]
    lengths = [mark for mark in row.marks if mark.span]
    seconds = (mark.span[0] for mark in lengths if mark.span and len({*mark.span}) == 1)
    said = Said(
        {day for mark in dates for day in mark.days},
        lengths=lengths,
        to_the_second={(length, length) for length in _near(seconds, 1, SECONDS)},
        numbers=set(row.numbers(0, BEGINNING)),
        words=_words_of(row.words),
    )
    for link in row.row.links:
        said.words |= _words_of(link.rpartition("://")[2].partition("/")[2])
    if not dates:
        said.days_of_year = set(_days_of_year(row))
    return said


def _days_of_year(row: PageRow) -> Iterator[tuple[int, int]]:
    """The dates without a year in a row."""
    for form in _DATES:
        for match in form.finditer(row.text[:BEGINNING]):
            name = match["month"]
            month = int(name) if name.isdecimal() else month_of(name, row.language)
            if month:
                yield month, int(match["day"])
