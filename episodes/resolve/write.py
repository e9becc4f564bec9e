"""Resolves a show: loads its evidence and decisions, computes its catalog, and changes only the rows that
differ."""

import gc
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from django.db import models

from ..identity import was_in_future
from ..models import (
    Attachment,
    CatalogState,
    CodeName,
    EntryReading,
    Episode,
    EpisodeReading,
    Held,
    Link,
    Person,
    Podcast,
    Status,
    WithdrawnEpisode,
    ids_subquery,
    start_new_version,
)
from ..notes import fold_link_key, identify_link, make_identity, read_notes
from ..records import EpisodePosition, ResolvedShow
from .counts import (
    entry_statistics_by_source_slug,
    renew_planner_statistics,
    update_facet_counts_of_show_and_site,
    update_or_delete_counted_rows,
    write_all_episode_counts,
)
from .ledger import add_episode_addresses_to_ledger, select_slugs_of_other_shows
from .load_inputs import (
    Evidence,
    StoredEpisode,
    fingerprint_of_entry,
    last_import_time,
    load_decisions,
    load_episodes,
    load_evidence,
    load_stored_readings_and_fingerprints,
    load_successors_of_former_topics,
    load_topic_rules_and_names,
)
from .people import write_credits_and_return_changed_people
from .pipeline import ShowInputs, StoredCatalog, match_entries_and_read_outlines, resolve_show
from .read_episodes import StoredReading
from .show_facts import ShowFacts
from .sync_rows import BATCH_SIZE, Scope, delete_in_batches, sync_and_return_changed_keys
from .write_entries import (
    write_episode_entries,
    write_unmatched_entries_and_detect_change,
    write_withdrawn_episodes_and_detect_change,
)
from .write_episodes import (
    add_declared_topics,
    episode_columns_by_slug,
    write_and_return_changed_link_ids,
    write_and_return_changed_symbol_ids,
    write_episodes,
    write_references_between_episodes,
    write_topics_of_episodes,
)
from .write_meanings import delete_stale_meanings
from .write_transcripts import write_transcripts_and_chapters


@dataclass(frozen=True)
class ComputedCatalog:
    """The catalog of a show as it should be, and all that it takes to write it."""

    result: ResolvedShow
    evidence: Evidence
    stored: StoredCatalog
    stored_episodes: Sequence[StoredEpisode]


def compute_catalog(podcast: Podcast) -> ComputedCatalog:
    episodes = load_episodes(podcast)
    # `podcast` may have been loaded before the show was removed.
    is_removed = Podcast.objects.filter(pk=podcast.pk, status=Status.REMOVED).exists()
    if is_removed:
        # Its catalog is empty. Evidence and decisions stay for the day it is restored.
        no_evidence = Evidence([], {}, {})
        return ComputedCatalog(ResolvedShow(()), no_evidence, StoredCatalog(), episodes)
    with _without_garbage_collection():
        evidence = load_evidence(podcast)
        inputs = _load_inputs(podcast, evidence, episodes)
        result = resolve_show(inputs)
    return ComputedCatalog(result, evidence, inputs.stored_catalog, episodes)


def compute_facts(podcast: Podcast) -> ShowFacts:
    """Return the facts of a show that a preview of people and links needs. Write nothing."""
    with _without_garbage_collection():
        inputs = _load_inputs(podcast, load_evidence(podcast), load_episodes(podcast))
        return match_entries_and_read_outlines(inputs).facts


def _load_inputs(
    podcast: Podcast, evidence: Evidence, episodes: Sequence[StoredEpisode]
) -> ShowInputs:
    successor_by_former_topic = load_successors_of_former_topics()
    topic_rules, topic_names = load_topic_rules_and_names(podcast, successor_by_former_topic)
    decisions = load_decisions(podcast, successor_by_former_topic)
    stored_catalog = load_stored_readings_and_fingerprints(podcast, evidence, topic_rules, episodes)
    return ShowInputs(
        evidence.entries,
        decisions,
        podcast.show,
        topic_rules,
        select_reserved_slugs=partial(select_slugs_of_other_shows, podcast),
        stored_catalog=stored_catalog,
        last_import_at=last_import_time(podcast),
        topic_names=topic_names,
    )


