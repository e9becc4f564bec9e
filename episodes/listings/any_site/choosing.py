"""Chooses among what names a known episode the entries of the page's list: no menus, no chapters,
each episode once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import chain

from . import columns
from .episode_index import EpisodeIndex
from .page_rows import PageRow
from .seeds import Record


def chosen(
    found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex, *, ours: bool
) -> list[Record]:
    """The entries that stand where those with dates, lengths or texts do, each episode by the one of
    which most agrees with it, of equals by the first; `ours`: the page is the show's, so that titles
    alone can be its list."""
    weights = {record: _weight(record, rows, index) for record in found}
    places = {_place(record, rows) for record, weight in weights.items() if weight}
    titles_alone = ours and not places
    listed = [record for record in found if titles_alone or _place(record, rows) in places]
    alike: dict[tuple[int, ...], list[Record]] = defaultdict(list)
    for record in sorted(listed, key=lambda record: -weights[record]):
        alike[record.episodes].append(record)
    # Entries that can be any of several episodes are as many as there are of these.
    kept = {one for episodes, own in alike.items() for one in own[: len(episodes) or None]}
    return [record for record in listed if record in kept]


def _weight(record: Record, rows: Sequence[PageRow], index: EpisodeIndex) -> int:
    """One for a date, a length or a number that agrees, one for a text."""
    marked = columns.marked(record, rows, index.episodes)
    values = chain(marked, columns.numbers(record, rows, index.episodes))
    return any(value.vote > 0 for value in values) + record.has_text


def _place(record: Record, rows: Sequence[PageRow]) -> Hashable:
    """The kind of an entry's row, and whether blank lines part it from both its neighbours."""
    ends = [rows[record.first], *rows[record.last + 1 : record.last + 2]]
    return rows[record.place].slot, all(row.row.gap > 0 for row in ends)
