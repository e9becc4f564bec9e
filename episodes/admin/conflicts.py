"""Conflicts between sources, as the form of an episode lists them: open, and closed by a
curator."""

from __future__ import annotations

from dataclasses import dataclass

from ..curation import in_force
from ..fields import BY_NAME
from ..models import Episode
from ..records import FieldConflict
from .base import date


@dataclass(frozen=True)
class ListedConflict:
    """A conflict in words."""

    key: str
    label: str
    words: str
    note: str = ""


def conflicts(episode: Episode) -> list[ListedConflict]:
    """The conflicts that need a decision."""
    rows = [FieldConflict(**row) for row in episode.conflicts]
    return [ListedConflict(row.key, BY_NAME[row.field].label, _words(row)) for row in rows]


def _words(row: FieldConflict) -> str:
    one, other = BY_NAME[row.field].words(row.value), BY_NAME[row.field].words(row.other_value)
    return f"{row.source} has “{one[:120]}”, {row.other_source} has “{other[:120]}”."


def closed_conflicts(episode: Episode) -> list[ListedConflict]:
    """The conflicts that a curator closed; they stay closed for as long as sources give the same
    values."""
    found = []
    for row in in_force(episode, "conflict"):
        name, *values = row.key.split("\n")
        field = BY_NAME.get(name)
        words = " / ".join(f"“{field.words(value)[:120] if field else value}”" for value in values)
        note = f"closed by {row.made_by or 'somebody'} on {date(row.made_at)}" + (
            row.reason and f": {row.reason}"
        )
        found.append(ListedConflict(row.key, field.label if field else name, words, note))
    return found
