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
from .sync_rows import Scope, find_ids_by_value, sync_and_return_changed_keys
from .write_episodes import value_columns


def write_episode_entries(
    result: ResolvedShow,
    episode_ids: Mapping[str, int],
    item_ids: Mapping[EntryRef, int],
    scope: Scope,
) -> None:
    """Write which episode each entry belongs to, with the reasons, for the changed episodes."""
    rows = {}
    for slug, entry in result.iterate_parts("entries"):
        item = item_ids[entry.ref]
        reasons = list(result.reasons.get(entry.ref, ()))
        rows[(item,)] = {"episode_id": episode_ids[slug], "reasons": reasons}
    # Rows of new entries are looked up, too: an entry may have moved here from another episode.
    stored_item_ids = Attachment.objects.filter(**scope).values_list("item", flat=True)
    item_ids_to_sync = {*stored_item_ids, *(item for (item,) in rows)}
    sync_and_return_changed_keys(
        Attachment, ("item_id",), rows, {"item__in": ids_subquery(list(item_ids_to_sync))}
    )


def write_unmatched_entries_and_detect_change(
    podcast: Podcast, result: ResolvedShow, item_ids: Mapping[EntryRef, int]
) -> bool:
    """Write a row for each unmatched entry, with the episodes that it may belong to, its candidates. Return
    whether a row has changed."""
    withdrawn_slugs = {episode.slug for episode in result.withdrawn}
    rows = {}
    for entry, candidates in result.held:
        payloads = []
        for candidate in candidates:
            slug = result.slugs[candidate.ref]
            payload: dict[str, Any] = {"episode": slug, "reasons": list(candidate.reasons)}
            if slug in withdrawn_slugs:
                payload["withdrawn"] = True
            payloads.append(payload)
        item_id = item_ids[entry.ref]
        rows[(item_id,)] = {"podcast_id": podcast.pk, "candidates": payloads}
    changed = sync_and_return_changed_keys(
        Held, ("item_id",), rows, {"item__document__source__podcast": podcast}
    )
    return bool(changed)


def write_withdrawn_episodes_and_detect_change(
    podcast: Podcast,
    result: ResolvedShow,
    episode_ids: Mapping[str, int],
    item_ids: Mapping[EntryRef, int],
) -> bool:
    episode_rows = _columns_of_withdrawn_episodes(podcast, result, episode_ids)
    changed_episodes = sync_and_return_changed_keys(
        WithdrawnEpisode, ("slug",), episode_rows, {"podcast": podcast}
    )
    # Only now the rows of the episodes are there, which the entries refer to.
    entry_rows = _columns_of_withdrawn_entries(result, item_ids)
    items_of_show = {"item__document__source__podcast": podcast}
    changed_entries = sync_and_return_changed_keys(
        WithdrawnEntry, ("item_id",), entry_rows, items_of_show
    )
    return bool(changed_episodes or changed_entries)


def _columns_of_withdrawn_episodes(
    podcast: Podcast, result: ResolvedShow, episode_id_by_slug: Mapping[str, int]
) -> dict[tuple[str], dict[str, Any]]:
    """Return the columns of withdrawn episodes, by a key of one column, the slug."""
    if not result.withdrawn:
        return {}  # most shows have none, and need no query
    decisions = Decision.objects.in_force("withdrawal").filter(podcast=podcast)
    decision_id_by_entry = {decision.entry: decision.pk for decision in decisions}
    rows = {}
    for episode in result.withdrawn:
        provenance = episode.merged.provenance
        columns = value_columns(episode.merged)
        columns["provenance"] = {name: value.payload() for name, value in provenance.items()}
        columns["podcast_id"] = podcast.pk
        columns["decision_id"] = decision_id_by_entry[episode.decision.entry]
        # None if no episode replaces it.
        columns["replaced_by_id"] = episode_id_by_slug.get(episode.replaced_by)
        rows[(episode.slug,)] = columns
    return rows


def _columns_of_withdrawn_entries(
    result: ResolvedShow, item_ids: Mapping[EntryRef, int]
) -> dict[tuple[int], dict[str, Any]]:
    """Return the columns of the entries of withdrawn episodes, by a key of one column, the item's id."""
    slugs = [episode.slug for episode in result.withdrawn]
    episode_ids = find_ids_by_value(WithdrawnEpisode, "slug", slugs)
    rows = {}
    for episode in result.withdrawn:
        for entry in episode.entries:
            item_id = item_ids[entry.ref]
            # Why it matched the episode. The first entry of an episode has no reasons.
            reasons = list(result.reasons.get(entry.ref, ()))
            rows[(item_id,)] = {"episode_id": episode_ids[episode.slug], "reasons": reasons}
    return rows
