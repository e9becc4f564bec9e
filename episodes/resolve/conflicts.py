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


def with_order_conflicts(oldest: Sequence[Merged]) -> list[Merged]:
    """The episodes, oldest first, each with the conflict of its date with its number, where there is
    one: the episode numbered before it is dated after it. The number decides the order."""
    found = list(oldest)
    dated = [
        (place, one, one.moment)
        for place, one in enumerate(oldest)
        if one.number is not None and one.moment is not None
    ]
    for (_, other, earlier), (place, merged, moment) in pairwise(dated):
        if earlier.at.date() > moment.at.date():
            conflict = FieldConflict(
                "published",
                merged.provenance["published"].source,
                moment.isoformat(),
                other.provenance["published"].source,
                f"number {numbering(other.season, other.number)} is dated {earlier.isoformat()}",
            )
            found[place] = replace(merged, conflicts=(*merged.conflicts, conflict))
    return found