def update_catalog(podcast: Podcast, computed: ComputedCatalog | None = None) -> ResolvedShow:
    """Bring the catalog of a show up to date with its evidence and decisions. Call it inside a
    transaction.

    `computed` is the catalog, if it was computed before and nobody has written the show since.
    """
    with _without_garbage_collection():
        current_catalog = computed or compute_catalog(podcast)
        _write_catalog(podcast, current_catalog)
    return current_catalog.result


def publish_due_episodes(podcast: Podcast) -> None:
    """Resolve a show if an episode's date, which was ahead at the last import, has come."""
    # Only an episode with a date that was ahead at the last resolve has an earlier `sorted_at`.
    waiting = Episode.objects.filter(podcast=podcast, sorted_at__lt=models.F("published_at"))
    first_date = waiting.aggregate(at=models.Min("published_at"))["at"]
    if first_date is not None and not was_in_future(first_date, last_import_time(podcast)):
        update_catalog(podcast)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Pause garbage collection: a resolve frees nothing before it ends, and scanning costs a fifth
    more time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _write_catalog(podcast: Podcast, computed: ComputedCatalog) -> None:
    """Write the differences between the stored and the computed catalog of a show, and of counts that
    depend on it."""
    result = computed.result
    item_ids = computed.evidence.items
    ids_by_slug = _write_changed_episodes_and_return_ids_of_all(podcast, computed)
    is_order_changed = _write_order_and_detect_change(podcast, computed)
    is_related_changed = _write_related_and_detect_change(podcast, computed)
    add_declared_topics(podcast, result.declared_topics)
    # `positions` are of all episodes, `episodes` are only the new and changed ones.
    current_slugs = {position.slug for position in result.positions}
    vanished_ids = [pk for slug, pk in ids_by_slug.items() if slug not in current_slugs]
    changed_ids = [ids_by_slug[episode.slug] for episode in result.episodes]
    # With the vanished episodes: their parts are deleted row by row, to know which counts change.
    scope = {"episode__in": ids_subquery([*changed_ids, *vanished_ids])}
    _write_parts_of_episodes(podcast, result, ids_by_slug, scope)
    is_withdrawal_changed = write_withdrawn_episodes_and_detect_change(
        podcast, result, ids_by_slug, item_ids
    )
    write_episode_entries(result, ids_by_slug, item_ids, scope)
    is_unmatched_changed = write_unmatched_entries_and_detect_change(podcast, result, item_ids)
    # Only now, because their parts and entries were deleted or moved row by row before.
    delete_in_batches(Episode.objects.all(), vanished_ids)
    add_episode_addresses_to_ledger(podcast, result)
    _write_episode_readings(computed, ids_by_slug)
    _store_new_match_keys(podcast, computed)
    changes = (
        result.episodes,
        vanished_ids,
        is_order_changed,
        is_related_changed,
        is_withdrawal_changed,
        is_unmatched_changed,
    )
    is_catalog_changed = any(changes)  # an empty list is no change
    _update_counts_and_catalog_version(podcast, computed, is_catalog_changed=is_catalog_changed)


def _update_counts_and_catalog_version(
    podcast: Podcast, computed: ComputedCatalog, *, is_catalog_changed: bool
) -> None:
    if is_catalog_changed:
        update_facet_counts_of_show_and_site(podcast)
        # `positions` are of all episodes that the show has now.
        episode_count_change = len(computed.result.positions) - len(computed.stored_episodes)
        renew_planner_statistics(episode_count_change)
    source_statistics = entry_statistics_by_source_slug(podcast)
    is_catalog_or_count_changed = CatalogState.mark_resolved_and_detect_change(
        podcast, source_statistics, is_catalog_changed=is_catalog_changed
    )
    if is_catalog_or_count_changed:
        # In the same transaction: readers see the pages of before, or all of this.
        start_new_version()


def _write_changed_episodes_and_return_ids_of_all(
    podcast: Podcast, computed: ComputedCatalog
) -> dict[str, int]:
    """Write the rows of new and changed episodes. Return the ids of all episodes by slug, also of stored ones
    that the show no longer has."""
    ids_by_slug = _rename_slugs_and_return_ids_by_slug(computed)
    columns_by_slug = episode_columns_by_slug(podcast, computed.result)
    stored_ids = [ids_by_slug[slug] for slug in columns_by_slug if slug in ids_by_slug]
    written_ids = write_episodes(columns_by_slug, scope={"pk__in": ids_subquery(stored_ids)})
    return {**ids_by_slug, **written_ids}


