"""Computes the catalog of a show from evidence and decisions, always on this one path; pure.

1. Match the entries: each cluster is an episode.
2. Read the outline of each episode, unless it is stored.
3. Look at the show as a whole, by outlines alone: order, addresses, repeated sentences, topics that
   keywords declare, identities of people, names of episodes, related episodes.
4. Merge the episodes of which the inputs, the outline and the facts of the show, have changed.

A withdrawal hangs on an entry and holds for whatever episode the entry belongs to, as every decision
about an episode does. So the entries of a withdrawn episode are matched like all others, and a source
that lists it anew, under another guid or at another host, joins it there.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ..fields import NOTES_FIELD
from ..identity import (
    EntryRef,
    MatchKeys,
    ReservedSlugs,
    build_matching_with_transcripts,
    match_entries,
    no_reserved_slugs,
    was_in_future,
)
from ..notes import (
    LINK,
    SYMBOL,
    Attempts,
    Corrections,
    TopicNames,
    TopicRule,
    fold_link_key,
    read_notes,
)
from ..records import (
    Decisions,
    EpisodePosition,
    MatchingResult,
    ResolvedEpisode,
    ResolvedShow,
    Show,
    SourceEntry,
    WithdrawalData,
    cluster_by_entry,
    publication_date_of_isoformat,
)
from ..text.fingerprints import fingerprint
from ..text.summaries import summarize
from .drafts import (
    Draft,
    drafts_with_slugs_and_guids,
    remaining_drafts_newest_published_last,
    sort_oldest_first,
    withdrawn_episodes_with_replacements,
)
from .read_episodes import (
    EpisodeOutline,
    EpisodeReader,
    ReadingRules,
    StoredReading,
    read_match_keys,
    with_link_corrections,
)
from .show_facts import ShowFacts

WORDS_OF_ALL_TRANSCRIPTS = ("", "")  # in place of an entry


@dataclass(frozen=True)
class StoredCatalog:
    """The readings that an earlier resolve stored, and the other inputs of a resolve in the database."""

    # By `outline_fingerprint`.
    readings: Mapping[str, StoredReading] = field(default_factory=dict)
    # Of episodes by slug, the oldest first.
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    match_keys: Mapping[EntryRef, Mapping[str, Any]] = field(default_factory=dict)
    # The id of the newest revision of each entry.
    revisions: Mapping[EntryRef, int] = field(default_factory=dict)
    # Hashes of transcripts and chapters, by address.
    files: Mapping[str, str] = field(default_factory=dict)
    # Of transcripts, by source and key of an entry, or WORDS_OF_ALL_TRANSCRIPTS.
    corrected_words: Mapping[tuple[str, str], Sequence[Any]] = field(default_factory=dict)
    # Of all else that the outline of each episode depends on.
    rules_fingerprint: str = ""
    topic_rules_fingerprint: str = ""


@dataclass(frozen=True)
class ShowInputs:
    """All that the catalog of a show is computed from."""

    entries: Sequence[SourceEntry]
    decisions: Decisions
    show: Show
    topic_rules: Sequence[TopicRule]
    # Returns, of the slugs that it gets, the slugs of other shows.
    select_reserved_slugs: ReservedSlugs = no_reserved_slugs
    stored_catalog: StoredCatalog = field(default_factory=StoredCatalog)
    last_import_at: datetime | None = None  # of any document of the show
    topic_names: TopicNames = field(default_factory=TopicNames)  # of the topics of all shows


@dataclass(frozen=True)
class ShowReading:
    """The outlines of a show's episodes and the facts of the show, before any episode is built."""

    matching: MatchingResult
    match_keys: Mapping[EntryRef, MatchKeys]
    attempts: Mapping[EntryRef, Attempts]
    drafts: Sequence[Draft]  # of withdrawn episodes, too
    facts: ShowFacts


