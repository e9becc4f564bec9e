"""Conflicts of an episode: those that a curator closed, and those of its date with the order of the
show; pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain

from ..notes import enrich
from ..records import FieldConflict, Merged
from ..text.numbering import numbering

CLOSED = "conflict"  # the kind of a removal


def without_closed(merged: Merged, decided: enrich.EpisodeDecisions) -> Merged:
    """The values without the conflicts that a curator found to be none: of a field with a curator's
    own value, or closed by hand."""
    left = tuple(
        conflict
        for conflict in merged.conflicts
        if conflict.field not in decided.overrides and decided.keeps(CLOSED, conflict.key)
    )
    return merged if len(left) == len(merged.conflicts) else replace(merged, conflicts=left)


def order_conflicts(
    oldest: Sequence[tuple[Merged, enrich.EpisodeDecisions]],
) -> list[tuple[FieldConflict, ...]]:
    """For each episode, oldest first, the conflict of its date with its number, where there is one.

    The number decides the order. Of the episodes that have both, the fewest are told of whose dates
    have to be wrong for the others to be right, so that one wrong number does not put all other
    episodes on the list.
    """
    found: list[tuple[FieldConflict, ...]] = [() for _ in oldest]
    dated = [
        place
        for place, (merged, _) in enumerate(oldest)
        if merged.number is not None and merged.moment
    ]
    days = {place: moment.at.date() for place in dated if (moment := oldest[place][0].moment)}
    in_order = _longest_run(dated, days)
    for index, place in enumerate(dated):
        if place in in_order:
            continue
        merged, decided = oldest[place]
        conflict = _conflict(merged, oldest[_beside(dated, index, days, in_order)][0])
        own = {"published", "number", "season"} & decided.overrides.keys()
        if not own and decided.keeps(CLOSED, conflict.key):
            found[place] = (conflict,)
    return found


def _longest_run(dated: Sequence[int], days: Mapping[int, date]) -> set[int]:
    """The most places whose days follow each other; of equal runs one with the earlier places."""
    ends: list[int] = []  # negated days, so that the run is found from its end
    last: list[int] = []
    after: dict[int, int | None] = {}
    for place in reversed(dated):
        day = -days[place].toordinal()
        length = bisect_right(ends, day)
        after[place] = last[length - 1] if length else None
        ends[length : length + 1] = [day]
        last[length : length + 1] = [place]
    run: set[int] = set()
    following = last[-1] if last else None
    while following is not None:
        run.add(following)
        following = after[following]
    return run


def _beside(dated: Sequence[int], index: int, days: Mapping[int, date], in_order: set[int]) -> int:
    """The place of the nearest episode in order that the date contradicts: one before it, else one
    after it."""
    place = dated[index]
    before = (
        other
        for other in reversed(dated[:index])
        if other in in_order and days[other] > days[place]
    )
    after = (
        other for other in dated[index + 1 :] if other in in_order and days[other] < days[place]
    )
    return next(chain(before, after))


def _conflict(merged: Merged, other: Merged) -> FieldConflict:
    assert merged.moment is not None, "only dated episodes contradict"
    assert other.moment is not None, "the other one too"
    return FieldConflict(
        "published",
        merged.provenance["published"].source,
        merged.moment.isoformat(),
        other.provenance["published"].source,
        f"number {numbering(other.season, other.number)} is dated {other.moment.isoformat()}",
    )
