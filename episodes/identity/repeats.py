"""Finds episodes that were published before: uploaded again, or broadcast again years later. It
only proposes; pure.

One equal value proposes nothing: it takes a title that exactly two episodes have, and a second sign
beside it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..records import JudgedRepeat, RepeatData, ResolvedEpisode, Show
from ..text.normalize import words
from .match_keys import MARKERS, bare_title, digits, marked
from .signals import SECONDS_ALIKE

REPLACES, REPEATS = "replaces", "repeats"
SOON = 42  # days up to which an episode that is published again replaces the first
LONGEST_TITLE = 500  # characters that are looked at
AGAIN = "|".join(
    [
        *(re.escape(word) for word, kind in MARKERS.items() if kind == "rerun"),
        r"re-?upload(?:ed)?|fixed|corrected|korrigiert|corrigé|corregido|修正版",
    ]
)
# "Encore: …", "… (Rebroadcast from 2019)", "… [fixed audio]"
SAYS_SO = re.compile(rf"[\[(【（][^\[\]()]*?(?:{AGAIN})[^\[\]()]*[\])】）]|\b(?:{AGAIN})\b")


@dataclass(frozen=True)
class Airing:
    """An episode with the values that are compared."""

    episode: ResolvedEpisode
    show: str

    @cached_property
    def folded_title(self) -> str:
        return bare_title(self.episode.merged.title[:LONGEST_TITLE], self.show)[0]

    @cached_property
    def title(self) -> str:
        """The words of the title without those of a repeat."""
        bare = bare_title(SAYS_SO.sub(" ", self.folded_title).strip(" :-|"), self.show)[0]
        return " ".join(words(bare))

    @cached_property
    def marks(self) -> frozenset[str]:
        return marked(self.folded_title) | {e.said.episode_type for e in self.episode.trusted}

    @property
    def key(self) -> tuple[object, ...]:
        """The words of the title, and the signs by which two parts of a talk, or an episode and its
        trailer, differ."""
        return self.title, digits(self.title), self.marks & {"trailer", "clip", "bonus"}

    def signs(self, later: Airing) -> tuple[str, ...]:
        """The values that the two have in common, in words."""
        one, two = self.episode.merged.length, later.episode.merged.length
        signs = {
            "equal title": self.title == later.title != "",
            "equal length": one and two and one.exact and one.gap(two) <= SECONDS_ALIKE,
            "says that it was published before": SAYS_SO.search(later.folded_title),
        }
        return tuple(words for words, is_one in signs.items() if is_one)

    def kind(self, later: Airing) -> str:
        """The relation that the later one is proposed to have to this one."""
        days = (later.episode.sorted_at - self.episode.sorted_at).days
        return REPLACES if days <= SOON and "rerun" not in later.marks else REPEATS


def repeats(
    episodes: Sequence[ResolvedEpisode], show: Show, judged: Iterable[JudgedRepeat] = ()
) -> list[RepeatData]:
    """The episodes of a show that were published before, as curators judged and as proposed; of two
    the later one is `episode`.

    What was refused is not proposed again, and nothing is proposed of an episode of which it is
    known, or for which another stands.
    """
    by_age = sorted(episodes, key=lambda episode: (episode.sorted_at, episode.order))
    airings = [Airing(episode, show.title) for episode in by_age]
    # Judged pairs come first and leave the rest: what a curator said is not asked again.
    decided = _decided(airings, judged)
    rows = [
        _row(airings, pair, kind, accepted=True)
        for pair, kind in sorted(decided.items())
        if kind in (REPLACES, REPEATS)
    ]
    known, left_out = {row.episode for row in rows}, unlisted(rows)
    places: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, airing in enumerate(airings):
        places[airing.key].append(place)
    # A title that a third episode has tells nothing.
    alike = {(own[0], own[1]) for own in places.values() if len(own) == 2}
    for old, new in sorted(alike - decided.keys()):
        row = _row(airings, (old, new), airings[old].kind(airings[new]))
        is_open = row.episode not in known and left_out.isdisjoint((row.episode, row.of))
        if is_open and len(row.evidence) > 1:
            rows.append(row)
    return rows


Pair = tuple[int, int]  # places of the earlier and the later episode


def _row(airings: Sequence[Airing], pair: Pair, kind: str, *, accepted: bool = False) -> RepeatData:
    old, new = airings[pair[0]], airings[pair[1]]
    return RepeatData(new.episode.slug, old.episode.slug, kind, old.signs(new), accepted)


def _decided(airings: Sequence[Airing], judged: Iterable[JudgedRepeat]) -> Mapping[Pair, str]:
    """The judged pairs of episodes that are two; of several judgements of one pair the last
    holds."""
    places = {
        entry.ref[::2]: place
        for place, airing in enumerate(airings)
        for entry in airing.episode.entries
    }
    decided = {}
    for judgement in judged:
        pair = {places[ref] for ref in (judgement.one, judgement.other) if ref in places}
        if len(pair) == 2:
            decided[min(pair), max(pair)] = judgement.kind
    return decided


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
