"""The match of imported transcripts with episodes. Pure.

A transcript is matched after all other entries. It creates no episode, joins no two of them, and changes
no value of one.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..records import (
    Candidate,
    Decisions,
    EntryData,
    MatchingResult,
    Show,
    SourceEntry,
    cluster_by_entry,
)
from ..text.normalize import fold, folded_letters
from ..text.urls import enclosure_key, page_key
from .compare import DOUBTFUL_DAYS, Profile, compare_profiles
from .match import reasons_against_as_texts
from .match_keys import IDENTIFIER_REASONS, MatchKeys, SeasonNumber
from .partition import JUDGED, EntryRef
from .slugs import make_slug

SourceKey = tuple[str, str]  # source and key of an entry
TranscriptKey = tuple[str, Any]  # kind and value

# Kinds of values that identify an episode if no other one has them, in words. A number does too, a day does not.
TRANSCRIPT_IDENTIFIERS = {**IDENTIFIER_REASONS, "file": "named like its audio file"}
EQUAL_TITLES = dict.fromkeys(("title", "letters", "slug"), "equal title")


def build_matching_with_transcripts(
    matching: MatchingResult,
    transcripts: Iterable[SourceEntry],
    match_keys_by_ref: Mapping[EntryRef, MatchKeys],
    decisions: Decisions,
) -> MatchingResult:
    """Return the matching with each transcript in the cluster of its episode, or unmatched with candidates."""
    index = _EpisodeIndex(matching.groups, match_keys_by_ref, decisions)
    clusters = [list(cluster) for cluster in matching.groups]
    unmatched = list(matching.held)
    reasons = dict(matching.reasons)
    for transcript in sorted(transcripts, key=lambda entry: entry.order):
        options = index.find_judged_or_similar_options(transcript)
        sure_option = find_only_sure_option(options)
        if sure_option is None:
            candidates = tuple(option.candidate for option in options)
            unmatched.append((transcript, candidates))
        else:
            clusters[sure_option.cluster].append(transcript)
            reasons[transcript.ref] = sure_option.reasons
    groups = tuple(tuple(cluster) for cluster in clusters)
    return replace(matching, groups=groups, held=tuple(unmatched), reasons=reasons)


@dataclass(frozen=True, slots=True)
class TranscriptOption:
    """An episode that a transcript may belong to."""

    cluster: int  # its index
    ref: EntryRef  # of its first entry
    reasons: tuple[str, ...]
    objections: tuple[str, ...] = ()
    is_identified: bool = False  # the transcript has a value that no other episode has
    equal_values: int = 0
    is_contradicted: bool = False

    @property
    def candidate(self) -> Candidate:
        return Candidate(self.ref, self.reasons + self.objections)


def find_only_sure_option(options: Sequence[TranscriptOption]) -> TranscriptOption | None:
    """Return the only option that a value identifies, else the only one with two equal values of title,
    number, day and length. A single one of these may be equal by chance.

    Return None if something contradicts it.
    """
    matches = [option for option in options if option.is_identified]
    if not matches:
        matches = [option for option in options if option.equal_values >= 2]
    if len(matches) != 1 or matches[0].is_contradicted:
        return None
    return matches[0]


@dataclass(frozen=True, slots=True)
class EqualKinds:
    """The kinds of values, such as "title" and "number", that are equal in a transcript and a cluster."""

    of_all_values: set[str] = field(default_factory=set)
    of_unique_values: set[str] = field(default_factory=set)  # that no other cluster has


class _EpisodeIndex:
    """The clusters of a show by every value that a transcript can have in common with them."""

    def __init__(
        self,
        clusters: Sequence[Sequence[SourceEntry]],
        match_keys_by_ref: Mapping[EntryRef, MatchKeys],
        decisions: Decisions,
    ) -> None:
        """Index the clusters by their values, by titles and slugs that curators set, and by the
        decisions about transcripts. A cluster is its index in `clusters` from here on."""
        self.clusters = clusters
        self.match_keys_by_ref = match_keys_by_ref
        self.cluster_by_source_key = cluster_by_entry(clusters)
        self.clusters_by_value = defaultdict[TranscriptKey, set[int]](set)
        for cluster, entries in enumerate(clusters):
            for entry in entries:
                self._add_cluster_under_keys(
                    cluster, _lookup_keys_of_episode_entry(entry, match_keys_by_ref[entry.ref])
                )
        for source_key, field_name, value in decisions.overrides:
            if field_name in ("title", "slug") and source_key in self.cluster_by_source_key:
                override_keys = _iterate_lookup_keys(EntryData(), names=[value])
                self._add_cluster_under_keys(self.cluster_by_source_key[source_key], override_keys)
        self.judged_same = self._judged_clusters(decisions, is_same=True)
        self.judged_different = self._judged_clusters(decisions, is_same=False)

    def _add_cluster_under_keys(self, cluster: int, keys: Iterable[TranscriptKey]) -> None:
        for key in keys:
            self.clusters_by_value[key].add(cluster)

    def _judged_clusters(
        self, decisions: Decisions, *, is_same: bool
    ) -> defaultdict[SourceKey, set[int]]:
        """Return the clusters that curators judged to be, or not to be, the episode of an entry."""
        judged_clusters = defaultdict[SourceKey, set[int]](set)
        for decision in decisions.match_decisions:
            if decision.is_same != is_same:
                continue
            # Either of the two may be the transcript.
            left_key, right_key = decision.entry, decision.other_entry
            if right_key in self.cluster_by_source_key:
                judged_clusters[left_key].add(self.cluster_by_source_key[right_key])
            if left_key in self.cluster_by_source_key:
                judged_clusters[right_key].add(self.cluster_by_source_key[left_key])
        return judged_clusters

    def find_judged_or_similar_options(self, transcript: SourceEntry) -> list[TranscriptOption]:
        """Return the cluster that a curator chose as the only option, else all clusters that share
        a value with a transcript."""
        judged_same = self.judged_same[transcript.source_key]
        if judged_same:
            # Of several episodes always the same one, whatever the order of the decisions.
            cluster = max(judged_same)
            ref = self.clusters[cluster][0].ref
            return [TranscriptOption(cluster, ref, (JUDGED,), is_identified=True)]
        show = self.match_keys_by_ref[transcript.ref].show
        keys = list(_lookup_keys_of_transcript(transcript.values, show))
        profile = _profile_of_transcript(transcript, keys, show)
        equal_kinds_by_cluster = self._equal_kinds_by_cluster(keys)
        judged_different = self.judged_different[transcript.source_key]
        options = []
        for cluster in sorted(equal_kinds_by_cluster.keys() - judged_different):
            option = self._build_option(profile, cluster, equal_kinds_by_cluster[cluster])
            options.append(option)
        return options

    def _equal_kinds_by_cluster(self, keys: Iterable[TranscriptKey]) -> dict[int, EqualKinds]:
        equal_kinds_by_cluster = defaultdict[int, EqualKinds](EqualKinds)
        for kind, value in keys:
            clusters = self.clusters_by_value.get((kind, value), set())
            for cluster in clusters:
                equal_kinds_by_cluster[cluster].of_all_values.add(kind)
                # No other cluster has this value.
                if len(clusters) == 1:
                    equal_kinds_by_cluster[cluster].of_unique_values.add(kind)
        return equal_kinds_by_cluster

    def _build_option(
        self, transcript_profile: Profile, cluster: int, equal_kinds: EqualKinds
    ) -> TranscriptOption:
        entries = list(self.clusters[cluster])
        profile = Profile(entries, [self.match_keys_by_ref[entry.ref] for entry in entries])
        comparison = compare_profiles(transcript_profile, profile)
        # A transcript may have the day of the recording, weeks before the episode. Only a date that is
        # further away contradicts.
        has_far_date = comparison.days_between_or_zero > DOUBTFUL_DAYS
        has_objections = bool(comparison.contradicting) or has_far_date
        # Any value that only this episode has identifies it, but for a day.
        identifying_kinds = equal_kinds.of_unique_values - {"day"}
        # A guid, page or audio file outweighs all objections, a title or number does not.
        outweighing_kinds = identifying_kinds & TRANSCRIPT_IDENTIFIERS.keys()
        equal_titles = equal_kinds.of_all_values & EQUAL_TITLES.keys()
        words_by_kind = TRANSCRIPT_IDENTIFIERS | EQUAL_TITLES
        reasons = [
            words for kind, words in words_by_kind.items() if kind in equal_kinds.of_all_values
        ]
        reasons += comparison.reasons
        return TranscriptOption(
            cluster,
            entries[0].ref,
            is_identified=bool(identifying_kinds),
            # A title counts once, even if it is equal in all three spellings.
            equal_values=int(bool(equal_titles)) + len(comparison.supporting),
            is_contradicted=has_objections and not outweighing_kinds,
            reasons=tuple(dict.fromkeys(reasons)),  # each once
            objections=tuple(reasons_against_as_texts(comparison)),
        )


def _profile_of_transcript(
    transcript: SourceEntry, keys: Sequence[TranscriptKey], show: Show
) -> Profile:
    """Return the values to compare with episodes: day, length, and season and number of its names."""
    # Names may print several numbers. The last number counts, which is always the same, as they are sorted.
    last_value_of_kind = dict(keys)
    season, number = last_value_of_kind.get("number", (None, None))
    # The title is blank: names of files are compared as keys, not as titles.
    values = replace(transcript.values, title="", season=season, number=number)
    return Profile([transcript], [MatchKeys(values, show)])


def _lookup_keys_of_episode_entry(
    entry: SourceEntry, match_keys: MatchKeys
) -> Iterator[TranscriptKey]:
    """Yield the values that a transcript can have in common with an entry of an episode:
    `("title", "springs")`, `("number", (2, 5))`."""
    values = match_keys.values
    former_titles = [title for _, title in entry.titles]
    titles = [match_keys.title, values.title, *former_titles]
    numbers = set(match_keys.seasons_and_numbers)
    for _, number in match_keys.seasons_and_numbers:
        # A transcript may have no season.
        numbers.add((None, number))
        # The slug of the second episode of a title ends with its number.
        titles.append(f"{values.title} {number}")
    files = [_file_name_without_ending(values.audio_url)]
    return _iterate_lookup_keys(values, titles, numbers, files)


def _file_name_without_ending(address: str) -> str:
    name = re.split(r"[?#]", address)[0].rpartition("/")[2]
    return re.sub(r"\.\w{2,4}\Z", "", name)


def _lookup_keys_of_transcript(values: EntryData, show: Show) -> Iterator[TranscriptKey]:
    """Yield the values of a transcript that an episode can have, from its front matter and the name of its
    file: `("slug", "springs")`, `("number", (None, 12))` of "ep-12-springs-transcript"."""
    stated_names = [values.title, *values.extra("name"), *values.extra("file")]
    names = list(stated_names)
    numbers = MatchKeys(values, show).seasons_and_numbers
    for name in stated_names:
        slug = _make_slug_of_file_name(name, show)
        names.append(slug)
        # "12-", "ep-12-" and "s2e12-" are no part of the slug.
        number_before_slug = r"\A(?:(?:s\d{1,2}-?)?(?:e|ep|episode)-?)?\d{1,4}-"
        names.append(re.sub(number_before_slug, "", slug))
        # Both spellings may print a number: "Looms #12" without "#" in its slug "looms-12", and
        # "looms-weekly-12" behind the name of the show.
        numbers |= _printed_numbers(name, show)
        numbers |= _printed_numbers(slug.replace("-", " "), show)
    # The order of a set differs from process to process. As texts, because a season may be None.
    sorted_numbers = sorted(numbers, key=str)
    return _iterate_lookup_keys(values, names, sorted_numbers, files=values.extra("file"))


def _make_slug_of_file_name(name: str, show: Show) -> str:
    """Return the episode's slug in the name of a file, without a day, "transcript" and the show's name.

    "looms-weekly-shuttles-2021-08-18-transcript" has the slug "shuttles".
    """
    # "-2021-08-18" and "20210818-"
    day = r"(?:\A|-)(?:19|20)\d\d-?[01]\d-?[0-3]\d(?=-|\Z)"
    slug = re.sub(day, "", make_slug(name)).strip("-")
    transcript = r"\Atranscript-(?:of-)?|-(?:transcript|transcription|captions)\Z"
    slug = re.sub(transcript, "", slug)
    return slug.removeprefix(f"{make_slug(show.title)}-")


def _printed_numbers(name: str, show: Show) -> set[SeasonNumber]:
    return MatchKeys(EntryData(title=name), show).seasons_and_numbers


def _iterate_lookup_keys(
    values: EntryData,
    names: Sequence[str],
    numbers: Iterable[SeasonNumber] = (),
    files: Iterable[str] = (),
) -> Iterator[TranscriptKey]:
    """Yield a (kind, value) pair for each value, normalised for comparison. Leave out empty values."""
    values_by_kind: dict[str, Iterable[Any]] = {
        "guid": [values.guid.strip()],
        "audio": [enclosure_key(values.audio_url)],
        "page": [page_key(values.url)],
        "file": map(str.casefold, files),
        # A name is compared in three ways, as people write spaces and signs in it differently.
        "title": map(fold, names),
        "letters": map(folded_letters, names),
        "slug": map(make_slug, names),
        "number": numbers,
        "day": [values.published[:10]],
    }
    for kind, values_of_kind in values_by_kind.items():
        for value in values_of_kind:
            if value:
                yield kind, value
