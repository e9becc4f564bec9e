"""Loads the inputs of a resolve: evidence, decisions, and the readings that an earlier resolve
stored."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Max, Q, QuerySet

from ..identity import EntryRef
from ..models import (
    CORRECTION_KINDS,
    DECISION_KINDS,
    JOINING_VERDICTS,
    LIST_DECISION_KINDS,
    PAIR_VERDICTS,
    REMOVED,
    RERUN_VERDICTS,
    TRANSCRIPTS_SLUG,
    Capture,
    Decision,
    Document,
    EntryReading,
    Episode,
    EpisodeReading,
    IngestRun,
    Item,
    Podcast,
    Redirect,
    Revision,
    Status,
    Topic,
)
from ..notes import TopicNames, TopicRule, topic_name_key
from ..records import (
    CorrectedValue,
    Decisions,
    EntryData,
    MatchDecision,
    RerunDecision,
    SourceEntry,
    TopicTag,
    WithdrawalData,
)
from ..text.fingerprints import fingerprint, fingerprint_of_code
from ..text.urls import host_of
from ..transcripts import CHAPTERS, TRANSCRIPT
from .pipeline import StoredCatalog
from .read_episodes import EpisodeOutline, StoredReading

fingerprint_of_readers = partial(
    fingerprint_of_code,
    *("dates", "identity", "notes", "resolve", "text", "transcripts", "fields.py", "records.py"),
    libraries=("nh3", "PyStemmer", "rapidfuzz", "webencodings"),
)


@dataclass(frozen=True)
class Evidence:
    """All that the sources of a show say now. The ids of items and of their newest revisions are by
    the reference of the entry."""

    entries: list[SourceEntry]
    items: dict[EntryRef, int]
    revisions: dict[EntryRef, int]


@dataclass(slots=True)
class _EntryRevisions:
    """The id and payload of the newest revision of an entry, and traces of its earlier ones."""

    newest_id: int = 0
    payload: dict[str, Any] = field(default_factory=dict)
    # Transcripts and chapters that earlier revisions offered, the latest first.
    former_files: list[tuple[str, ...]] = field(default_factory=list)
    first_version_by_title: dict[str, int] = field(default_factory=dict)
    first_published: str = ""

    def add_next_revision(self, version: int, revision_id: int, payload: dict[str, Any]) -> None:
        """Make a revision the newest. Call it for each, the oldest first."""
        is_first = not self.newest_id
        if is_first:
            self.first_published = payload.get("published", "")
        # Here `self.payload` is of the revision before, so its files are former ones now.
        replaced_files = []
        for kind, *values in self.payload.get("extras", ()):
            if kind in (TRANSCRIPT, CHAPTERS):
                replaced_files.append((kind, *values))
        self.former_files = replaced_files + self.former_files
        # `setdefault` keeps the version of an earlier revision with the same title.
        self.first_version_by_title.setdefault(payload.get("title", ""), version)
        self.newest_id = revision_id
        self.payload = payload


@dataclass(frozen=True)
class StoredEpisode:
    """The row of an episode, as far as a resolve compares it."""

    pk: int
    slug: str
    order: int
    sorted_at: datetime
    fingerprint: str


def load_evidence(podcast: Podcast) -> Evidence:
    items = _items_of_show(podcast)
    documents = Document.objects.filter(pk__in=items.values("document")).select_related("source")
    attributes_by_document = {document.pk: _document_attributes(document) for document in documents}
    revisions_by_item = _load_revisions_by_item(podcast)
    new_host_versions = _load_new_host_versions_by_document(items)
    item_columns = ("key", "position", "first_version", "gone_version", "absences", "is_post")
    entries = []
    item_ids = {}
    revision_ids = {}
    for item in items.values("pk", "document", *item_columns).iterator(2000):
        # `pop` frees the memory: the payloads of a large show take much.
        revisions = revisions_by_item.pop(item["pk"])
        versions = new_host_versions[item["document"]]
        attributes = attributes_by_document[item["document"]] | {
            "came_with_new_host": item["first_version"] in versions
        }
        entry = _build_source_entry(item, revisions, attributes)
        entries.append(entry)
        item_ids[entry.ref] = item["pk"]
        revision_ids[entry.ref] = revisions.newest_id
    return Evidence(entries, item_ids, revision_ids)


def _load_new_host_versions_by_document(items: QuerySet[Item]) -> Mapping[int, Set[int]]:
    """Return the versions of each document that replaced all of several entries, by its id."""
    first_versions = defaultdict[int, list[int]](list)
    vanishing_versions = defaultdict[int, list[int]](list)  # without an item that was there before
    columns = ("document", "first_version", "gone_version")
    for document, first_version, vanishing_version in items.values_list(*columns):
        first_versions[document].append(first_version)
        if vanishing_version is not None:
            vanishing_versions[document].append(vanishing_version)
    versions_by_document = defaultdict[int, set[int]](set)
    for document, versions in vanishing_versions.items():
        versions.sort()
        versions_with_new_items = sorted(first_versions[document])
        for version, vanishing_count in Counter(versions).items():
            # Of the entries that came before this version, all have vanished by now.
            older_count = bisect_left(versions_with_new_items, version)
            vanished_count = bisect_right(versions, version)
            is_none_left = vanished_count == older_count
            # A feed of the newest episode alone replaces its only entry with each episode.
            if vanishing_count > 1 and is_none_left:
                versions_by_document[document].add(version)
    return versions_by_document


def _build_source_entry(
    item: Mapping[str, Any], revisions: _EntryRevisions, document_attributes: Mapping[str, Any]
) -> SourceEntry:
    titles = [(version, title) for title, version in revisions.first_version_by_title.items()]
    absences = [tuple(absence) for absence in item["absences"]]  # JSON has lists
    return SourceEntry(
        key=item["key"],
        position=item["position"],
        values=EntryData.from_payload(revisions.payload),
        first_version=item["first_version"],
        gone_version=item["gone_version"],
        absences=tuple(absences),
        is_post=item["is_post"],
        former_files=tuple(revisions.former_files),
        titles=tuple(titles),
        first_published=revisions.first_published,
        **document_attributes,
    )


def _document_attributes(document: Document) -> dict[str, Any]:
    source = document.source
    return {
        "source": source.slug,
        "document": document.address,
        "rank": source.rank,
        "may_create": source.may_create,
        "is_publisher": source.own,
        "url": document.url,
        "host": host_of(document.url or source.address),
        "is_at_source_address": document.address == source.address,
        "is_confirmed": document.vouched,
        "is_transcript": source.reader == TRANSCRIPTS_SLUG,
    }


def _load_revisions_by_item(podcast: Podcast) -> dict[int, _EntryRevisions]:
    rows = Revision.objects.filter(item__document__source__podcast=podcast).order_by("version")
    revisions_by_item: dict[int, _EntryRevisions] = defaultdict(_EntryRevisions)
    columns = ("item_id", "version", "pk", "payload")
    for item, version, revision_id, payload in rows.values_list(*columns).iterator(2000):
        revisions_by_item[item].add_next_revision(version, revision_id, payload)
    return revisions_by_item


def load_episodes(podcast: Podcast) -> list[StoredEpisode]:
    rows = Episode.objects.filter(podcast=podcast).order_by("order")
    columns = ("pk", "slug", "order", "sorted_at", "reading__fingerprint")
    return [
        StoredEpisode(pk, slug, order, sorted_at, fingerprint or "")
        for pk, slug, order, sorted_at, fingerprint in rows.values_list(*columns)
    ]


def load_stored_readings_and_fingerprints(
    podcast: Podcast,
    evidence: Evidence,
    topic_rules: Sequence[TopicRule],
    episodes: Sequence[StoredEpisode],
) -> StoredCatalog:
    """Return the results of the last resolve, and the present inputs that their fingerprints are compared
    with, so that only changed entries and episodes are read again."""
    fingerprints = {episode.slug: episode.fingerprint for episode in episodes}
    # If it differs from the stored one, topics are found anew, but no outline is read again.
    topic_rules_fingerprint = fingerprint(
        fingerprint_of_readers(), podcast.title, list(topic_rules)
    )
    return StoredCatalog(
        readings=_load_readings_by_fingerprint(podcast),
        fingerprints=fingerprints,
        match_keys=_load_current_match_keys_by_entry(podcast, evidence),
        revisions=evidence.revisions,
        files=_load_file_hashes(podcast),
        corrected_words=_load_corrected_words_by_entry(podcast),
        # If it differs from the stored one, all outlines are read again.
        rules_fingerprint=fingerprint_of_rules(podcast),
        topic_rules_fingerprint=topic_rules_fingerprint,
    )


def _load_corrected_words_by_entry(podcast: Podcast) -> dict[tuple[str, str], list[Any]]:
    """Return the corrections of transcripts by source and key of the entry, each as id, key and value of its
    decision. An episode is resolved anew if they differ from those of the last resolve."""
    corrected_words = defaultdict(list)
    for decision in load_corrected_words(podcast):
        # With the id, because the order of the corrections counts.
        correction = (decision.pk, decision.key, decision.value)
        corrected_words[decision.entry].append(correction)
    return corrected_words


def _load_readings_by_fingerprint(podcast: Podcast) -> dict[str, StoredReading]:
    """Return the stored readings of a show's episodes by `outline_fingerprint`."""
    rows = EpisodeReading.objects.filter(episode__podcast=podcast).order_by()
    columns = ("outline_fingerprint", "outline", "text", "tags", "tags_fingerprint")
    readings = {}
    for outline_fingerprint, payload, text, tags, tags_fingerprint in rows.values_list(*columns):
        # A reading that another release stored may have other fields, for which the constructors raise.
        # It is left out, so the episode is read again.
        with suppress(TypeError, KeyError):
            outline = EpisodeOutline.from_payload(payload)
            topic_tags = tuple(TopicTag(**tag) for tag in tags)
            readings[outline_fingerprint] = StoredReading(
                outline, text, topic_tags, tags_fingerprint
            )
    return readings