def _rename_slugs_and_return_ids_by_slug(computed: ComputedCatalog) -> dict[str, int]:
    """Rename the rows of episodes whose slug has changed, so that they keep their ids. Return the ids of
    all stored rows by slug.

    An episode with a new slug takes over the row of its entries: row 7 has the slug `jit`, which is of no
    episode any more, and an entry that belongs to `jit-compiler` now. So it gets that slug.
    """
    ids_by_slug = {episode.slug: episode.pk for episode in computed.stored_episodes}
    # `positions` are of all episodes that the show has now, `episodes` are only the new and changed ones. An
    # episode with a new slug is changed.
    current_slugs = {position.slug for position in computed.result.positions}
    old_slug_by_unused_id = {
        pk: slug for slug, pk in ids_by_slug.items() if slug not in current_slugs
    }
    if not old_slug_by_unused_id:
        return ids_by_slug
    unused_rows = ids_subquery(old_slug_by_unused_id)
    stored_entries = Attachment.objects.filter(episode__in=unused_rows).order_by()
    id_by_item = dict(stored_entries.values_list("item", "episode"))
    for episode in computed.result.episodes:
        if episode.slug in ids_by_slug:
            continue
        items = [computed.evidence.items[entry.ref] for entry in episode.entries]
        ids_of_entries = map(id_by_item.get, items)
        unused_id = next((pk for pk in ids_of_entries if pk in old_slug_by_unused_id), None)
        if unused_id is not None:
            Episode.objects.filter(pk=unused_id).update(slug=episode.slug)
            ids_by_slug[episode.slug] = unused_id
            # The row is in use now, so no further episode can take it over.
            old_slug = old_slug_by_unused_id.pop(unused_id)
            del ids_by_slug[old_slug]
    return ids_by_slug


def _write_parts_of_episodes(
    podcast: Podcast, result: ResolvedShow, episode_ids: Mapping[str, int], scope: Scope
) -> None:
    """Write the topics, symbols, links, people, references and transcripts of the episodes in `scope`.
    Delete vectors of texts that have changed, and count the episodes of symbols, links and people anew.
    `episode_ids` are by slug."""
    write_topics_of_episodes(result, episode_ids, scope)
    symbol_ids = write_and_return_changed_symbol_ids(result, episode_ids, scope)
    link_ids = write_and_return_changed_link_ids(result, episode_ids, scope)
    credits_by_slug = {episode.slug: episode.people for episode in result.episodes}
    person_ids = write_credits_and_return_changed_people(credits_by_slug, episode_ids, scope)
    write_references_between_episodes(result, episode_ids, scope)
    write_transcripts_and_chapters(podcast, result, episode_ids, scope)
    delete_stale_meanings(scope)
    # Last, because it locks rows that other shows have, too.
    update_or_delete_counted_rows({CodeName: symbol_ids, Link: link_ids, Person: person_ids})


def _write_order_and_detect_change(podcast: Podcast, computed: ComputedCatalog) -> bool:
    old_order = {
        episode.slug: (episode.order, episode.sorted_at) for episode in computed.stored_episodes
    }
    rows = {}  # by a key of one column, the slug
    for position in computed.result.positions:
        if old_order.get(position.slug) != (position.order, position.sorted_at):
            rows[(position.slug,)] = {"order": position.order, "sorted_at": position.sorted_at}
    if not rows:
        return False  # so that no row is loaded
    return _update_episodes_and_detect_change(podcast, rows)


def _write_related_and_detect_change(podcast: Podcast, computed: ComputedCatalog) -> bool:
    # They were not computed, because no episode has changed. The stored ones stay.
    if computed.result.related is None:
        return False
    rows = {}
    for slug, episodes in computed.result.related.items():
        slugs_and_reasons = [[episode.slug, episode.reason] for episode in episodes]
        rows[(slug,)] = {"related": slugs_and_reasons}
    return _update_episodes_and_detect_change(podcast, rows)


def _update_episodes_and_detect_change(
    podcast: Podcast, rows: Mapping[tuple[str], dict[str, Any]]
) -> bool:
    changed_keys = sync_and_return_changed_keys(
        Episode, ("slug",), rows, {"podcast": podcast}, keep_extra_rows=True
    )
    return bool(changed_keys)


