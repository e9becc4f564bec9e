"""Closes conflicts between sources that a curator has looked at."""

from __future__ import annotations

from collections.abc import Iterable

from ..models import REMOVED, Episode
from ..records import FieldConflict
from .entries import anchor, in_force, on_entry
from .history import Impossible, User
from .verbs import changing_episode

KIND = "conflict"


def close_conflict(
    user: User, episode: Episode, key: str, *, seen: str = "", reason: str = ""
) -> None:
    """Accept a conflict as no problem; it comes back when the sources give other values.

    Raises:
        Impossible: the episode has no such conflict. Stale: somebody was faster.
    """
    close_conflicts(user, episode, [key], seen=seen, reason=reason)


def close_conflicts(
    user: User, episode: Episode, keys: Iterable[str], *, seen: str = "", reason: str = ""
) -> None:
    """Accept several conflicts of an episode, as one change.

    Raises:
        Impossible, Stale: as for one.
    """
    there = {
        conflict.key: conflict for conflict in (FieldConflict(**row) for row in episode.conflicts)
    }
    wanted = list(keys)
    if not there.keys() >= set(wanted):
        raise Impossible("The sources do not give these values any more.")
    with changing_episode(user, "close conflict", episode, seen, reason) as record:
        for key in wanted:
            conflict = there[key]
            # Two sources that give the same value make one key, and the catalog of a large show
            # follows later.
            if in_force(episode, KIND, key=key):
                continue
            own = on_entry(episode.podcast, anchor(episode), reason)
            record.decide(KIND, **own, key=key, value=REMOVED)
            record.tell(
                f"conflict of {conflict.field}",
                f"{conflict.value} / {conflict.other_value}",
                "not a problem",
            )


def reopen_conflict(
    user: User, episode: Episode, key: str, *, seen: str = "", reason: str = ""
) -> None:
    """List a conflict again that was closed."""
    with changing_episode(user, "reopen conflict", episode, seen, reason) as record:
        for row in in_force(episode, KIND, key=key):
            record.end(row)
            field, *values = key.split("\n")
            record.tell(f"conflict of {field}", "not a problem", " / ".join(values))