def _load_current_match_keys_by_entry(
    podcast: Podcast, evidence: Evidence
) -> dict[EntryRef, dict[str, Any]]:
    """Return the stored match keys of the entries that have not changed since. An entry is given by its
    `SourceEntry.ref`."""
    rows = EntryReading.objects.filter(item__document__source__podcast=podcast).order_by()
    fingerprint_and_keys_by_item = {}
    for item_id, entry_fingerprint, keys in rows.values_list("item", "fingerprint", "match_keys"):
        fingerprint_and_keys_by_item[item_id] = (entry_fingerprint, keys)
    match_keys = {}
    for ref, item_id in evidence.items.items():
        # "", in place of a row that is missing, equals no fingerprint.
        stored_fingerprint, stored_keys = fingerprint_and_keys_by_item.get(item_id, ("", {}))
        # Keys that were computed from another revision, for a show of another title, or by another release
        # of the program, have another fingerprint.
        if stored_fingerprint == fingerprint_of_entry(podcast, evidence.revisions[ref]):
            match_keys[ref] = stored_keys
    return match_keys


def _load_file_hashes(podcast: Podcast) -> dict[str, str]:
    versions = Capture.objects.versions().filter(
        document__source__podcast=podcast, document__kind="companion"
    )
    # The newest one comes last, and stays.
    return dict(versions.order_by("version").values_list("document__address", "sha256"))