def _write_episode_readings(computed: ComputedCatalog, ids_by_slug: Mapping[str, int]) -> None:
    """Store the readings that differ from the stored ones, and the readings of all episodes that were
    resolved anew, with their failures, such as a text that cannot be parsed."""
    result = computed.result
    failures_by_slug = {episode.slug: episode.failures for episode in result.episodes}
    rows = []
    for position in result.positions:
        reading = result.readings[position.outline_fingerprint]
        is_stored = computed.stored.readings.get(position.outline_fingerprint) == reading
        is_resolved_anew = position.slug in failures_by_slug
        if is_stored and not is_resolved_anew:
            continue
        row = _build_reading_row(reading, position, failures_by_slug.get(position.slug, {}))
        row.episode_id = ids_by_slug[position.slug]
        rows.append(row)
    _upsert(EpisodeReading, "episode", rows)


def _build_reading_row(
    reading: StoredReading, position: EpisodePosition, failures: Mapping[str, str]
) -> EpisodeReading:
    row = EpisodeReading(
        outline_fingerprint=position.outline_fingerprint,
        outline=reading.outline.payload(),
        text=reading.text,
        tags=[asdict(tag) for tag in reading.tags],
        tags_fingerprint=reading.tags_fingerprint,
        fingerprint=position.fingerprint,
        failures=failures,
    )
    if failures:
        # The next resolve reads the episode again, because "" equals no fingerprint.
        row.outline_fingerprint = ""
        row.fingerprint = ""
    return row


def _store_new_match_keys(podcast: Podcast, computed: ComputedCatalog) -> None:
    """Store the match keys that were computed anew, so that the next resolve need not compute them."""
    evidence = computed.evidence
    match_keys = computed.result.match_keys
    rows = []
    for entry in evidence.entries:
        is_stored = entry.ref in computed.stored.match_keys
        # Posts and transcripts are not among the entries that are compared with each other.
        is_compared = entry.is_listed
        has_failed = entry.ref not in match_keys
        if is_stored or not is_compared or has_failed:
            continue
        row = EntryReading(
            item_id=evidence.items[entry.ref],
            fingerprint=fingerprint_of_entry(podcast, evidence.revisions[entry.ref]),
            match_keys=match_keys[entry.ref].payload(),
        )
        rows.append(row)
    _upsert(EntryReading, "item", rows)


def _upsert(model: type[models.Model], key: str, rows: Sequence[models.Model]) -> None:
    other_columns = [field.name for field in model._meta.concrete_fields if field.name != key]
    model._default_manager.bulk_create(
        rows,
        batch_size=BATCH_SIZE,
        update_conflicts=True,
        unique_fields=[key],
        update_fields=other_columns,
    )


def clear_catalog(podcasts: Collection[Podcast]) -> None:
    """Delete the catalog of shows, so that `update_catalog` writes it anew. The ledger of addresses stays."""
    for model in (Episode, WithdrawnEpisode, Held, CatalogState):
        rows = model._default_manager.filter(podcast__in=podcasts)
        delete_in_batches(rows, list(rows.order_by().values_list("pk", flat=True)))
    EntryReading.objects.filter(item__document__source__podcast__in=podcasts).delete()
    # Of the deleted episodes alone. A person whom a remaining show credits keeps the row, and so the address.
    Link.objects.filter(mentions__isnull=True).delete()
    CodeName.objects.filter(mentions__isnull=True).delete()
    Person.objects.filter(credits__isnull=True).delete()
    write_all_episode_counts()


def page_identity(address: str) -> str:
    """Return the key of the link that an address is in the notes of any show."""
    return fold_link_key(identify_link(address).key)


def link_key(podcast: Podcast, address: str) -> str:
    """Return the key of the link that an address is in the notes of this show."""
    return fold_link_key(identify_link(address, read_notes.publisher_hosts(podcast.show)).key)


def person_identity(podcast: Podcast, name: str, address: str = "") -> str:
    """Return the identity of a person that a curator names: `@handle`, else the name with the address,
    else the name within this show."""
    if address.startswith("@"):
        return address.casefold()
    return make_identity(name, address, podcast.slug)
