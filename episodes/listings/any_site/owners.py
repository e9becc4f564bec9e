"""Decides whose an entry is, by the names in it and by the heading of its part of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import chain

from ...records import Show
from ..show_names import is_show, normalize_show_name
from .labels import SHORT, Label, labels
from .page_rows import PageRow
from .records import Record

OURS, OTHER, NOBODY = "ours", "other", ""


def owners(
    records: Sequence[Record], rows: Sequence[PageRow], show: Show, others: Sequence[str]
) -> list[str]:
    """For each entry OURS where it or the heading of its part names the show, OTHER where it has
    the name of one of the `others`, or another name in the place where entries name the show, else
    NOBODY."""
    other_names = frozenset(map(normalize_show_name, others))
    every = [labels(record, rows, show, other_names) for record in records]
    ours = [{label.column for label in own if label.ours} for own in every]
    # Where most entries name the show, one that nobody knows would do so too.
    expected = sum(map(bool, ours)) * 2 > sum(record.is_known for record in records)
    columns = set[Hashable]().union(*ours)
    heads = _heads(records, rows, show)
    end = _end_of_list(records, every, rows)
    return [
        OURS
        if ours[place]
        else _owner(
            own,
            columns,
            heads[record.seed.place],
            expected=(expected and not record.is_known) or record.first > end,
        )
        for place, (record, own) in enumerate(zip(records, every, strict=True))
    ]


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
    last = max((record.last for record, own in both if own <= common), default=0)
    headings = {row.place for row in rows[last + 1 :] if row.row.heading}
    return min(headings - {record.seed.place for record in records}, default=len(rows))


def _heads(records: Sequence[Record], rows: Sequence[PageRow], show: Show) -> list[str]:
    """For each row whose part of the page it stands in, by the headings of the kind that names the
    show once."""
    entries = {place for record in records for place in record.places()}
    heads: dict[int, tuple[Hashable, bool]] = {}
    kinds = set()
    for row in rows:
        if row.place not in entries and row.text and not row.marks:
            ours = is_show(row.text, show.title)
            heads[row.place] = (_kind(row), ours)
            if ours and row.row.heading:
                kinds.add(_kind(row))
    return list(_by_row(rows, heads, kinds))


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
