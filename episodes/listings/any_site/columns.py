"""Values by column: what stands at the same place of every entry is believed as far as it agrees with known episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from ...dates import Mark, marks
from .agreement import agreement
from .episode_index import KnownEpisode
from .page_rows import PageRow
from .records import Record

KINDS = ("length", "clock", "clock behind a date")  # surest first
PROSE = 12  # words beside which a date is part of a sentence
NUMBERED = 60  # characters of a row that may hold a number


@dataclass(frozen=True, slots=True)
class Value:
    """Something that stands in an entry: its column, how it is printed, and what it agrees with (1, 0, -1)."""

    column: Hashable
    raw: str
    vote: int
    mark: Mark | None = None
    number: int = 0


def dates(record: Record, rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]) -> list[Value]:
    """Dates of an entry, each with its column."""
    return [value for value in _marked(record, rows, episodes) if _is_date(value)]


def lengths(record: Record, rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]) -> list[Value]:
    """Lengths of an entry, and clocks that may be one, each with its column."""
    return [value for value in _marked(record, rows, episodes) if _is_length(value)]


def votes(record: Record, rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]) -> list[int]:
    """Agreement of every date and length of an entry with its episode: 1, 0 or -1."""
    return [value.vote for value in _marked(record, rows, episodes) if _is_date(value) or _is_length(value)]


def _is_date(value: Value) -> bool:
    return value.mark is not None and value.mark.kind == "date"


def _is_length(value: Value) -> bool:
    return value.mark is not None and value.mark.kind in ("length", "clock") and value.mark.span is not None


def _marked(record: Record, rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]) -> Iterator[Value]:
    seen: dict[Hashable, int] = defaultdict(int)
    for place in record.rows():
        row = rows[place]
        side = record.side(place)
        for mark in _field_marks(row, record):
            column = (_kind(row, mark), side, row.slot)
            seen[column] += 1
            vote = _best_vote(record, episodes, mark)
            yield Value((*column, seen[column]), row.text[mark.start : mark.end], vote, mark)
        for stamp in row.row.stamps:
            for mark in marks(stamp)[:1]:
                yield Value(("stamp", mark.kind, side), stamp, _best_vote(record, episodes, mark), mark)


def _kind(row: PageRow, mark: Mark) -> str:
    """Kind of a mark; a clock right behind a date is more often a time of day than a length."""
    if mark.kind == "clock" and any(d.kind == "date" and 0 <= mark.start - d.end <= 2 for d in row.marks):
        return "clock behind a date"
    return mark.kind


def _best_vote(record: Record, episodes: Sequence[KnownEpisode], mark: Mark) -> int:
    votes = [agreement(mark, episodes[name]) for name in record.seed.episodes]
    return max(votes, default=0)


def _field_marks(row: PageRow, record: Record) -> Iterator[Mark]:
    """Dates and lengths of a row that are no part of a title or a text."""
    own = [hit for hit in record.seed.hits if hit.row == row.place]
    titled = any(hit.kind != "text" for hit in own)
    for mark in row.marks:
        inside = any(hit.start <= mark.start and mark.end <= hit.end for hit in own)
        if not inside and (titled or not _in_sentence(row, mark)):
            yield mark


def _in_sentence(row: PageRow, mark: Mark) -> bool:
    before, behind = row.text[: mark.start].split(), row.text[mark.end :].split()
    return len(before) + len(behind) > PROSE and len(before) > 2 and len(behind) > 2


def numbers(record: Record, rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]) -> list[Value]:
    """What may be the episode's number: in short rows, and in front of or behind the title."""
    found = []
    for place in record.rows():
        row = rows[place]
        for side, start, end in _stretches(row, record):
            if end - start <= NUMBERED:
                for order, (_, number) in enumerate(row.numbers(start, end)):
                    vote = _number_vote(record, episodes, number)
                    found.append(Value((record.side(place), side, row.slot, order), str(number), vote, number=number))
    return found


def _stretches(row: PageRow, record: Record) -> Iterator[tuple[str, int, int]]:
    title = record.seed.title
    if title and title.row == row.place:
        yield "before", 0, title.start
        yield "behind", title.end, min(len(row.text), title.end + NUMBERED)
    else:
        yield "alone", 0, len(row.text)


def _number_vote(record: Record, episodes: Sequence[KnownEpisode], number: int) -> int:
    known = {n for name in record.seed.episodes for n in episodes[name].numbers}
    return (1 if number in known else -1) if known else 0


Choose = Callable[[int, int], bool]


def more_right_than_wrong(good: int, bad: int) -> bool:
    return good > bad or good == bad == 0


def hardly_ever_wrong(good: int, bad: int) -> bool:
    return good > 0 and bad * 8 < good


def believed(columns: Sequence[Sequence[Value]], believe: Choose) -> list[Value | None]:
    """For each entry the value of the best column it has, of columns that are to be believed."""
    good: dict[Hashable, int] = defaultdict(int)
    bad: dict[Hashable, int] = defaultdict(int)
    often: dict[Hashable, int] = defaultdict(int)
    for values in columns:
        for value in values:
            often[value.column] += 1
            good[value.column] += value.vote > 0
            bad[value.column] += value.vote < 0
    order = sorted(often, key=lambda column: (bad[column] - good[column], _doubt(column), -often[column], str(column)))
    ranked = {column: rank for rank, column in enumerate(order) if believe(good[column], bad[column])}
    silent = not any(good[column] for column in ranked)
    if silent:
        ranked = dict(list(ranked.items())[:1])
    return [_first(values, ranked) for values in columns]


def _doubt(column: Hashable) -> int:
    """How much a column's kind leaves open: a clock may be a time of day."""
    kind = column[0] if isinstance(column, tuple) else ""
    return KINDS.index(kind) if kind in KINDS else 0


def _first(values: Sequence[Value], ranked: dict[Hashable, int]) -> Value | None:
    own = [value for value in values if value.column in ranked]
    return min(own, key=lambda value: (-value.vote, ranked[value.column]), default=None)