def fingerprint_of_entry(podcast: Podcast, revision: int) -> str:
    show = podcast.show
    return fingerprint(fingerprint_of_readers(), show.title, show.site_url, show.feed_url, revision)


def fingerprint_of_rules(podcast: Podcast) -> str:
    """Return the fingerprint of all inputs of an outline but the entries and decisions of its episode."""
    editorial = podcast.sources.order_by("slug").values_list("slug", "editorial")
    return fingerprint(fingerprint_of_readers(), podcast.show, list(editorial))


def last_import_time(podcast: Podcast) -> datetime | None:
    """Return when a document of the show was last imported, changed or not, or None if none was.

    The import at hand has stored its version already, and gets its row of `IngestRun` at its end.
    """
    # Files of transcripts are imported at any time, and say nothing about announced episodes.
    sources = podcast.sources.exclude(reader=TRANSCRIPTS_SLUG)
    runs = IngestRun.objects.filter(source__in=sources, outcome__in=IngestRun.GOOD)
    versions = Capture.objects.versions().filter(document__source__in=sources)  # no refused ones
    last_run = runs.aggregate(at=Max("started_at"))["at"]
    last_version = versions.aggregate(at=Max("taken_at"))["at"]
    times = filter(None, (last_run, last_version))
    return max(times, default=None)


def load_decisions(
    podcast: Podcast, successor_by_former_topic: Mapping[str, str | None]
) -> Decisions:
    """Return the decisions in force about the show's entries, topics, people, links and symbols, oldest
    first: the last one counts. A decision about a former topic holds for the topic that it was merged
    into."""
    in_force = Decision.objects.in_force(*DECISION_KINDS)
    rows = list(in_force.filter(Q(podcast=podcast) | Q(podcast=None)))
    # The detail of a withdrawal is the address that the episode had.
    withdrawals = [
        WithdrawalData(row.entry, row.value, row.detail, row.other)
        for row in _decisions_of_kind(rows, "withdrawal")
    ]
    overrides = [(row.entry, row.field, row.value) for row in _decisions_of_kind(rows, "value")]
    removals, additions = _removals_and_additions(rows, successor_by_former_topic)
    return Decisions(
        **_match_decisions_by_field(_decisions_of_kind(rows, "match")),
        removals=removals,
        additions=additions,
        overrides=tuple(overrides),
        withdrawals=tuple(withdrawals),
        corrections=_corrected_values(rows),
        refused_topics=_refused_topics(rows, successor_by_former_topic),
    )


def _decisions_of_kind(rows: Sequence[Decision], kind: str) -> list[Decision]:
    return [row for row in rows if row.kind == kind]