def match_entries_and_read_outlines(inputs: ShowInputs) -> ShowReading:
    """Match the entries, read the outline of each episode unless it is stored, and compute the facts of
    the show from all outlines."""
    entries = inputs.entries
    decisions = inputs.decisions
    # A text that cannot be read stops nothing. Its error is noted here, by entry.
    attempts = {entry.ref: Attempts(entry.address) for entry in entries}
    match_keys = _lazy_match_keys_by_entry(inputs, attempts)
    matching = match_show_entries(entries, decisions, match_keys)
    corrections = Corrections(decisions.corrections)
    reading_rules = ReadingRules(inputs.show, inputs.topic_rules, corrections)
    drafts_in_order_of_clusters = []
    decisions_of_clusters = list_decisions_of_each_cluster(matching.groups, decisions)
    for cluster, decided in zip(matching.groups, decisions_of_clusters, strict=True):
        episode_reader = EpisodeReader(cluster, decided, reading_rules, match_keys, attempts)
        draft = _draft_from_stored_or_new_outline(episode_reader, inputs)
        drafts_in_order_of_clusters.append(draft)
    oldest_first = sort_oldest_first(drafts_in_order_of_clusters)
    # With withdrawn episodes: they keep their addresses, which no other episode may get.
    drafts = drafts_with_slugs_and_guids(oldest_first, inputs.select_reserved_slugs, inputs.show)
    # Without withdrawn episodes, and again the oldest first.
    drafts_in_catalog = remaining_drafts_newest_published_last(drafts)
    facts = ShowFacts(drafts_in_catalog, entries, decisions, reading_rules, inputs.topic_names)
    return ShowReading(matching, match_keys, attempts, drafts, facts)


def resolve_show(inputs: ShowInputs) -> ResolvedShow:
    """Return the catalog of a show: the positions of all episodes, and the full values of the episodes
    that differ from the stored ones.

    The result depends on evidence and decisions, never on the order of imports or on stored readings.
    """
    stored_fingerprints = inputs.stored_catalog.fingerprints  # by slug, the oldest episode first
    reading = match_entries_and_read_outlines(inputs)
    matching = reading.matching
    facts = reading.facts
    positions = _build_positions_with_fingerprints(facts, matching, inputs.stored_catalog)
    changed_episodes = []
    for draft_index, position in enumerate(positions):
        if stored_fingerprints.get(position.slug) != position.fingerprint:
            changed_episodes.append(_build_resolved_episode(draft_index, facts))
    related = None  # the stored related episodes of all episodes stay
    slugs_in_order = [position.slug for position in positions]
    is_any_moved_or_removed = slugs_in_order != list(stored_fingerprints)
    # A change of one episode may change the related episodes of any other.
    if changed_episodes or is_any_moved_or_removed:
        related = facts.similar_episodes_by_slug()
        changed_episodes = [
            replace(episode, related=related[episode.slug]) for episode in changed_episodes
        ]
    # `reading.drafts` are of withdrawn episodes, too, `facts.drafts` are not.
    withdrawn = withdrawn_episodes_with_replacements(reading.drafts)
    # Only now, because reading the values above may add failures. Entries with a failure are read again.
    match_keys_to_store = {
        ref: keys for ref, keys in reading.match_keys.items() if not reading.attempts[ref].failures
    }
    return ResolvedShow(
        episodes=tuple(changed_episodes),
        positions=positions,
        held=matching.held,
        ignored=matching.ignored,
        reasons=matching.reasons,
        link_titles=facts.link_titles,
        declared_topics=tuple(facts.declared_topics.values()),
        withdrawn=withdrawn,
        related=related,
        slugs=_slugs_by_entry(reading.drafts),
        readings={draft.fingerprint: draft.stored for draft in facts.drafts},
        match_keys=match_keys_to_store,
    )


def _lazy_match_keys_by_entry(
    inputs: ShowInputs, attempts: Mapping[EntryRef, Attempts]
) -> dict[EntryRef, MatchKeys]:
    stored_keys = inputs.stored_catalog.match_keys
    match_keys = {}
    for entry in inputs.entries:
        # `MatchKeys` computes each key at its first use, so restored keys are never computed. `Attempts` notes
        # if a text cannot be read at that time.
        keys = read_match_keys(entry, inputs.show, attempts[entry.ref])
        if entry.ref in stored_keys:
            keys.restore(stored_keys[entry.ref])
        match_keys[entry.ref] = keys
    return match_keys


