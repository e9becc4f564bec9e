"""Whose an entry is: by the names in it, by the heading of its part, and by where the page's own list ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence

from ...records import Show
from ..show_names import is_show
from .labels import SHORT, Label, labels
from .page_rows import PageRow
from .records import Record

SHORT_NAME = 5  # words of a name that another show may have
OURS, OTHER, NOBODY = "ours", "other", ""


def owners(records: Sequence[Record], rows: Sequence[PageRow], show: Show) -> list[str]:
    """For each entry OURS where it or the heading of its part names the show, OTHER where another name stands in the
    place where entries name it, else NOBODY."""
    every = [labels(record, rows, show) for record in records]
    labelled = [any(label.ours for label in own) for own in every]
    columns = {label.column for own in every for label in own if label.ours}
    known = sum(record.is_known for record in records)
    expected = sum(labelled) * 2 > known  # most entries name the show, so one that nobody knows would do so too
    heads = _heads(records, rows, show)
    last = _end_of_list(records, every, rows)
    return [
        _owner(every[place], columns, head, expected=(expected and not record.is_known) or place >= last)
        for place, (record, head) in enumerate(zip(records, heads, strict=True))
    ]


def _owner(own: Sequence[Label], columns: Collection[Hashable], head: str, *, expected: bool) -> str:
    """Whose an entry is by its labels, else by the heading above; `expected`: it would name the show if it were ours."""
    if any(label.ours for label in own):
        return OURS
    named = any(label.column in columns and any(map(str.isalpha, label.text)) for label in own)
    return OTHER if named or expected else head


# -- the end of the page's own list -----------------------------------------------------------------------------------


def _end_of_list(records: Sequence[Record], every: Sequence[Sequence[Label]], rows: Sequence[PageRow]) -> int:
    """How many entries the page's own list has: those behind it, below a heading, carry names that none of these has."""
    often = Counter(column for own in every for column in {label.column for label in own if _is_name(label)})
    rare = {column for column, count in often.items() if count * 2 <= len(records)}
    end = len(records)
    while end > 0 and any(label.column in rare and _is_name(label) for label in every[end - 1]):
        end -= 1
    begins = (place for place in range(max(end, 1), len(records)) if _begins_part(records, place, rows))
    return next(begins, len(records))


def _is_name(label: Label) -> bool:
    return len(label.text.split()) <= SHORT_NAME and any(map(str.isalpha, label.text))


def _begins_part(records: Sequence[Record], place: int, rows: Sequence[PageRow]) -> bool:
    """True where a heading stands between an entry and the one before it."""
    between = rows[records[place - 1].seed.place + 1 : records[place].seed.place]
    return any(row.row.heading or _is_alone(row, rows) for row in between)


def _is_alone(row: PageRow, rows: Sequence[PageRow]) -> bool:
    """True for a short row of saved text between blank lines."""
    following = rows[row.place + 1].row.gap if row.place + 1 < len(rows) else 1
    short = len(row.text.split()) <= SHORT and not row.marks
    return short and not row.row.path and row.row.gap > 0 and following > 0


# -- headings of parts ------------------------------------------------------------------------------------------------


def _heads(records: Sequence[Record], rows: Sequence[PageRow], show: Show) -> list[str]:
    """What the heading above each entry says: of the headings of the level that names the show once."""
    inside = {place for record in records for place in record.places()}
    free = [row for row in rows if row.place not in inside and row.text and not row.marks]
    kinds = _kinds_of_heads(records, free, rows, show)
    if not kinds:
        return [NOBODY] * len(records)
    heads = list(_parts(free, kinds, rows, show))
    found, current = [], NOBODY
    for record in records:
        while heads and heads[0][0] <= record.seed.place:
            current = heads.pop(0)[1]
        found.append(current)
    return found


def _kinds_of_heads(
    records: Sequence[Record], free: Sequence[PageRow], rows: Sequence[PageRow], show: Show
) -> set[Hashable]:
    """Kinds of rows that head a part of the page, by those that name the show: headings, and rows right above an entry."""
    begins = {record.seed.first - 1 for record in records}
    named = [row for row in free if row.show_names and is_show(row.text, show.title)]
    return {_kind(row, rows) for row in named if row.row.heading or (row.place in begins and not row.row.path)}


def _parts(
    free: Sequence[PageRow], kinds: Collection[Hashable], rows: Sequence[PageRow], show: Show
) -> Iterator[tuple[int, str]]:
    """Where parts of the page begin, and whose each is; a heading of a higher level ends what a lower one began."""
    level = 0
    for row in free:
        if _kind(row, rows) in kinds:
            level = row.row.heading
            yield row.place, OURS if is_show(row.text, show.title) else OTHER
        elif 0 < row.row.heading < level:
            yield row.place, NOBODY


def _kind(row: PageRow, rows: Sequence[PageRow]) -> Hashable:
    """Kind of a row: its elements; in saved text, whether blank lines are above and below it."""
    short = len(row.text.split()) <= SHORT
    if row.row.path:
        return (row.slot, short)
    following = rows[row.place + 1].row.gap if row.place + 1 < len(rows) else 1
    return (row.slot, short, row.row.gap > 0, following == 0)
