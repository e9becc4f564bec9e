"""Clusters of entries that share an identifier, or that a curator judged to be one episode. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

from ..records import MatchDecision, SourceEntry
from .compare import Profile, compare_profiles, is_later_episode
from .match_keys import IDENTIFIER_REASONS, MatchKeys

EntryRef = tuple[str, str, str]  # source, document and key of an entry
JUDGED = "a curator judged them the same"


class Partition:
    """The entries of a show in disjoint clusters. At first each entry is a cluster, and the methods join
    them. Pairs that a curator judged to be different episodes are never joined."""

    def __init__(
        self,
        entries: Sequence[SourceEntry],
        match_keys_by_ref: Mapping[EntryRef, MatchKeys],
        match_decisions: Sequence[MatchDecision],
    ) -> None:
        self.match_keys_by_ref = match_keys_by_ref
        # The entries of one cluster share one list.
        self.cluster_by_ref: dict[EntryRef, list[SourceEntry]] = {
            entry.ref: [entry] for entry in entries
        }
        self.reasons: dict[EntryRef, tuple[str, ...]] = {}
        # Decisions that two entries are the same are applied by `build_partition_from_decisions`.
        self.separated_pairs = set()
        for decision in match_decisions:
            if not decision.is_same:
                pair = frozenset((decision.entry, decision.other_entry))  # in either order
                self.separated_pairs.add(pair)

    def join_clusters_by_identifier_if_allowed(
        self, left: SourceEntry, right: SourceEntry, reason: str, *, is_guid: bool
    ) -> None:
        """Join the clusters of two entries, unless a decision, a document or a comparison forbids it."""
        left_cluster = self.cluster_by_ref[left.ref]
        right_cluster = self.cluster_by_ref[right.ref]
        if left_cluster is right_cluster:
            return
        # Compare whole clusters: joining two entries joins all entries of their clusters.
        is_separated = self.are_separated(left_cluster, right_cluster)
        if is_separated or are_listed_together(left_cluster, right_cluster):
            return
        comparison = compare_profiles(self.profile(left_cluster), self.profile(right_cluster))
        if comparison.forbids_join_by_identifier(is_guid=is_guid):
            return
        self._join(left_cluster, right_cluster)
        # An entry keeps the reason of its first join.
        self.reasons.setdefault(left.ref, (reason,))
        self.reasons.setdefault(right.ref, (reason,))

    def join_unless_separated(self, left: SourceEntry, right: SourceEntry) -> bool:
        """Join the clusters of two entries, unless another decision separates them. Return whether
        they are joined."""
        left_cluster = self.cluster_by_ref[left.ref]
        right_cluster = self.cluster_by_ref[right.ref]
        if left_cluster is right_cluster:
            return True
        if self.are_separated(left_cluster, right_cluster):
            return False
        self._join(left_cluster, right_cluster)
        return True

    def _join(self, left_cluster: list[SourceEntry], right_cluster: list[SourceEntry]) -> None:
        # The smaller cluster moves, so that joining n entries does not take n² steps.
        small, large = sorted((left_cluster, right_cluster), key=len)
        large.extend(small)
        for entry in small:
            self.cluster_by_ref[entry.ref] = large

    def clusters_of_entries_each_once(
        self, entries: Iterable[SourceEntry]
    ) -> list[list[SourceEntry]]:
        # A list cannot be the key of a dictionary.
        clusters_by_id = {}
        for entry in entries:
            cluster = self.cluster_by_ref[entry.ref]
            clusters_by_id[id(cluster)] = cluster
        return list(clusters_by_id.values())

    def profile(self, cluster: Sequence[SourceEntry]) -> Profile:
        return Profile(list(cluster), [self.match_keys_by_ref[entry.ref] for entry in cluster])

    def are_separated(self, left: Sequence[SourceEntry], right: Sequence[SourceEntry]) -> bool:
        for left_entry, right_entry in product(left, right):
            pair = frozenset((left_entry.source_key, right_entry.source_key))
            if pair in self.separated_pairs:
                return True
        return False


def are_listed_together(left: Iterable[SourceEntry], right: Iterable[SourceEntry]) -> bool:
    """Return whether a version of a document lists an entry of each, which are two episodes then."""
    pairs = product(left, right)
    return any(left_entry.was_listed_with(right_entry) for left_entry, right_entry in pairs)


def partition_by_decision_and_identifier(
    entries: Sequence[SourceEntry],
    match_keys_by_ref: Mapping[EntryRef, MatchKeys],
    match_decisions: Sequence[MatchDecision],
) -> Partition:
    """Return a partition in which entries that share an identifier, or that a curator judged the
    same, are in one cluster.

    An identifier that two entries of a version have identifies neither. Identifiers of unconfirmed
    pages join nothing.
    """
    partition = build_partition_from_decisions(entries, match_keys_by_ref, match_decisions)
    # Some feeds number their items from the newest, so that each guid moves on to the next item. So the items
    # of one document are joined by their files first.
    entries_by_document = defaultdict[tuple[str, str], list[SourceEntry]](list)
    for entry in entries:
        entries_by_document[entry.document_ref].append(entry)
    for document_ref in sorted(entries_by_document):
        _join_entries_by_identifier(partition, entries_by_document[document_ref], "audio")
    for kind in IDENTIFIER_REASONS:
        _join_entries_by_identifier(partition, entries, kind)
    return partition


def _join_entries_by_identifier(
    partition: Partition, entries: Iterable[SourceEntry], kind: str
) -> None:
    entries_by_identifier = _confirmed_entries_by_identifier(
        entries, partition.match_keys_by_ref, kind
    )
    # Sorted, so that the order of imports does not matter.
    for identifier in sorted(entries_by_identifier):
        equal_entries = entries_by_identifier[identifier]
        # Two entries of one version are two episodes, so their identifier identifies neither.
        if _has_entries_of_one_version(equal_entries):
            continue
        first, *others = equal_entries
        reason = IDENTIFIER_REASONS[kind]
        for other in others:
            # Another number does not forbid a join by GUID, as a feed may renumber an episode.
            partition.join_clusters_by_identifier_if_allowed(
                first, other, reason, is_guid=kind == "guid"
            )


def _confirmed_entries_by_identifier(
    entries: Iterable[SourceEntry], match_keys_by_ref: Mapping[EntryRef, MatchKeys], kind: str
) -> Mapping[str, list[SourceEntry]]:
    """Return entries by their "guid", "audio" or "page", which `kind` names."""
    entries_by_identifier = defaultdict[str, list[SourceEntry]](list)
    for entry in entries:
        identifier = getattr(match_keys_by_ref[entry.ref], kind)
        if identifier and entry.is_confirmed:
            entries_by_identifier[identifier].append(entry)
    return entries_by_identifier


def _has_entries_of_one_version(entries: Iterable[SourceEntry]) -> bool:
    return any(left.was_listed_with(right) for left, right in combinations(entries, 2))


def build_partition_from_decisions(
    entries: Sequence[SourceEntry],
    match_keys_by_ref: Mapping[EntryRef, MatchKeys],
    match_decisions: Sequence[MatchDecision],
) -> Partition:
    partition = Partition(entries, match_keys_by_ref, match_decisions)
    # A decision names source and key, which several documents of the source can use.
    entries_by_source_key = defaultdict[tuple[str, str], list[SourceEntry]](list)
    for entry in entries:
        entries_by_source_key[entry.source_key].append(entry)
    # Sorted, so that the result is the same in any order of the decisions.
    ordered_decisions = sorted(
        match_decisions, key=lambda decision: (decision.entry, decision.other_entry)
    )
    for decision in ordered_decisions:
        # `Partition` itself keeps apart the entries of the other decisions.
        if not decision.is_same:
            continue
        judged_entries = entries_by_source_key[decision.entry]
        for entry, other_entry in product(
            judged_entries, entries_by_source_key[decision.other_entry]
        ):
            is_joined = partition.join_unless_separated(entry, other_entry)
            # Pages show the reason with the entry that was decided about. A merge of two episodes also decides
            # that their other entries stay with them (`is_inherited`), which no curator compared.
            if is_joined and not decision.is_inherited:
                partition.reasons[entry.ref] = (JUDGED,)
    _join_successors_of_merged_items(partition, entries)
    return partition


def _join_successors_of_merged_items(partition: Partition, entries: Sequence[SourceEntry]) -> None:
    """Join merged items that left their feed with the present items of the same title and day.

    A new host gives the items of a feed other guids. Without this step a merged episode would match
    both present items, so it would join neither.
    """
    for cluster in partition.clusters_of_entries_each_once(entries):
        # Items that one version listed are two episodes, unless a curator merged them.
        has_merged_items = _has_entries_of_one_version(cluster)
        if not has_merged_items:
            continue
        for entry in list(cluster):  # a copy, as the cluster grows
            successors = _find_successors_of_vanished_entry(entry, partition, entries)
            # Of several items none is surely the same.
            if len(successors) == 1:
                partition.join_unless_separated(entry, successors[0])


def _find_successors_of_vanished_entry(
    vanished_entry: SourceEntry, partition: Partition, entries: Sequence[SourceEntry]
) -> list[SourceEntry]:
    """Return the items of the feed's newest version with the title and day of an item that left it.

    `gone_version` is the number of the first version without the item, None as long as it is listed.
    """
    vanished_keys = partition.match_keys_by_ref[vanished_entry.ref]
    if vanished_entry.gone_version is None or not vanished_keys.title:
        return []
    successors = []
    for entry in entries:
        is_in_newest_version = entry.gone_version is None
        if entry.document_ref == vanished_entry.document_ref and is_in_newest_version:
            keys = partition.match_keys_by_ref[entry.ref]
            has_title_and_day = (keys.title, keys.day) == (vanished_keys.title, vanished_keys.day)
            is_same_episode = entry.came_with_new_host or not is_later_episode(vanished_keys, keys)
            if has_title_and_day and is_same_episode:
                successors.append(entry)
    return successors