def _build_positions_with_fingerprints(
    facts: ShowFacts, matching: MatchingResult, stored_catalog: StoredCatalog
) -> tuple[EpisodePosition, ...]:
    # An episode with the stored fingerprint is not written again.
    positions = []
    for index, draft in enumerate(facts.drafts):
        position = EpisodePosition(
            slug=draft.slug,
            order=index + 1,
            sorted_at=facts.sorted_at[index],
            fingerprint=_fingerprint_of_episode_inputs(index, facts, matching, stored_catalog),
            outline_fingerprint=draft.fingerprint,
        )
        positions.append(position)
    return tuple(positions)


def _slugs_by_entry(drafts: Sequence[Draft]) -> dict[EntryRef, str]:
    slugs = {}
    for draft in drafts:
        for entry in draft.entries:
            slugs[entry.ref] = draft.slug
    return slugs


def match_show_entries(
    entries: Sequence[SourceEntry], decisions: Decisions, match_keys: Mapping[EntryRef, MatchKeys]
) -> MatchingResult:
    """Match the entries of a show, its transcripts last. Return clusters, each an episode, and the
    unmatched entries."""
    matching = match_entries(entries, match_keys, decisions)
    transcripts = []
    for entry in entries:
        if entry.is_transcript and entry.source_key not in decisions.not_episodes:
            transcripts.append(entry)
    if not transcripts:
        return matching
    # Last, as a transcript joins an episode and never two of them.
    return build_matching_with_transcripts(matching, transcripts, match_keys, decisions)


def list_decisions_of_each_cluster(
    clusters: Sequence[Sequence[SourceEntry]], decisions: Decisions
) -> list[read_notes.EpisodeDecisions]:
    """Return a list with the decisions about each cluster, in the order of the clusters."""
    index_by_entry = cluster_by_entry(clusters)  # of the cluster that the entry is in
    overrides = _group_decisions_by_cluster(decisions.overrides, index_by_entry)
    removals = _group_decisions_by_cluster(decisions.removals, index_by_entry)
    additions = _group_decisions_by_cluster(decisions.additions, index_by_entry)
    decisions_of_clusters = []
    for index in range(len(clusters)):
        decided = read_notes.EpisodeDecisions(
            # Of [("title", "A"), ("title", "B")] the last override of the field stays.
            overrides=dict(overrides[index]),
            removed=frozenset(removals[index]),
            # Each once, in the order of the decisions.
            added=tuple(dict.fromkeys(additions[index])),
        )
        decisions_of_clusters.append(decided)
    return decisions_of_clusters


def _group_decisions_by_cluster(
    decisions: Sequence[tuple[Any, ...]], cluster_index_by_entry: Mapping[tuple[str, str], int]
) -> defaultdict[int, list[Any]]:
    """Return decisions, such as (entry, field, value), without their entries, by the index of the cluster."""
    grouped = defaultdict[int, list[Any]](list)
    for entry_key, *values in decisions:
        # An entry that is gone, ignored or unmatched is in no cluster.
        if entry_key in cluster_index_by_entry:
            grouped[cluster_index_by_entry[entry_key]].append(tuple(values))
    return grouped


# -- the outlines of single episodes -----------------------------------------------------------------


