"""Values by column: what stands at the same place of every entry is believed as far as it agrees
with known episodes."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from ...dates import Mark, marks
from .episode_index import KnownEpisode, vote
from .page_rows import NUMBER, PageRow, in_sentence
from .records import Record

FIELDS = ("date", "length", "clock")
NUMBERED = 60  # characters of a row that may hold a number


@dataclass(frozen=True, slots=True)
class Value:
    """Something that stands in an entry: its column, how it is printed, and what it agrees with (1,
    0, -1)."""

    column: tuple[Hashable, ...]
    raw: str
    vote: int
    is_plain: bool  # it is believed where nothing is known to compare with it


@dataclass(frozen=True, slots=True)
class MarkedValue(Value):
    """A date, or a length."""

    mark: Mark


V = TypeVar("V", bound=Value)


def marked(
    record: Record, rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]
) -> Iterator[MarkedValue]:
    """Dates and lengths of an entry, and clocks that may be one, each with its column."""
    seen: dict[tuple[Hashable, ...], int] = defaultdict(int)
    for row in record.of(rows):
        side = record.side(row.place)
        for mark in _field_marks(row, record):
            column = (mark.kind, row.is_behind_date(mark), side, row.slot, row.above)
            seen[column] += 1
            raw = row.text[mark.start : mark.end]
            in_title = any(a <= mark.start < b for a, b in record.spans_in(row.place))
            agrees = _best_vote(record, episodes, mark)
            is_plain = mark.kind != "date" and not row.above
            if agrees > 0 or not in_title:
                yield MarkedValue((*column, seen[column]), raw, agrees, is_plain, mark)
        for stamp in row.row.stamps:
            for mark in marks(stamp)[:1]:
                agrees = _best_vote(record, episodes, mark)
                yield MarkedValue(
                    ("stamp", mark.kind, side), stamp, agrees, mark.kind != "date", mark
                )


def _best_vote(record: Record, episodes: Sequence[KnownEpisode], mark: Mark) -> int:
    return max((episodes[name].agrees_with(mark) for name in record.episodes), default=0)


def _field_marks(row: PageRow, record: Record) -> Iterator[Mark]:
    """Dates and lengths of a row that are no part of a title or a text."""
    titled = any(hit.row == row.place and hit.kind != "text" for hit in record.hits)
    for mark in row.marks:
        if mark.kind in FIELDS and (titled or not in_sentence(mark, row.text)):
            yield mark


def numbers(
    record: Record,
    rows: Sequence[PageRow],
    episodes: Sequence[KnownEpisode],
    pattern: re.Pattern[str] = NUMBER,
) -> Iterator[Value]:
    """The numbers of a form that may be the episode's: in short rows, and in front of or behind the
    title."""
    title = record.title
    known = set().union(*(episodes[name].numbers for name in record.episodes))
    for row in record.of(rows):
        # A row without the title is one stretch.
        low, high = (title.start, title.end) if title and title.row == row.place else (0, 0)
        for side, start, end in (("before", 0, low), ("behind", high, len(row.text))):
            numbers = (
                row.numbers(start, min(end, start + NUMBERED), pattern)
                if end <= NUMBERED + high
                else ()
            )
            for order, number in enumerate(numbers):
                agrees = vote(number == one for one in known)
                yield Value(
                    (record.side(row.place), side, row.slot, order), str(number), agrees, False
                )


def believed(columns: Sequence[Sequence[V]], times: int = 1) -> list[V | None]:
    """For each entry the value of the best column it has, of columns that agree with the episodes
    more than so many `times` as often as not; lengths without a heading also where nothing is known
    to compare."""
    plain = {value.column for value in chain.from_iterable(columns) if value.is_plain}
    votes: dict[tuple[Hashable, ...], list[int]] = defaultdict(list)
    for value in chain.from_iterable(columns):
        votes[value.column].append(value.vote)
    order = sorted(
        (-sum(own), str(column[0]), -len(own), str(column), column)
        for column, own in votes.items()
        if own.count(1) > own.count(-1) * times or (column in plain and not any(own))
    )
    ranked = {column: rank for rank, (*_, column) in enumerate(order)}
    return [
        min(
            (value for value in values if value.column in ranked),
            key=lambda value: (-value.vote, ranked[value.column]),
            default=None,
        )
        for values in columns
    ]
