"""Episodes in the making, and what curators decided that keeps some of it from the catalog: conflicts
that they closed and episodes that they took out; pure.

A withdrawal hangs on an entry and holds for whatever episode the entry belongs to, as every decision
about an episode does. So the entries of an episode that was taken out are matched like all others,
and a source that lists it anew, under another guid or at another host, joins it there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from ..notes import enrich
from ..records import (
    FieldConflict,
    Merged,
    RankedEntry,
    ResolvedWithdrawal,
    SourceEntry,
    WithdrawalData,
)
from ..text.numbering import numbering

CLOSED = "conflict"  # the kind of a removal


@dataclass(frozen=True, slots=True)
class Draft:
    """An episode in the making: who speaks of it, what was decided, what is said, and its address
    as soon as it has one."""

    entries: tuple[SourceEntry, ...]
    voices: Sequence[RankedEntry]  # those of the entries whose values count
    decided: enrich.EpisodeDecisions
    merged: Merged
    name: str  # tells it from others of the same title
    at: datetime | None  # sorts it; None where the date is unknown or still to come
    withdrawal: WithdrawalData | None = None
    slug: str = ""
    own_guid: str = ""  # its identifier in feeds

    @property
    def trusted(self) -> list[SourceEntry]:
        """The entries whose values count."""
        return [voice.entry for voice in self.voices]

    @property
    def pinned(self) -> str:
        """The address that a person gave it, or that it had when it was taken out."""
        return (
            self.withdrawal.address if self.withdrawal else self.decided.overrides.get("slug", "")
        )

    @property
    def shown_title(self) -> str:
        """The title, or the address that a person gave, from which the address is made."""
        return self.pinned or self.merged.title


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
    # Neighbours by number tell it all: a longer look would tell one mistake many times.
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


def withdrawal_of(
    entries: Sequence[SourceEntry], decided: Sequence[WithdrawalData]
) -> WithdrawalData | None:
    """The latest decision to take out the episode of these entries, if any.

    One that replaces the episode by itself says nothing: the two have become one since.
    """
    own = {entry.ref[::2] for entry in entries}
    # The last word counts.
    latest = reversed(decided)
    return next((row for row in latest if row.entry in own and row.other not in own), None)


def withdrawn(every: Sequence[Draft]) -> tuple[ResolvedWithdrawal, ...]:
    """The episodes that were taken out, oldest first, each with the shown one that
    replaces it, if there is one."""
    gone = [(draft, draft.withdrawal) for draft in every if draft.withdrawal]
    by_entry = {entry.ref[::2]: draft for draft in every for entry in draft.entries}
    return tuple(
        ResolvedWithdrawal(
            draft.slug, draft.merged, draft.entries, decision, _stand_in(decision, by_entry)
        )
        for draft, decision in gone
    )


def _stand_in(decision: WithdrawalData, by_entry: Mapping[tuple[str, str], Draft]) -> str:
    """The address of the episode that a chain of replacements ends with; "" where it ends nowhere,
    or goes round."""
    met: set[str] = set()
    while (other := by_entry.get(decision.other)) and other.slug not in met:
        if other.withdrawal is None:
            return other.slug
        met.add(other.slug)
        decision = other.withdrawal
    return ""