def _draft_from_stored_or_new_outline(episode_reader: EpisodeReader, inputs: ShowInputs) -> Draft:
    stored_catalog = inputs.stored_catalog
    outline_fingerprint = _fingerprint_of_outline_inputs(episode_reader, stored_catalog)
    stored_or_new_reading = stored_catalog.readings.get(outline_fingerprint)
    if stored_or_new_reading is None:
        # Its tags follow below: without a fingerprint they are not current.
        stored_or_new_reading = StoredReading(
            episode_reader.read_episode_outline(),
            episode_reader.merged.text,
            tags=(),
            tags_fingerprint="",
        )
    outline = with_link_corrections(stored_or_new_reading.outline, episode_reader.rules.corrections)
    reading_with_tags = _stored_reading_with_current_tags(
        episode_reader, outline, stored_or_new_reading, stored_catalog
    )
    return Draft(
        reading=episode_reader,
        stored=reading_with_tags,
        outline=outline,
        fingerprint=outline_fingerprint,
        at=_sortable_date_or_none(outline, inputs.last_import_at),
        withdrawal=_last_withdrawal_in_force(episode_reader.entries, inputs.decisions),
    )


def _sortable_date_or_none(
    outline: EpisodeOutline, last_import_at: datetime | None
) -> datetime | None:
    """Return the date of an episode, or None if it is unknown or was still ahead at the last import."""
    date = publication_date_of_isoformat(outline.published)
    if date is None:
        return None
    # A date that a person gave is known, even if it is after the last import.
    is_from_import = outline.published_source not in ("curator", "by-hand")
    if is_from_import and was_in_future(date.at, last_import_at):
        return None
    return date.at


def _last_withdrawal_in_force(
    entries: Sequence[SourceEntry], decisions: Decisions
) -> WithdrawalData | None:
    entry_keys = {entry.source_key for entry in entries}
    for decision in reversed(decisions.withdrawals):
        # An episode does not replace itself: the two have become one since the decision.
        if decision.entry in entry_keys and decision.replacement not in entry_keys:
            return decision
    return None


def _stored_reading_with_current_tags(
    episode_reader: EpisodeReader,
    outline: EpisodeOutline,
    stored_reading: StoredReading,
    stored_catalog: StoredCatalog,
) -> StoredReading:
    topic_rules_fingerprint = stored_catalog.topic_rules_fingerprint
    tags_fingerprint = fingerprint(topic_rules_fingerprint, outline.visible_link_keys)
    if stored_reading.tags_fingerprint == tags_fingerprint:
        return stored_reading
    tags = episode_reader.find_tags_by_rules(outline, stored_reading.text)
    # "" is no fingerprint, so after a failure they are read again.
    if episode_reader.failures:
        tags_fingerprint = ""
    return replace(stored_reading, tags=tags, tags_fingerprint=tags_fingerprint)


def _fingerprint_of_outline_inputs(
    episode_reader: EpisodeReader, stored_catalog: StoredCatalog
) -> str:
    """Return a fingerprint of the entries, rules and decisions that the outline of an episode is read from. A stored
    outline with the same fingerprint is not read again."""
    entries = []
    for entry in episode_reader.entries:
        # The revision stands for all values of the entry.
        inputs_of_entry = (
            entry.ref,
            stored_catalog.revisions.get(entry.ref),
            entry.rank,
            entry.may_create,
            entry.is_publisher,
            entry.is_confirmed,
            entry.is_transcript,
            entry.first_version,
            entry.former_files,
        )
        entries.append(inputs_of_entry)
    decided = episode_reader.decided
    # Sorted, because the order of sets and dicts does not matter.
    overrides = sorted(decided.overrides.items())
    removed = sorted(decided.removed)
    return fingerprint(stored_catalog.rules_fingerprint, entries, overrides, removed, decided.added)


# -- single episodes with the facts of their show ----------------------------------------------------


