"""The match of imported transcripts with episodes. Pure.

A transcript is matched after all other entries. It creates no episode, joins no two of them, and changes
no value of one.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from ..records import UNDECIDED, Candidate, Decisions, EntryData, Matching, Show, SourceEntry
from ..text.normalize import fold, letters
from ..text.urls import enclosure_key, page_key
from .match_keys import NAMES, MatchKeys
from .matching import against
from .signals import DAYS_DOUBT, JUDGED, Profile, Ref, compare
from .slugs import slug_of

Pair = tuple[str, str]  # source and key of an entry
Key = tuple[str, Any]  # kind and value
Number = tuple[int | None, int]  # season and number
NO_CLUSTER = -1

# Kinds of values that name an episode if no other one has them, in words. A number does too, a day does not.
IDENTIFIERS = {**NAMES, "file": "named like its audio file"}
TITLES = dict.fromkeys(("title", "letters", "slug"), "equal title")

_AUDIO_NAME = re.compile(r"\A(?:.*/)?([^/?#]*?)(?:\.\w{2,4})?(?:[?#].*)?\Z", re.DOTALL)
# Parts that the name of a file has around an episode's slug: a day, a number, "transcript".
_DAY = re.compile(r"(?:\A|-)(?:19|20)\d\d-?[01]\d-?[0-3]\d(?=-|\Z)")
_COUNT = re.compile(r"\A(?:(?:s\d{1,2}-?)?(?:e|ep|episode)-?)?\d{1,4}-")
_CALLED_TRANSCRIPT = re.compile(r"\Atranscript-(?:of-)?|-(?:transcript|transcription|captions)\Z")


@dataclass(frozen=True, slots=True)
class Option:
    """An episode that a transcript may belong to."""

    cluster: int
    ref: Ref  # of one of its entries
    reasons: tuple[str, ...]
    objections: tuple[str, ...] = ()
    is_named: bool = False  # the transcript has a value that no other episode has
    agreeing: int = 0  # number of equal values
    is_contradicted: bool = False

    @property
    def candidate(self) -> Candidate:
        return Candidate(self.ref, self.reasons + self.objections)


def match_transcripts(
    matching: Matching,
    transcripts: Iterable[SourceEntry],
    keys_of: Mapping[Ref, MatchKeys],
    decisions: Decisions = UNDECIDED,
) -> Matching:
    """Return the matching with each transcript in the cluster of its episode, or held with candidates."""
    index = _EpisodeIndex(matching.groups, keys_of, decisions)
    clusters = list(map(list, matching.groups))
    held, reasons = list(matching.held), dict(matching.reasons)
    for transcript in sorted(transcripts, key=lambda entry: entry.order):
        options = index.find_options(transcript)
        option = choose_option(options)
        if option is None:
            candidates = tuple(option.candidate for option in options)
            held.append((transcript, candidates))
        else:
            clusters[option.cluster].append(transcript)
            reasons[transcript.ref] = option.reasons
    return replace(matching, groups=tuple(map(tuple, clusters)), held=tuple(held), reasons=reasons)


def choose_option(options: Sequence[Option]) -> Option | None:
    """Return the one option that a value names, else the one with two equal values. Return None if
    there are several, or if something contradicts it."""
    matches = [option for option in options if option.is_named]
    if not matches:
        matches = [option for option in options if option.agreeing >= 2]
    if len(matches) != 1 or matches[0].is_contradicted:
        return None
    return matches[0]


class _EpisodeIndex:
    """The clusters of a show by every value that a transcript can have in common with them."""

    def __init__(
        self,
        clusters: Sequence[Sequence[SourceEntry]],
        keys_of: Mapping[Ref, MatchKeys],
        decisions: Decisions,
    ) -> None:
        self.clusters, self.keys_of = clusters, keys_of
        self.clusters_with = defaultdict[Key, set[int]](set)
        self.cluster_of: dict[Pair, int] = {}
        for cluster, entries in enumerate(clusters):
            for entry in entries:
                self.cluster_of[entry.source, entry.key] = cluster
                self._add(cluster, _episode_keys(entry, keys_of[entry.ref]))
        for pair, field, value in decisions.overrides:
            if field in ("title", "slug") and pair in self.cluster_of:
                self._add(self.cluster_of[pair], _keys(EntryData(), [value]))
        # By the answer of a curator ("the same" is True) and the transcript.
        self.judged = defaultdict[tuple[bool, Pair], set[int]](set)
        for ruling in decisions.rulings:
            for pair, other in permutations((ruling.one, ruling.other)):
                self.judged[ruling.same, pair].add(self.cluster_of.get(other, NO_CLUSTER))

    def _add(self, cluster: int, keys: Iterable[Key]) -> None:
        for key in keys:
            self.clusters_with[key].add(cluster)

    def find_options(self, transcript: SourceEntry) -> list[Option]:
        """Return the episode that a curator chose, else all that share a value with a transcript."""
        pair, show = (transcript.source, transcript.key), self.keys_of[transcript.ref].show
        chosen = max(self.judged[True, pair], default=NO_CLUSTER)
        if chosen != NO_CLUSTER:
            return [Option(chosen, self.clusters[chosen][0].ref, (JUDGED,), is_named=True)]
        shared, unique = defaultdict[int, set[str]](set), defaultdict[int, set[str]](set)
        keys = list(_transcript_keys(transcript.said, show))
        for kind, value in keys:
            clusters = self.clusters_with.get((kind, value), set())
            for cluster in clusters - self.judged[False, pair]:
                shared[cluster].add(kind)
                if len(clusters) == 1:
                    unique[cluster].add(kind)
        # The names of a transcript are compared by their keys alone.
        season, number = dict(keys).get("number", (None, None))
        values = replace(transcript.said, title="", season=season, number=number)
        profile = Profile([transcript], [MatchKeys(values, show, str)])
        return [
            self._option(profile, cluster, shared[cluster], unique[cluster])
            for cluster in sorted(shared)
        ]

    def _option(
        self, transcript: Profile, cluster: int, shared: set[str], unique: set[str]
    ) -> Option:
        entries = list(self.clusters[cluster])
        signals = compare(transcript, Profile(entries, [self.keys_of[e.ref] for e in entries]))
        # The date of a transcript may be the day of the recording, weeks before the episode.
        is_contradicted = bool(signals.contradicting) or signals.days > DAYS_DOUBT
        has_title = not shared.isdisjoint(TITLES)
        has_identifier = not unique.isdisjoint(IDENTIFIERS)
        equal = [words for kind, words in (IDENTIFIERS | TITLES).items() if kind in shared]
        return Option(
            cluster,
            entries[0].ref,
            is_named=not unique <= {"day"},
            agreeing=has_title + len(signals.agreeing),
            is_contradicted=is_contradicted and not has_identifier,
            reasons=tuple(dict.fromkeys([*equal, *signals.reasons])),
            objections=tuple(against(signals)),
        )


def _episode_keys(entry: SourceEntry, facts: MatchKeys) -> Iterator[Key]:
    """Return the values of an entry of an episode."""
    values = facts.said
    titles = [facts.title, values.title, *(title for _, title in entry.titles)]
    numbers = set(facts.numbers)
    for _, number in facts.numbers:
        numbers.add((None, number))
        # The slug of the second episode of a title ends with its number.
        titles.append(f"{values.title} {number}")
    return _keys(values, titles, numbers, [_AUDIO_NAME.sub(r"\1", values.audio_url)])


def _transcript_keys(values: EntryData, show: Show) -> Iterator[Key]:
    """Return the values of a transcript, in its front matter and in the name of its file."""
    names = [values.title, *values.extra("name"), *values.extra("file")]
    numbers = MatchKeys(values, show).numbers
    for name in list(names):
        # "looms-weekly-004-shuttles-transcript" has the slug "shuttles".
        slug = _CALLED_TRANSCRIPT.sub("", _DAY.sub("", slug_of(name)).strip("-"))
        slug = slug.removeprefix(f"{slug_of(show.title)}-")
        names += [slug, _COUNT.sub("", slug)]
        # The slug has no "#", and the name may begin with the show's.
        numbers |= _printed_numbers(name, show) | _printed_numbers(slug.replace("-", " "), show)
    return _keys(values, names, sorted(numbers, key=str), values.extra("file"))


def _printed_numbers(name: str, show: Show) -> set[Number]:
    return MatchKeys(EntryData(title=name), show).numbers


def _keys(
    values: EntryData,
    names: Iterable[str],
    numbers: Iterable[Number] = (),
    files: Iterable[str] = (),
) -> Iterator[Key]:
    """Yield the kind and value of everything that can be equal."""
    values_of: dict[str, Iterable[Any]] = {
        "guid": [values.guid.strip()],
        "audio": [enclosure_key(values.audio_url)],
        "page": [page_key(values.url)],
        "file": map(str.casefold, files),
        "title": map(fold, names),
        "letters": map(letters, names),
        "slug": map(slug_of, names),
        "number": numbers,
        "day": [values.published[:10]],
    }
    for kind, equal in values_of.items():
        for value in equal:
            if value:
                yield kind, value
