"""Decides whose an entry is, by the names in it and by the heading of its part of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import chain

from ...records import Show
from ..show_names import is_titled_after, normalize_show_name
from .labels import BEHIND, SHORT, TITLE_ROW, Label, labels
from .page_rows import PageRow
from .seeds import Record

FEW = 3  # texts that differ in their numbers alone
NAMED, OURS, OTHER, NOBODY = "named", "ours", "other", ""


def owners(
    records: Sequence[Record], rows: Sequence[PageRow], show: Show, others: Sequence[str]
) -> list[str]:
    """For each entry NAMED where it names the show in the row of its title, or where another entry
    does, or the heading of one of several parts of the page does; OURS where it or a heading may
    name the show; OTHER where it has the name of one of the `others`, or another name in the place
    where entries name the show; else NOBODY."""
    other_names = frozenset(map(normalize_show_name, others))
    every = _without_counters([labels(record, rows, show, other_names) for record in records])
    ours = [{label.column for label in own if label.ours} for own in every]
    # Where most entries name the show, one that nobody knows would do so too.
    expected = sum(map(bool, ours)) * 2 > sum(record.is_known for record in records)
    often = Counter(chain.from_iterable(ours))
    columns = often.keys()
    heads = _heads(records, rows, show)
    first = min((record.first for record in records), default=0)
    unsure = {(BEHIND, row.slot) for row in rows[max(0, first - 1) : first]}
    end = _end_of_list(records, every, rows)
    return [
        _named(ours[place], often, unsure)
        if ours[place]
        else _owner(
            own,
            columns,
            heads[record.place],
            expected=(expected and not record.is_known) or record.first > end,
        )
        for place, (record, own) in enumerate(zip(records, every, strict=True))
    ]


def _without_counters(every: Sequence[Sequence[Label]]) -> list[list[Label]]:
    """The labels of each entry but for those that count: "St 2 Ep 6" where others have "St 2 Ep 5"."""
    said = {(label.column, label.pattern, label.text) for own in every for label in own}
    often = Counter((column, pattern) for column, pattern, _ in said)
    return [[label for label in own if often[label.column, label.pattern] < FEW] for own in every]


def _named(
    columns: Collection[tuple[Hashable, ...]],
    often: Mapping[tuple[Hashable, ...], int],
    unsure: Collection[Hashable],
) -> str:
    """The owner of an entry with the show's name: one name below a title may be of what is next on
    the page, and so may all of a place that is `unsure`, as one like them stands above the first
    entry."""
    is_sure = any(
        side == TITLE_ROW or (often[side, kind, slot] > 1 and (side, slot) not in unsure)
        for side, kind, slot in columns
    )
    return NAMED if is_sure else OURS


def _owner(
    own: Sequence[Label], columns: Collection[Hashable], head: str, *, expected: bool
) -> str:
    """The owner of an entry that does not name the show, by its labels, else by the heading above;
    `expected`: it would name the show if it were ours."""
    named = any(label.others or (label.column in columns and label.is_name) for label in own)
    return OTHER if named or expected else head


def _end_of_list(
    records: Sequence[Record], every: Sequence[Sequence[Label]], rows: Sequence[PageRow]
) -> int:
    """The row of the heading that ends the page's own list: all entries behind it carry names where
    most have none."""
    named = [{label.column for label in own if label.is_name} for own in every]
    often = Counter(chain.from_iterable(named))
    common = {column for column, count in often.items() if count * 2 > len(records)}
    both = zip(records, named, strict=True)
    last = max((record.last for record, own in both if own <= common), default=len(rows))
    headings = {row.place for row in rows[last + 1 :] if row.row.heading}
    own_rows = {row.place for record in records for row in record.of(rows)}
    return min(headings - own_rows, default=len(rows))


def _heads(records: Sequence[Record], rows: Sequence[PageRow], show: Show) -> list[str]:
    """For each row whose part of the page it stands in, by the headings of the kind that names the
    show once."""
    entries = {hit.row for record in records for hit in record.hits}
    entries |= {record.place for record in records}
    heads: dict[int, tuple[Hashable, bool]] = {}
    kinds = set()
    for row in rows:
        if row.place not in entries and row.text and not row.marks:
            ours = is_titled_after(row.text, show)
            heads[row.place] = (_kind(row), ours)
            if ours and row.row.heading:
                kinds.add(_kind(row))
    by_row = list(_by_row(rows, heads, kinds))
    return [NAMED if own == OURS and OTHER in by_row else own for own in by_row]


def _by_row(
    rows: Sequence[PageRow], heads: dict[int, tuple[Hashable, bool]], kinds: Collection[Hashable]
) -> Iterator[str]:
    """A heading of a higher level ends what a lower one began."""
    current, level = NOBODY, 0
    for row in rows:
        kind, ours = heads.get(row.place, (None, False))
        if kind in kinds:
            current, level = OURS if ours else OTHER, row.row.heading
        elif kind and 0 < row.row.heading < level:
            current = NOBODY
        yield current


def _kind(row: PageRow) -> Hashable:
    """Kind of a row: its elements, and whether it is short."""
    return row.slot, len(row.text.split()) <= SHORT
