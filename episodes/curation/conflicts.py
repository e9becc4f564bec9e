"""Closes conflicts between sources that a curator has looked at."""

from __future__ import annotations

from ..models import Episode, Removal
from ..records import FieldConflict
from .entries import anchor, in_force, on_entry
from .history import Impossible, User
from .verbs import changing_episode

KIND = "conflict"


def close_conflict(user: User, episode: Episode, key: str, *, seen: str = "", reason: str = "") -> None:
    """Accept a conflict as no problem; it comes back when the sources give other values.

    Raises:
        Impossible: the episode has no such conflict. Stale: somebody was faster.
    """
    conflicts = (FieldConflict(**row) for row in episode.conflicts)
    conflict = next((conflict for conflict in conflicts if conflict.key == key), None)
    if conflict is None:
        raise Impossible("The sources do not give these values any more.")
    with changing_episode(user, "close conflict", episode, seen, reason) as record:
        record.save(Removal(**on_entry(episode.podcast, anchor(episode), reason), kind=KIND, key=key))
        record.tell(f"conflict of {conflict.field}", f"{conflict.value} / {conflict.other_value}", "not a problem")


def reopen_conflict(user: User, episode: Episode, key: str, *, seen: str = "", reason: str = "") -> None:
    """List a conflict again that was closed."""
    with changing_episode(user, "reopen conflict", episode, seen, reason) as record:
        for row in in_force(Removal, episode, kind=KIND, key=key):
            record.end(row)
            field, *values = key.split("\n")
            record.tell(f"conflict of {field}", "not a problem", " / ".join(values))
