"""Finds episodes that were published before: uploaded again, or broadcast again years later. It
only proposes; pure.

Words in a title propose nothing by themselves, and neither does one equal value: it takes two signs
of different kinds, which no third episode shares. Two episodes that have one number are told of as
such.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import combinations

from ..records import JudgedRepeat, RepeatData, ResolvedEpisode, Show
from ..text.normalize import fold
from ..text.numbering import numbering
from ..text.urls import enclosure_key
from ..text.vocabulary import Phrases, load
from .identifiers import SECONDS_ALIKE
from .match_keys import MARKER, MARKERS, bare_title, digits

REPLACES, REPEATS, NUMBER = "replaces", "repeats", "number"
TITLE, AUDIO, LENGTH, WORDS = "title", "audio", "length", "words"
STRONG = {TITLE, AUDIO}  # one of them is needed
SOON = 42  # days up to which an episode that is published again replaces the first
BEGINNING = 300  # characters of notes in which they say that the episode was published before
FILE = 8  # characters of a file's name from which it can be an episode's own
# Of so many numbers one is used twice by chance; a show that uses more twice counts in another way.
RESTARTED = 10
LONGEST_TITLE = 500  # characters that are looked at
MANY = 12  # episodes with one title that are compared with each other

_SAID = load(__file__, "repeats")
_IN_NOTES = {kind: Phrases(map(fold, _SAID[kind]["notes"])) for kind in (REPLACES, REPEATS)}
_IN_TITLE = {kind: Phrases(map(fold, _SAID[kind]["title"])) for kind in (REPLACES, REPEATS)}
_ANY = [phrase for words in _IN_TITLE.values() for phrase in words.written]
_AROUND = (
    # "(Rebroadcast from 2019)"
    Phrases(_ANY, before=r"[\[(【（][^\[\]()]{0,40}?", after=r"[^\[\]()]{0,60}[\])】）]"),
    # "Encore: …", "Replay of 12 - …"
    Phrases(_ANY, before=r"^\W*", after=r"[^:|-]{0,30}(?:[:|!]|\s-)\s+"),
    # "… - Wiederholung vom 3.4."
    Phrases(_ANY, before=r"(?:\s*[:|,]|\s-)\s+", after=r"[^:|-]{0,30}$"),
)


@dataclass(frozen=True)
class Airing:
    """What is compared of an episode."""

    episode: ResolvedEpisode
    show: str

    @property
    def age(self) -> tuple[datetime, int]:
        return (self.episode.sorted_at, self.episode.order)

    @cached_property
    def _title_and_words(self) -> tuple[str, str]:
        """The folded title without number, show and the words of a repeat; and these."""
        title = bare_title(self.episode.merged.title[:LONGEST_TITLE], self.show)[0]
        words: list[str] = []
        for phrases in _AROUND * 2:  # "Rebroadcast: Classic: …"
            found = phrases.search(title)
            rest = (
                " ".join((title[: found.start()] + " " + title[found.end() :]).split())
                if found
                else ""
            )
            if found and rest:
                words.append(found[0].strip(" :|,-"))
                title = bare_title(rest, self.show)[0]
        return title, " ".join(words)

    @property
    def title(self) -> str:
        return self._title_and_words[0]

    @property
    def words(self) -> str:
        return self._title_and_words[1]

    @cached_property
    def kinds(self) -> frozenset[str]:
        """What its words say that it does to an episode before it."""
        beginning = fold(self.episode.merged.text[:BEGINNING])
        in_title = (kind for kind, words in _IN_TITLE.items() if words.search(self.words))
        return frozenset(
            [*in_title, *(kind for kind, words in _IN_NOTES.items() if words.search(beginning))]
        )

    @cached_property
    def parts(self) -> frozenset[str]:
        """What makes it another thing than an episode: a trailer, a bonus."""
        types = {entry.said.episode_type for entry in self.episode.trusted}
        marked = {MARKERS[found] for found in MARKER.findall(self.title)}
        return frozenset((types | marked) & {"trailer", "bonus"})

    @cached_property
    def audio(self) -> str:
        audio = self.episode.merged.values.get("audio_url")
        return enclosure_key(audio.url) if audio else ""

    @property
    def file(self) -> str:
        name = self.audio.rpartition("/")[2]
        return name if len(name) >= FILE else ""

    @property
    def number(self) -> tuple[int | None, int] | None:
        merged = self.episode.merged
        return (
            (merged.season, merged.number) if merged.number is not None and not self.parts else None
        )

    @property
    def seconds(self) -> int | None:
        length = self.episode.merged.length
        return length.low if length and length.exact else None

    def as_long_as(self, other: Airing) -> bool:
        if self.seconds is None or other.seconds is None:
            return False
        return abs(self.seconds - other.seconds) <= SECONDS_ALIKE

    def numbered_apart(self, other: Airing) -> bool:
        return None not in (self.number, other.number) and self.number != other.number

    def another(self, other: Airing) -> bool:
        """True for two parts of a talk, and for an episode and its trailer."""
        return digits(self.title) != digits(other.title) or self.parts != other.parts


def repeats(
    episodes: Sequence[ResolvedEpisode], show: Show, judged: Iterable[JudgedRepeat] = ()
) -> list[RepeatData]:
    """The episodes of a show that were published before, as curators judged and as proposed; of two
    the later one is `episode`.

    What was refused is not proposed again. An episode is proposed to be one other at most, and
    nothing is proposed of an episode of which it is known, or for which another stands.
    """
    airings = sorted(
        (Airing(episode, show.title) for episode in episodes), key=lambda airing: airing.age
    )
    compared = _Compared(airings)
    decided = _decided(airings, judged)
    accepted = [
        _row(airings, pair, kind, compared.evidence(*pair), accepted=True)
        for pair, kind in sorted(decided.items())
        if kind in (REPLACES, REPEATS)
    ]
    known, left_out = {row.episode for row in accepted}, unlisted(accepted)
    proposed: dict[int, RepeatData] = {}
    for pair in sorted(compared.pairs() - decided.keys()):
        if not (kind := compared.kind(*pair)):
            continue
        row = _row(airings, pair, kind, compared.evidence(*pair))
        if row.episode not in known and not {row.episode, row.of} & left_out:
            proposed[pair[1]] = max(proposed.get(pair[1], row), row, key=_strength)
    return [*accepted, *(proposed[new] for new in sorted(proposed))]


Pair = tuple[int, int]  # places of the earlier and the later episode


def _row(
    airings: Sequence[Airing],
    pair: Pair,
    kind: str,
    evidence: Sequence[str],
    *,
    accepted: bool = False,
) -> RepeatData:
    old, new = (airings[place].episode.slug for place in pair)
    return RepeatData(new, old, kind, tuple(evidence), accepted)


def _strength(row: RepeatData) -> tuple[bool, int]:
    return (row.kind != NUMBER, len(row.evidence))


def _decided(airings: Sequence[Airing], judged: Iterable[JudgedRepeat]) -> dict[Pair, str]:
    """The judged pairs of episodes that are two; of several judgements of one pair the last
    holds."""
    places = {
        entry.ref[::2]: place
        for place, airing in enumerate(airings)
        for entry in airing.episode.entries
    }
    found = {}
    for judgement in judged:
        pair = {places[ref] for ref in (judgement.one, judgement.other) if ref in places}
        if len(pair) == 2:
            found[min(pair), max(pair)] = judgement.kind
    return found


def unlisted(rows: Iterable[RepeatData]) -> set[str]:
    """The episodes that lists leave out: those for which, of what was accepted, a listed one
    stands."""
    stands_in = {
        (row.of, row.episode) if row.kind == REPLACES else (row.episode, row.of)
        for row in rows
        if row.accepted
    }
    listed = {after for _, after in stands_in} - {before for before, _ in stands_in}
    reached: set[str] = set()
    # From those that nothing stands for backwards; a circle of judgements leaves nobody out.
    while more := {before for before, after in stands_in if after in listed | reached} - reached:
        reached |= more
    return reached


class _Compared:
    """Which episodes have something in common that others do not have."""

    def __init__(self, airings: Sequence[Airing]) -> None:
        self.airings = airings
        self.by_title = _places(airings, lambda a: [a.title])
        self.by_file = _places(airings, lambda a: [a.file])
        self.by_number = _places(airings, lambda a: [a.number])
        twice = sum(len(places) > 1 for places in self.by_number.values())
        if twice > 1 + len(self.by_number) / RESTARTED:
            self.by_number = {}

    def pairs(self) -> set[Pair]:
        groups = (*self.by_file.values(), *self.by_title.values(), *self.by_number.values())
        return {pair for group in groups if len(group) <= MANY for pair in combinations(group, 2)}

    def kind(self, old: int, new: int) -> str:
        """What the later one is proposed to be to the earlier one; "" for nothing."""
        one, other = self.airings[old], self.airings[new]
        signs = set(self._signs(old, new))
        if len(signs) < 2 or not signs & STRONG or one.another(other):
            return NUMBER if NUMBER in signs else ""
        said = other.kinds - one.kinds
        days = (other.episode.sorted_at - one.episode.sorted_at).days
        return next(iter(said)) if len(said) == 1 else (REPLACES if days <= SOON else REPEATS)

    def evidence(self, old: int, new: int) -> list[str]:
        """What the two have in common, in words."""
        one, other = self.airings[old], self.airings[new]
        merged = other.episode.merged
        words = {
            TITLE: f"equal title but for “{other.words}”" if other.words else "equal title",
            AUDIO: "the same audio file"
            if one.audio == other.audio
            else "audio files of the same name",
            LENGTH: "equal length",
            NUMBER: f"the same number {numbering(merged.season, merged.number)}",
            WORDS: "says that it was published before",
        }
        return [words[sign] for sign in self._signs(old, new)]

    def _signs(self, old: int, new: int) -> list[str]:
        one, other = self.airings[old], self.airings[new]
        says = bool(other.kinds - one.kinds)
        alike = {
            TITLE: one.title == other.title != ""
            and (says or len(self.by_title.get(one.title, ())) == 2),
            AUDIO: self.by_file.get(one.file) == [old, new],
            NUMBER: one.number == other.number and one.number in self.by_number,
            # Two visits of one guest can be equally long by chance; their numbers differ then.
            LENGTH: one.as_long_as(other) and (says or not one.numbered_apart(other)),
            WORDS: says,
        }
        return [sign for sign, found in alike.items() if found]


def _places(
    airings: Sequence[Airing], keys: Callable[[Airing], Iterable[Hashable]]
) -> dict[Hashable, list[int]]:
    """The places of the episodes that have each key."""
    found: dict[Hashable, list[int]] = defaultdict(list)
    for place, airing in enumerate(airings):
        for key in keys(airing):
            if key:
                found[key].append(place)
    return found
