"""Decides which entries of a show are one episode. Pure.

The order of imports does not matter: documents are taken in the order of
their sources, and the entries of a document are matched side by side.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import groupby, islice
from operator import attrgetter
from typing import NamedTuple

from ..fields import DATE_TOLERANCE_DAYS
from ..records import NO_DECISIONS, Candidate, Decisions, MatchingResult, SourceEntry
from .compare import (
    DOUBTFUL_DAYS,
    EQUAL_LENGTH,
    Comparison,
    Profile,
    compare_profiles,
    has_near_titles,
)
from .match_keys import IDENTIFIER_REASONS, MIN_DISTINCTIVE_TITLE, MatchKeys
from .partition import EntryRef, are_listed_together, partition_by_decision_and_identifier

MAX_CANDIDATES = 50  # under one key. A title of more episodes tells nothing by itself.
OUTRANKED = "another entry of the same document fits it as well or better"


def match_entries(
    entries: Sequence[SourceEntry],
    match_keys_by_ref: Mapping[EntryRef, MatchKeys],
    decisions: Decisions = NO_DECISIONS,
) -> MatchingResult:
    """Sort the entries of a show into clusters, one an episode. Return them with the unmatched entries,
    which have candidates, and the ignored entries.

    Posts and transcripts are left out: they are not listed.
    """
    listed = [entry for entry in entries if entry.is_listed]
    listed.sort(key=lambda entry: entry.order)
    to_match = [entry for entry in listed if entry.source_key not in decisions.not_episodes]
    matcher = _Matcher(to_match, match_keys_by_ref, decisions)
    for batch in _batches_by_document(to_match):
        matcher.match_entries_of_document(batch)
    unmatched = []
    ignored = []
    for entry in listed:
        cluster = matcher.cluster_by_ref.get(entry.ref)
        # A curator decided that it is no episode, or `matcher` left it out: it is a line of a page that
        # creates no episode and names no show.
        if cluster is None:
            ignored.append(entry)
        elif not cluster.is_episode:
            unmatched.append((entry, cluster.candidates))
    episodes = tuple(matcher.entries_by_episode())
    return MatchingResult(episodes, tuple(unmatched), tuple(ignored), matcher.reasons)


def _batches_by_document(entries: Sequence[SourceEntry]) -> list[list[SourceEntry]]:
    """Return batches of entries to match side by side: the entries of a document's newest version, then
    the entries that it no longer lists, the last removed first.

    Unconfirmed pages come last, so that they decide about nothing else. Before them come sources that create
    no episodes, whatever their priority: a page of such a source can only join an episode that is there.
    """

    def batch_order(entry: SourceEntry) -> tuple[object, ...]:
        return (not entry.is_confirmed, not entry.may_create, *entry.version_order)

    in_order = sorted(entries, key=batch_order)
    return [list(batch) for _, batch in groupby(in_order, batch_order)]


@dataclass(slots=True, eq=False)
class PlacedCluster:
    """An episode in the making, or unmatched entries. Later entries can join both."""

    is_episode: bool
    candidates: tuple[Candidate, ...] = ()  # of unmatched entries
    profile: Profile = field(default_factory=lambda: Profile([], []))


@dataclass(slots=True)
class ComparedCluster:
    """A placed cluster that an entry may belong to, and their comparison."""

    cluster: PlacedCluster
    comparison: Comparison
    has_entry_of_same_version: bool  # the document lists another entry that is in it
    is_opening_unique: bool = False  # no other cluster shares the opening

    @property
    def is_match(self) -> bool:
        if self.has_entry_of_same_version:
            return False
        return self.comparison.is_match(is_opening_unique=self.is_opening_unique)

    @property
    def needs_review(self) -> bool:
        if self.has_entry_of_same_version:
            return False
        return self.comparison.needs_review(is_opening_unique=self.is_opening_unique)

    @property
    def is_similar_but_outranked(self) -> bool:
        return self.has_entry_of_same_version and self.comparison.is_similar_and_uncontradicted

    @property
    def score(self) -> tuple[int, ...]:
        """Return a key that is greater for better clusters. The first value that differs decides."""
        days_apart = self.comparison.days_apart
        if days_apart is None:
            days_apart = DOUBTFUL_DAYS  # better than a date that is further away
        return (
            int(self.comparison.has_equal_title),
            len(self.comparison.supporting),
            -days_apart,
            self.comparison.opening,
        )


@dataclass(slots=True)
class MatchResult:
    """The clusters that entries may belong to. If `is_match`, there is one, and they join it. Else they
    are unmatched, or become an episode if there is no cluster."""

    entries: list[SourceEntry]
    compared: list[ComparedCluster] = field(default_factory=list)
    is_match: bool = False

    @property
    def score(self) -> tuple[int, ...]:
        return self.compared[0].score


class _Matcher:
    """The clusters that were placed so far."""

    def __init__(
        self,
        entries: Sequence[SourceEntry],
        match_keys_by_ref: Mapping[EntryRef, MatchKeys],
        decisions: Decisions,
    ) -> None:
        self.match_keys_by_ref = match_keys_by_ref
        self.decisions = decisions
        self.partition = partition_by_decision_and_identifier(
            entries, match_keys_by_ref, decisions.match_decisions
        )
        # `match_entries_of_document` places the clusters of the partition here, and adds reasons.
        self.reasons = dict(self.partition.reasons)
        self.clusters: list[PlacedCluster] = []
        self.cluster_by_ref: dict[EntryRef, PlacedCluster] = {}
        self.index = _ClusterIndex()

    def entries_by_episode(self) -> Iterator[tuple[SourceEntry, ...]]:
        for cluster in self.clusters:
            if cluster.is_episode:
                yield tuple(sorted(cluster.profile.entries, key=lambda entry: entry.order))

    def match_entries_of_document(self, batch: Sequence[SourceEntry]) -> None:
        """Match the entries of one document with the clusters before it, never with each other."""
        # An identifier may have placed entries with entries of an earlier document already.
        unplaced_entries = [entry for entry in batch if entry.ref not in self.cluster_by_ref]
        # Entries that share an identifier are placed together.
        unplaced = self.partition.clusters_of_entries_each_once(unplaced_entries)
        # Each round carries out the clear matches. An episode takes one entry of a document, so the rest is
        # matched again without these episodes, until a round has no clear match.
        while True:
            self.index.index_waiting_clusters()
            results = [self._find_match_or_candidates(entries) for entries in unplaced]
            winners = _best_match_of_each_cluster_unless_tied(results)
            if not winners:
                break
            for winner in winners:
                self._add_winner_to_its_cluster(winner)
            unplaced = [
                entries for entries in unplaced if entries[0].ref not in self.cluster_by_ref
            ]
        # The results of the last round are final.
        for result in results:
            self._add_episode_or_unmatched_cluster(result)

    def _find_match_or_candidates(self, entries: list[SourceEntry]) -> MatchResult:
        """Return the cluster that entries of one identifier join, or else the clusters that they
        may belong to, the best first. Change nothing."""
        # An episode that a curator separated joins nothing, but later entries can join it.
        if not self.decisions.never_joined.isdisjoint(_source_keys(entries)):
            return MatchResult(entries)
        compared = self._compare_with_joinable_clusters(entries)
        matches = [candidate for candidate in compared if candidate.is_match]
        # The other clusters are unmatched entries, which wait for a curator. Entries that match no episode
        # wait, too.
        matching_episodes = [candidate for candidate in matches if candidate.cluster.is_episode]
        if len(matching_episodes) == 1:
            return MatchResult(entries, matching_episodes, is_match=True)
        # A curator decides: between several matches, else between doubtful clusters, else between
        # similar clusters that have another entry of the document already.
        candidates = (
            matches
            or [candidate for candidate in compared if candidate.needs_review]
            or [candidate for candidate in compared if candidate.is_similar_but_outranked]
        )
        return MatchResult(entries, _best_first(candidates))

    def _compare_with_joinable_clusters(self, entries: list[SourceEntry]) -> list[ComparedCluster]:
        """Return the placed clusters that resemble the entries, each with its comparison. Leave out
        clusters that a curator separated from them, and other items of their feed."""
        profile = self.partition.profile(entries)
        all_similar = []
        for cluster in self.index.find_similar_clusters(profile):
            if not self.partition.are_separated(entries, cluster.profile.entries):
                all_similar.append(_compare_with_cluster(profile, cluster))
        # Before other items of the feed are left out: they show whether its episodes share their notes.
        _mark_cluster_with_unique_opening(all_similar)
        return [
            candidate
            for candidate in all_similar
            if not self._is_different_item_that_left_feed(entries, candidate)
        ]

    def _is_different_item_that_left_feed(
        self, entries: list[SourceEntry], candidate: ComparedCluster
    ) -> bool:
        """Return whether one of the items left the feed of the others, and they are two episodes, not one
        under another guid."""
        feeds_of_cluster = {entry.document_ref for entry in candidate.cluster.profile.entries}
        have_left_feed = any(self._has_left_feed_of(feeds_of_cluster, entry) for entry in entries)
        # Without an item that left the feed, the usual reasons decide.
        if not have_left_feed:
            return False
        comparison = candidate.comparison
        # Entries that one version of a document lists are two episodes.
        if candidate.has_entry_of_same_version or comparison.contradicting:
            return True
        # The usual case: a new host gave the same items other guids.
        if comparison.days_between_or_zero == 0:
            return False
        # A daily show has episodes with one text and other titles, or with one title and other texts.
        if comparison.has_other_title or comparison.has_other_text:
            return True
        # No further episode has their text, so they are one episode under another guid.
        if candidate.is_opening_unique:
            return False
        # A show of one format has many episodes of equal length, so a length supports nothing.
        near_date_or_number = set(comparison.supporting) - {EQUAL_LENGTH}
        return not near_date_or_number

    def _has_left_feed_of(self, feeds: Set[tuple[str, str]], entry: SourceEntry) -> bool:
        has_left = entry.gone_version is not None and entry.document_ref in feeds
        return has_left and self._may_create(entry)

    def _add_winner_to_its_cluster(self, winner: MatchResult) -> None:
        # A match has one cluster alone. With several it would have been no match.
        (match,) = winner.compared
        self._add_to_cluster(match.cluster, winner.entries)
        for entry in winner.entries:
            # An entry that shares an identifier with another one has that reason already.
            earlier_reasons = self.reasons.get(entry.ref, ())
            self.reasons[entry.ref] = earlier_reasons + match.comparison.reasons

    def _add_episode_or_unmatched_cluster(self, result: MatchResult) -> None:
        """Make a new cluster of entries without a match: an episode, or unmatched entries with
        candidates. Ignore entries that may be anything."""
        # A curator made it an episode, whatever it resembles.
        is_decided = not self.decisions.own_episodes.isdisjoint(_source_keys(result.entries))
        creators = [entry for entry in result.entries if self._may_create(entry)]
        has_confirmed_creator = any(entry.is_confirmed for entry in creators)
        resembles_clusters = bool(result.compared)
        names_show = any(entry.values.show for entry in result.entries)
        if is_decided or (has_confirmed_creator and not resembles_clusters):
            cluster = PlacedCluster(is_episode=True)
        elif resembles_clusters or creators or names_show:
            cluster = PlacedCluster(
                is_episode=False, candidates=_candidates_of_unmatched_entries(result)
            )
        else:
            # A line of a page that creates no episode and names no show may be anything.
            return
        self.clusters.append(cluster)
        self._add_to_cluster(cluster, result.entries)

    def _may_create(self, entry: SourceEntry) -> bool:
        return entry.may_create and not self.match_keys_by_ref[entry.ref].is_empty

    def _add_to_cluster(self, cluster: PlacedCluster, entries: Sequence[SourceEntry]) -> None:
        new_keys = [self.match_keys_by_ref[entry.ref] for entry in entries]
        profile = cluster.profile
        cluster.profile = Profile([*profile.entries, *entries], [*profile.keys, *new_keys])
        self.index.waiting += [(cluster, keys) for keys in new_keys]
        for entry in entries:
            self.cluster_by_ref[entry.ref] = cluster


class _IndexedOpening(NamedTuple):
    """The opening of an entry in a placed cluster."""

    opening: str
    cluster: PlacedCluster


class _ClusterIndex:
    """The placed clusters by title, day and opening, so that not every one is compared."""

    def __init__(self) -> None:
        # Dictionaries, not sets: the order of a set differs from process to process.
        self.by_title = defaultdict[str, dict[PlacedCluster, None]](dict)
        self.by_day = defaultdict[date | None, dict[PlacedCluster, None]](dict)
        self.by_opening: list[_IndexedOpening] = []  # sorted by the opening alone
        self.waiting: list[tuple[PlacedCluster, MatchKeys]] = []

    def index_waiting_clusters(self) -> None:
        """Add clusters with new entries to the index. Call it right before a search in it.

        No search follows the last document. So its match keys, which are computed at their first use, never are.
        """
        for cluster, keys in self.waiting:
            # A dict in place of a set, for its order.
            self.by_title[keys.title][cluster] = None
            self.by_day[keys.day][cluster] = None
            indexed = _IndexedOpening(keys.opening, cluster)
            insort(self.by_opening, indexed, key=attrgetter("opening"))
        self.waiting.clear()

    def find_similar_clusters(self, profile: Profile) -> list[PlacedCluster]:
        """Return the clusters that resemble a profile, which has the values of some entries: by an equal title,
        a near title on a near day, or notes that begin alike."""
        # Nothing is indexed before the first document. The openings of all its entries would be computed
        # in vain.
        if not self.by_opening:
            return []
        clusters: dict[PlacedCluster, None] = {}  # each once, in a fixed order
        for title in sorted(profile.titles):
            clusters |= dict.fromkeys(islice(self.by_title[title], MAX_CANDIDATES))
        for day in _dates_near_profile_days(profile):
            # Near titles are compared only on these days, because comparing with every title is slow.
            clusters_of_day = self.by_day[day]
            similar = (
                cluster for cluster in clusters_of_day if has_near_titles(profile, cluster.profile)
            )
            clusters |= dict.fromkeys(islice(similar, MAX_CANDIDATES))
        for opening in sorted(profile.openings):
            clusters |= dict.fromkeys(self._clusters_with_similar_opening(opening))
        return list(clusters)

    def _clusters_with_similar_opening(self, opening: str) -> list[PlacedCluster]:
        """Return clusters with notes that begin alike: at most twelve that sort before the opening, and
        twelve that sort behind it."""
        # Openings with an equal beginning are neighbours in the sorted list. More would only share a
        # standard text.
        max_neighbours = 12
        position = bisect_left(self.by_opening, opening, key=attrgetter("opening"))
        first = max(0, position - max_neighbours)
        # Enough to leave out most texts. The comparison looks at the rest.
        beginning = opening[:24]
        return [
            neighbour.cluster
            for neighbour in self.by_opening[first : position + max_neighbours]
            if neighbour.opening.startswith(beginning)
        ]


def _dates_near_profile_days(profile: Profile) -> list[date]:
    days = set()
    for day in profile.days:
        for offset in range(-DATE_TOLERANCE_DAYS, DATE_TOLERANCE_DAYS + 1):
            days.add(day + timedelta(offset))
    return sorted(days)


def _source_keys(entries: Iterable[SourceEntry]) -> set[tuple[str, str]]:
    return {entry.source_key for entry in entries}


def _compare_with_cluster(profile: Profile, cluster: PlacedCluster) -> ComparedCluster:
    comparison = compare_profiles(profile, cluster.profile)
    # An equal title alone is no match, and nothing else supports it. Then weaker reasons count, too.
    if comparison.has_equal_title and not comparison.supporting:
        comparison = _with_reasons_that_need_equal_title(comparison, profile, cluster.profile)
    has_entry_of_same_version = are_listed_together(profile.entries, cluster.profile.entries)
    return ComparedCluster(cluster, comparison, has_entry_of_same_version)


def _with_reasons_that_need_equal_title(
    comparison: Comparison, profile: Profile, cluster_profile: Profile
) -> Comparison:
    """Return the comparison with reasons that support a match only because the titles are equal and nothing
    else supports it."""
    reasons = []
    # An identifier on an unconfirmed page joins nothing by itself.
    if not profile.first.is_confirmed:
        for kind, reason in IDENTIFIER_REASONS.items():
            if profile.values_of_key(kind) & cluster_profile.values_of_key(kind):
                reasons.append(reason)
    # A page that surely is of the show, if the day is the same or unknown.
    names_show = any(entry.values.names_show for entry in profile.entries)
    if names_show and comparison.days_between_or_zero == 0:
        reasons.append("a page of its show lists it")
    # With an entry that has a title alone, nothing else can agree.
    are_of_feeds = _is_of_feed(profile) and _is_of_feed(cluster_profile)
    if are_of_feeds and (_has_only_title(profile) or _has_only_title(cluster_profile)):
        reasons.append("a feed of the show gives its title alone")
    # Nothing supported the match before, so these are all its supporting reasons.
    all_reasons = (*comparison.reasons, *reasons)
    return replace(comparison, supporting=tuple(reasons), reasons=all_reasons)


def _is_of_feed(profile: Profile) -> bool:
    return any(entry.is_publisher and entry.may_create for entry in profile.entries)


def _has_only_title(profile: Profile) -> bool:
    """Return whether a cluster has nothing to compare but a title that is long enough to be of one
    episode."""
    has_other_values = profile.days or profile.openings or profile.lengths
    shortest_title = min(map(len, profile.titles), default=0)
    return not has_other_values and shortest_title >= MIN_DISTINCTIVE_TITLE


def _best_first(candidates: Sequence[ComparedCluster]) -> list[ComparedCluster]:
    in_order = sorted(candidates, key=lambda candidate: candidate.cluster.profile.first.order)
    # The sort is stable: of equal scores the episode that is listed first stays first.
    return sorted(in_order, key=lambda candidate: candidate.score, reverse=True)


def _mark_cluster_with_unique_opening(compared: Sequence[ComparedCluster]) -> None:
    """Set `is_opening_unique` of the cluster with an equal opening that no other episode shares, if there is one.

    Boilerplate, re-runs and parts share their openings. A text that stays equal well beyond the
    shared part is unique.
    """
    best = max(compared, key=lambda candidate: candidate.comparison.opening, default=None)
    # One version lists no episode twice, so with an entry of the same version two episodes share the text.
    if best is None or best.has_entry_of_same_version:
        return
    rival_lengths = [each.comparison.opening for each in compared if each is not best]
    longest_rival = max(rival_lengths, default=0)
    # 40 characters more than the shared part cannot be boilerplate. Any opening is longer than none.
    min_length = longest_rival + 40 if longest_rival else 1
    best.is_opening_unique = best.comparison.opening >= min_length


def _best_match_of_each_cluster_unless_tied(results: Iterable[MatchResult]) -> list[MatchResult]:
    """Return the matches to carry out. If several match one cluster, only the match with the best
    score counts, and none of them if two share the best score."""
    rivals_by_cluster = defaultdict[PlacedCluster, list[MatchResult]](list)
    for result in results:
        if result.is_match:
            (match,) = result.compared  # a match has one cluster
            rivals_by_cluster[match.cluster].append(result)
    winners = []
    for rivals in rivals_by_cluster.values():
        best, *others = sorted(rivals, key=lambda result: result.score, reverse=True)
        is_tied = bool(others) and others[0].score == best.score
        if not is_tied:
            winners.append(best)
    return winners


def _candidates_of_unmatched_entries(result: MatchResult) -> tuple[Candidate, ...]:
    """Return the episodes that unmatched entries may belong to, each once, with the reasons for and
    against. In place of a cluster of unmatched entries return its own candidates."""
    candidate_by_ref: dict[EntryRef, Candidate] = {}
    for compared in result.compared:
        candidates = compared.cluster.candidates
        if compared.cluster.is_episode:
            # These entries stayed unmatched. So if they match, it was a tie: another match would have joined them.
            is_tied_match = result.is_match
            reasons = _reason_texts_of_unjoined_pair(compared, is_tied_match=is_tied_match)
            candidates = (Candidate(compared.cluster.profile.first.ref, tuple(reasons)),)
        for candidate in candidates:
            candidate_by_ref.setdefault(candidate.ref, candidate)
    return tuple(candidate_by_ref.values())


def _reason_texts_of_unjoined_pair(compared: ComparedCluster, *, is_tied_match: bool) -> list[str]:
    """Return why entries may belong to a cluster, and why they did not join it. `is_tied_match` tells that
    they match, but another entry of the document matches as well."""
    reasons = list(compared.comparison.reasons)
    # Without the other entry they would have joined, so nothing else is a reason against it.
    if is_tied_match:
        return [*reasons, OUTRANKED]
    if compared.has_entry_of_same_version:
        reasons.append(OUTRANKED)
    return reasons + reasons_against_as_texts(compared.comparison)


def reasons_against_as_texts(comparison: Comparison) -> list[str]:
    reasons = list(comparison.contradicting)
    if comparison.days_between_or_zero > DATE_TOLERANCE_DAYS:
        reasons.append(f"dates {comparison.days_apart} days apart")
    if comparison.has_other_title:
        reasons.append("other titles")
    return [f"against: {reason}" for reason in reasons]
