"""Writes the episodes that were taken out, with their entries: rows that no page of readers asks
for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..fields import STATED
from ..models import Decision, Podcast, WithdrawnEntry, WithdrawnEpisode
from ..records import Merged, Resolved
from .rows import ids_of, sync

Ref = tuple[str, str, str]


def columns(merged: Merged) -> dict[str, Any]:
    """The columns that hold the values of an episode."""
    each = (field.columns(merged.values[field.name]) for field in STATED)
    return {column: value for own in each for column, value in own.items()}


def write_withdrawn(
    podcast: Podcast,
    result: Resolved,
    episodes: Mapping[str, int],
    ids: Mapping[Ref, int],
) -> None:
    """Write the episodes of a show that were taken out."""
    rows = Decision.objects.in_force("withdrawal").filter(podcast=podcast)
    decisions = {row.entry: row.pk for row in rows}
    wanted = {
        (one.slug,): {
            **columns(one.merged),
            "provenance": {name: known.payload() for name, known in one.merged.provenance.items()},
            "podcast_id": podcast.pk,
            "decision_id": decisions[one.decision.entry],
            "replaced_by_id": episodes.get(one.replaced_by),
        }
        for one in result.withdrawn
    }
    sync(WithdrawnEpisode, ("slug",), wanted, {"podcast": podcast})
    there = ids_of(WithdrawnEpisode, "slug", [one.slug for one in result.withdrawn])
    entries = {
        (ids[entry.ref],): {
            "episode_id": there[one.slug],
            "reasons": list(result.reasons.get(entry.ref, ())),
        }
        for one in result.withdrawn
        for entry in one.entries
    }
    own = {"item__document__source__podcast": podcast}
    sync(WithdrawnEntry, ("item_id",), entries, own)
