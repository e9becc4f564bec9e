"""Chooses among what names a known episode the entries of the page's list: no menus, no chapters,
each episode once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain

from . import columns
from .episode_index import EpisodeIndex
from .page_rows import PageRow
from .seeds import Record


@dataclass(frozen=True, slots=True)
class _Weighed:
    """An entry, and how much of it agrees with its episode."""

    record: Record
    weight: int


def chosen(
    found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex, *, ours: bool
) -> list[Record]:
    """The entries of the list; `ours`: the page is the show's, so that titles alone can be one."""
    weighed = [_Weighed(record, _weight(record, rows, index)) for record in found]
    return _once(_listed(weighed, rows, ours=ours))


def _weight(record: Record, rows: Sequence[PageRow], index: EpisodeIndex) -> int:
    """One for a date, a length or a number that agrees, one for a text."""
    marked = columns.marked(record, rows, index.episodes)
    values = chain(marked, columns.numbers(record, rows, index.episodes))
    return any(value.vote > 0 for value in values) + record.has_text


def _listed(found: Sequence[_Weighed], rows: Sequence[PageRow], *, ours: bool) -> list[_Weighed]:
    """The entries that stand where those with dates, lengths or texts do; all where none has
    any."""
    places = {_place(one.record, rows) for one in found if one.weight}
    if not places:
        return list(found) if ours else []
    return [one for one in found if _place(one.record, rows) in places]


def _place(record: Record, rows: Sequence[PageRow]) -> Hashable:
    """The kind of an entry's row, and whether blank lines part it from both its neighbours."""
    ends = [rows[record.first], *rows[record.last + 1 : record.last + 2]]
    return rows[record.place].slot, all(row.row.gap > 0 for row in ends)


def _once(found: Sequence[_Weighed]) -> list[Record]:
    """Each episode by the entry of which most agrees with it; of equals the first. Of entries that
    can be any of several episodes as many as there are of these."""
    alike: dict[tuple[int, ...], list[_Weighed]] = defaultdict(list)
    for one in sorted(found, key=lambda one: -one.weight):
        alike[one.record.episodes].append(one)
    kept = {id(one) for episodes, own in alike.items() for one in own[: len(episodes) or None]}
    return [one.record for one in found if id(one) in kept]
