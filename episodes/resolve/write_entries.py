"""Writes where the entries of a show belong: to an episode, to a withdrawn one, or to none yet."""

from collections.abc import Mapping
from typing import Any

from ..identity import EntryRef
from ..models import (
    Attachment,
    Decision,
    Held,
    Podcast,
    WithdrawnEntry,
    WithdrawnEpisode,
    ids_subquery,
)
from ..records import ResolvedShow
from .sync_rows import Scope, find_ids_by_value, sync
from .write_episodes import value_columns


def write_episode_entries(
    result: ResolvedShow,
    episode_ids: Mapping[str, int],
    item_ids: Mapping[EntryRef, int],
    scope: Scope,
) -> None:
    """Write which episode each entry belongs to, with the reasons, for the changed episodes."""
    target = {}
    for slug, entry in result.iterate_parts("entries"):
        reasons = list(result.reasons.get(entry.ref, ()))
        target[item_ids[entry.ref],] = {"episode_id": episode_ids[slug], "reasons": reasons}
    # By entry, not by episode: an entry may have moved here from another episode.
    before = Attachment.objects.filter(**scope).values_list("item", flat=True)
    items = {*before, *(item for (item,) in target)}
    sync(Attachment, ("item_id",), target, {"item__in": ids_subquery([*items])})


def write_unmatched_entries(
    podcast: Podcast, result: ResolvedShow, item_ids: Mapping[EntryRef, int]
) -> bool:
    """Write the entries that wait for a curator, with their candidates. Return whether they changed."""
    withdrawn = {episode.slug for episode in result.withdrawn}
    target = {}
    for entry, candidates in result.held:
        rows = []
        for candidate in candidates:
            slug = result.slugs[candidate.ref]
            row: dict[str, Any] = {"episode": slug, "reasons": list(candidate.reasons)}
            if slug in withdrawn:
                row["withdrawn"] = True
            rows.append(row)
        target[item_ids[entry.ref],] = {"podcast_id": podcast.pk, "candidates": rows}
    changed = sync(Held, ("item_id",), target, {"item__document__source__podcast": podcast})
    return bool(changed)


def write_withdrawn_episodes(
    podcast: Podcast,
    result: ResolvedShow,
    episode_ids: Mapping[str, int],
    item_ids: Mapping[EntryRef, int],
) -> bool:
    """Write the withdrawn episodes of a show and their entries. Return whether they changed."""
    decision_ids = {}
    if result.withdrawn:
        decisions = Decision.objects.in_force("withdrawal").filter(podcast=podcast)
        decision_ids = {decision.entry: decision.pk for decision in decisions}
    episodes = {}
    for episode in result.withdrawn:
        provenance = episode.merged.provenance
        episodes[episode.slug,] = {
            **value_columns(episode.merged),
            "provenance": {name: value.payload() for name, value in provenance.items()},
            "podcast_id": podcast.pk,
            "decision_id": decision_ids[episode.decision.entry],
            "replaced_by_id": episode_ids.get(episode.replaced_by),
        }
    changed = sync(WithdrawnEpisode, ("slug",), episodes, {"podcast": podcast})
    withdrawn_ids = find_ids_by_value(WithdrawnEpisode, "slug", [e.slug for e in result.withdrawn])
    entries = {}
    for episode in result.withdrawn:
        for entry in episode.entries:
            reasons = list(result.reasons.get(entry.ref, ()))
            row = {"episode_id": withdrawn_ids[episode.slug], "reasons": reasons}
            entries[item_ids[entry.ref],] = row
    of_show = {"item__document__source__podcast": podcast}
    changed |= sync(WithdrawnEntry, ("item_id",), entries, of_show)
    return bool(changed)
