"""Conflicts of an episode: those that a curator closed, and those of its date with the order of the
show; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

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
    return replace(merged, conflicts=left)


def order_conflicts(
    oldest: Sequence[tuple[Merged, enrich.EpisodeDecisions]],
) -> list[tuple[FieldConflict, ...]]:
    """For each episode, oldest first, the conflict of its date with its number, where there is one:
    the episode numbered before it is dated after it. The number decides the order."""
    found: list[tuple[FieldConflict, ...]] = [() for _ in oldest]
    dated = [
        (place, merged.moment)
        for place, (merged, _) in enumerate(oldest)
        if merged.number is not None and merged.moment is not None
    ]
    for (before, earlier), (place, moment) in pairwise(dated):
        (other, judged), (merged, decided) = oldest[before], oldest[place]
        conflict = FieldConflict(
            "published",
            merged.provenance["published"].source,
            moment.isoformat(),
            other.provenance["published"].source,
            f"number {numbering(other.season, other.number)} is dated {earlier.isoformat()}",
        )
        own = {"published", "number", "season"} & (decided.overrides | judged.overrides).keys()
        is_open = not own and decided.keeps(CLOSED, conflict.key)
        if is_open and earlier.at.date() > moment.at.date():
            found[place] = (conflict,)
    return found
