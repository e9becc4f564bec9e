"""Chooses among what names a known episode the entries of the page's list: no menus, no chapters, each episode once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from . import columns
from .episode_index import EpisodeIndex
from .page_rows import PageRow
from .records import Record

TOLD = 2  # weight of an agreeing value, and of a text


def chosen(found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex, *, ours: bool) -> list[Record]:
    """The entries of the list; `ours`: the page is the show's, so that titles alone can be one."""
    whole = [record for record in found if not record.is_cut or agreeing(record, rows, index) >= TOLD]
    return _once(_listed(whole, rows, index, ours=ours), rows, index)


def agreeing(record: Record, rows: Sequence[PageRow], index: EpisodeIndex) -> int:
    """How much an entry says that agrees with its episode: a date or a length, a text; least, that it has several rows."""
    right = any(vote > 0 for vote in _votes(record, rows, index))
    return TOLD * right + TOLD * record.has_text + (len(record.rows()) > 1)


def _votes(record: Record, rows: Sequence[PageRow], index: EpisodeIndex) -> list[int]:
    values = [*columns.dates(record, rows, index.episodes), *columns.lengths(record, rows, index.episodes)]
    return [value.vote for value in values]


def _listed(found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex, *, ours: bool) -> list[Record]:
    """The entries, without titles alone that stand elsewhere than those with dates, lengths or texts."""
    told = [agreeing(record, rows, index) >= TOLD for record in found]
    if not any(told):
        told = [record.has_text or any(vote >= 0 for vote in _votes(record, rows, index)) for record in found]
    if not any(told):
        return list(found) if ours else []
    places = {_place(record, rows) for record, tells in zip(found, told, strict=True) if tells}
    return [record for record, tells in zip(found, told, strict=True) if tells or _place(record, rows) in places]


def _place(record: Record, rows: Sequence[PageRow]) -> Hashable:
    """Where an entry stands: the kind of its row, whether it has fields, and in saved text whether blank lines are above."""
    row = rows[record.seed.place]
    fields = any(rows[place].marks for place in record.rows())
    return (row.slot, fields, None if row.row.path else rows[record.first].row.gap > 0)


def _once(found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex) -> list[Record]:
    """Each episode by the entry of which most agrees with it; of equals the first."""
    best: dict[tuple[int, ...], Record] = {}
    for record in found:
        other = best.get(record.seed.episodes)
        if record.is_known and (not other or agreeing(record, rows, index) > agreeing(other, rows, index)):
            best[record.seed.episodes] = record
    return [record for record in found if not record.is_known or best[record.seed.episodes] is record]