def _fingerprint_of_episode_inputs(
    draft_index: int, facts: ShowFacts, matching: MatchingResult, stored_catalog: StoredCatalog
) -> str:
    """Return a fingerprint of all values that an episode is built from. An episode with the stored fingerprint is
    not built again."""
    draft = facts.drafts[draft_index]
    outline = draft.outline
    shared_sentences = sorted(facts.shared_sentences.intersection(outline.sentences))
    link_titles = []
    for link in outline.links:
        # Nothing is added for a link without a title. So if one link of a show gets a title, episodes
        # without that link keep their fingerprints.
        if link.key in facts.link_titles:
            link_titles.append((link.key, facts.link_titles[link.key]))
    file_hashes = [(address, stored_catalog.files.get(address)) for address in outline.files]
    corrected_words = _corrected_words_for_fingerprint(draft, stored_catalog)
    match_reasons = [matching.reasons.get(entry.ref) for entry in draft.entries]
    topic_tags = facts.topic_tags(draft_index)
    # The names of topics change the vector of the episode, for search by meaning. A topic's name is the
    # first of its aliases.
    topic_aliases = [facts.aliases_by_topic.get(tag.topic) for tag in topic_tags]
    return fingerprint(
        draft.fingerprint,
        _corrected_values_for_fingerprint(outline, facts.rules.corrections),
        draft.own_guid,
        draft.slug in facts.unlisted_slugs,
        shared_sentences,
        topic_tags,
        topic_aliases,
        facts.people[draft_index],
        facts.target_slugs_of_links_then_mentions(draft_index),
        facts.decided_target_slugs(draft_index),
        facts.rerun_descriptions_by_slug.get(draft.slug),
        link_titles,
        match_reasons,
        file_hashes,
        corrected_words,
    )


def _corrected_words_for_fingerprint(draft: Draft, stored_catalog: StoredCatalog) -> list[Any]:
    entry_keys = [entry.source_key for entry in draft.entries]
    # Words of all transcripts concern only episodes with a transcript, which is among its files.
    if draft.outline.files:
        entry_keys.append(WORDS_OF_ALL_TRANSCRIPTS)
    # None for an entry without corrections.
    return list(map(stored_catalog.corrected_words.get, entry_keys))


def _corrected_values_for_fingerprint(
    outline: EpisodeOutline, corrections: Corrections
) -> list[object]:
    """Return the values that curators corrected of the links and symbols of an episode, for its fingerprint.
    Without any, return [], so that a correction of one episode leaves the others alone."""
    values: list[object] = []
    # In most shows no link is corrected, and folding the keys of all links takes long.
    if corrections.keys(LINK):
        for link in outline.links:
            corrected_link = corrections.values_of(LINK, fold_link_key(link.key))
            if corrected_link:
                values.append((link.key, sorted(corrected_link.items())))
    if corrections.keys(SYMBOL):
        for symbol in outline.symbols:
            # A symbol that curators merged into another one gets the name and values of that one.
            final_name = corrections.find_final_key(SYMBOL, symbol)
            corrected_symbol = corrections.values_of(SYMBOL, final_name)
            if final_name != symbol or corrected_symbol:
                values.append((symbol, final_name, sorted(corrected_symbol.items())))
    return values


def _build_resolved_episode(draft_index: int, facts: ShowFacts) -> ResolvedEpisode:
    draft = facts.drafts[draft_index]
    reading = draft.reading
    merged = reading.merged
    notes_with_corrected_links = replace(merged.notes, html=reading.html)
    corrected_values = {**merged.values, NOTES_FIELD.name: notes_with_corrected_links}
    references_in_notes = read_notes.find_references_in_all_notes(
        draft.slug, reading.notes, facts.episode_names
    )
    references = read_notes.references_after_decisions(
        references_in_notes, draft.slug, draft.decided, facts.slugs_by_entry
    )
    summary = summarize(
        merged.title, reading.sentences, facts.shared_sentences, facts.rules.show.title
    )
    episode = ResolvedEpisode(
        slug=draft.slug,
        order=draft_index + 1,
        merged=replace(merged, values=corrected_values),
        entries=draft.entries,
        links=reading.links,
        topics=facts.topic_tags(draft_index),
        names=reading.symbols,
        people=facts.people[draft_index],
        references=references,
        summary=summary,
        sorted_at=facts.sorted_at[draft_index],
        own_guid=draft.own_guid,
        listed=draft.slug not in facts.unlisted_slugs,
        versions=tuple(facts.rerun_descriptions_by_slug.get(draft.slug, ())),
    )
    # Only now, because reading the values above may add failures.
    return replace(episode, failures=reading.failures)
