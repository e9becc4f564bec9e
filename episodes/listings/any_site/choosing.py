"""Chooses among what names a known episode the entries of the page's list: no menus, no chapters,
each episode once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from . import columns
from .episode_index import EpisodeIndex
from .page_rows import PageRow
from .records import Record

FEW = 2  # titles that make no list yet
TOLD = 2  # weight of an agreeing value, and of a text


@dataclass(frozen=True, slots=True)
class _Weighed:
    """An entry, and how its dates and lengths agree with its episode."""

    record: Record
    votes: tuple[int, ...]

    @property
    def weight(self) -> int:
        """What agrees: a date or a length, a text; least, that the entry has several rows."""
        right = any(vote > 0 for vote in self.votes)
        return TOLD * right + TOLD * self.record.has_text + (len(self.record.rows()) > 1)

    @property
    def is_possible(self) -> bool:
        """True where it has a text, or a date or length that can be its episode's."""
        return self.record.has_text or any(vote >= 0 for vote in self.votes)


def chosen(
    found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex, *, ours: bool
) -> list[Record]:
    """The entries of the list; `ours`: the page is the show's, so that titles alone can be one."""
    weighed = [
        _Weighed(
            record, tuple(value.vote for value in columns.marked(record, rows, index.episodes))
        )
        for record in found
    ]
    whole = [one for one in weighed if not one.record.is_cut or one.weight >= TOLD]
    return _once(_listed(whole, rows, len(index.episodes), ours=ours))


def _listed(
    found: Sequence[_Weighed], rows: Sequence[PageRow], episodes: int, *, ours: bool
) -> list[_Weighed]:
    """The entries, without titles alone that stand elsewhere than those with dates, lengths or
    texts."""
    told = _told(found)
    if not told:
        return list(found) if ours else []
    places = {_place(one.record, rows) for one in told}
    if ours:
        told_of = {one.record.seed.episodes for one in told}
        # The list goes on with titles alone where these are most of the other episodes; one with
        # the same is a menu.
        most = max(FEW, (episodes - len(told_of)) / 2)
        lists = _titles_alone(found, rows)
        places |= {
            place for place, own in lists.items() if len(own) > most and told_of.isdisjoint(own)
        }
    kept = {id(one) for one in told}
    return [one for one in found if id(one) in kept or _place(one.record, rows) in places]


def _told(found: Sequence[_Weighed]) -> list[_Weighed]:
    """The entries with something that agrees; where none has, those with nothing that does not."""
    return [one for one in found if one.weight >= TOLD] or [one for one in found if one.is_possible]


def _titles_alone(
    found: Sequence[_Weighed], rows: Sequence[PageRow]
) -> dict[Hashable, set[tuple[int, ...]]]:
    """Episodes of which only the title stands outside of menus, by where it does."""
    lists: dict[Hashable, set[tuple[int, ...]]] = defaultdict(set)
    for record in (one.record for one in found if one.weight < TOLD):
        if record.is_known and not record.is_cut and not rows[record.seed.place].row.region:
            lists[_place(record, rows)].add(record.seed.episodes)
    return lists


def _place(record: Record, rows: Sequence[PageRow]) -> Hashable:
    """Where an entry stands: the kind of its row, whether it has fields, and in saved text whether
    blank lines are above."""
    row = rows[record.seed.place]
    fields = any(rows[place].marks for place in record.rows())
    return (row.slot, fields, None if row.row.path else rows[record.first].row.gap > 0)


def _once(found: Sequence[_Weighed]) -> list[Record]:
    """Each episode by the entry of which most agrees with it; of equals the first. Of entries that
    can be any of several episodes as many as there are of these."""
    alike: dict[tuple[int, ...], list[_Weighed]] = defaultdict(list)
    for one in found:
        alike[one.record.seed.episodes].append(one)
    kept = {
        id(one)
        for episodes, own in alike.items()
        for one in sorted(own, key=lambda one: (-one.weight, one.votes.count(-1)))[
            : len(episodes) or None
        ]
    }
    return [one.record for one in found if id(one) in kept]
