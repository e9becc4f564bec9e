"""Episodes that curators took out: which they are, and what stands for those that were replaced;
pure.

The decision hangs on an entry and holds for whatever episode the entry belongs to, as every
decision about an episode does. So the entries of an episode that was taken out are matched like all
others, and a source that lists it anew, under another guid or at another host, joins it there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ..records import Merged, ResolvedWithdrawal, SourceEntry, WithdrawalData

Ref = tuple[str, str]


class Withdrawable(Protocol):
    """An episode in the making."""

    @property
    def slug(self) -> str: ...
    @property
    def merged(self) -> Merged: ...
    @property
    def entries(self) -> tuple[SourceEntry, ...]: ...
    @property
    def withdrawal(self) -> WithdrawalData | None: ...


def withdrawal_of(
    entries: Sequence[SourceEntry], decided: Sequence[WithdrawalData]
) -> WithdrawalData | None:
    """The latest decision to take out the episode of these entries, if any.

    One that replaces the episode by itself says nothing: the two have become one since.
    """
    own = {entry.ref[::2] for entry in entries}
    latest = reversed(decided)
    return next((row for row in latest if row.entry in own and row.other not in own), None)


def withdrawn(every: Sequence[Withdrawable]) -> tuple[ResolvedWithdrawal, ...]:
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


def _stand_in(decision: WithdrawalData, by_entry: Mapping[Ref, Withdrawable]) -> str:
    """The address of the episode that a chain of replacements ends with; "" where it ends nowhere,
    or goes round."""
    met: set[str] = set()
    while (other := by_entry.get(decision.other)) and other.slug not in met:
        if other.withdrawal is None:
            return other.slug
        met.add(other.slug)
        decision = other.withdrawal
    return ""