def _removals_and_additions(
    rows: Sequence[Decision], successor_by_former_topic: Mapping[str, str | None]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the members that curators removed from lists of episodes, and added to them, as `Decisions` has
    them. The kind of a decision names the list: "topic", "link", "person" and so on."""
    removals = []  # (entry, kind, key)
    additions = []  # (entry, kind, key, detail)
    for row in rows:
        if row.kind not in LIST_DECISION_KINDS:
            continue
        key = _current_key(row, successor_by_former_topic)
        if row.value == REMOVED:
            removals.append((row.entry, row.kind, key))
        else:
            additions.append((row.entry, row.kind, key, row.detail))
    return tuple(removals), tuple(additions)


def _match_decisions_by_field(rows: Sequence[Decision]) -> dict[str, Any]:
    """Return decisions of the kind "match" by the names of the fields of `Decisions` that take them."""
    pairs = []
    reruns = []
    own_episodes = set()
    never_joined = set()
    not_episodes = set()
    for row in rows:
        # A re-run and its original are two episodes, so their verdicts are among these, too.
        if row.value in PAIR_VERDICTS:
            is_same = row.value in JOINING_VERDICTS
            # Two entries that were in one episode, and stay together as a curator merged it with another one.
            is_inherited = row.value == "kept"
            pairs.append(MatchDecision(row.entry, row.other, is_same, is_inherited))
        if row.value in RERUN_VERDICTS:
            reruns.append(RerunDecision(row.entry, row.other, row.value))
        if row.value == "ignore":
            not_episodes.add(row.entry)
        # The entry is an episode of its own, even if it resembles another one.
        if row.value == "new":
            own_episodes.add(row.entry)
            # A decision of this release has a detail, by which later entries may join the episode. Decisions of
            # earlier releases have none, and keep every other entry apart.
            if not row.detail:
                never_joined.add(row.entry)
    return {
        "match_decisions": tuple(pairs),
        "own_episodes": frozenset(own_episodes),
        "never_joined": frozenset(never_joined),
        "not_episodes": frozenset(not_episodes),
        "rerun_decisions": tuple(reruns),
    }


def _current_key(row: Decision, successor_by_former_topic: Mapping[str, str | None]) -> str:
    merged_into = successor_by_former_topic.get(row.key) if row.kind == "topic" else None
    return merged_into or row.key


def _corrected_values(rows: Sequence[Decision]) -> tuple[CorrectedValue, ...]:
    """Return the corrections of people, links and symbols. A correction for this show comes after the
    corrections for all shows, and counts."""
    corrections = [row for row in rows if row.kind in CORRECTION_KINDS]
    corrections.sort(key=lambda row: row.podcast_id is not None)  # False comes before True
    return tuple(
        CorrectedValue(row.kind.removeprefix("correct-"), row.key, row.field, row.value)
        for row in corrections
    )


def _refused_topics(
    rows: Sequence[Decision], successor_by_former_topic: Mapping[str, str | None]
) -> frozenset[str]:
    """Return the keys of the topics that keywords must not make: refused and deleted ones."""
    deleted = [slug for slug, topic in successor_by_former_topic.items() if topic is None]
    refused = [row.key for row in _decisions_of_kind(rows, "refusal")]
    return frozenset([*refused, *map(topic_name_key, deleted)])


def load_corrected_words(podcast: Podcast) -> list[Decision]:
    """Return the decisions about words of the show's transcripts, the first one first. Decisions about
    all transcripts have no source and no key of an entry."""
    rows = Decision.objects.in_force("words", "show-words").filter(podcast=podcast)
    return list(rows.only("source", "item_key", "key", "value"))


def load_topic_rules_and_names(
    podcast: Podcast, successor_by_former_topic: Mapping[str, str | None]
) -> tuple[list[TopicRule], TopicNames]:
    """Return the rules of the topics that the show can have, and the names of the topics of the
    whole site."""
    topics = list(Topic.objects.order_by("slug"))
    rules = []
    for topic in topics:
        # A declared topic follows from keywords of the feed, so it has no rules.
        if topic.may_be_of_show(podcast.pk) and not topic.declared:
            names = [topic.name, *topic.aliases]
            rules.append(TopicRule.from_fields(topic.slug, names, topic.rules))
    slugs_with_names = [(topic.slug, (topic.name, *topic.aliases)) for topic in topics]
    # Without topics that were deleted, which have no successor.
    successor_by_merged_topic = {
        slug: successor for slug, successor in successor_by_former_topic.items() if successor
    }
    declared_slugs = [topic.slug for topic in topics if topic.declared]
    topic_names = TopicNames.collect(slugs_with_names, successor_by_merged_topic, declared_slugs)
    return rules, topic_names


def load_successors_of_former_topics() -> dict[str, str | None]:
    rows = Redirect.objects.filter(kind="topic").order_by("slug")
    return dict(rows.values_list("slug", "topic__slug"))


def _items_of_show(podcast: Podcast) -> QuerySet[Item]:
    items = Item.objects.filter(document__source__podcast=podcast)
    return items.exclude(document__source__status=Status.REMOVED).order_by()
