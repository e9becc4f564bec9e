"""The few other episodes of its show that an episode has most in common with, and what that is."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..records import ResolvedEpisode
from ..text.addresses import without_addresses
from ..text.link_labels import OPAQUE, named
from ..text.normalize import words
from ..text.vocabulary import load, word_set
from .topics import LOW

# How much each kind of feature speaks for it that two episodes belong together: a single word or
# name says less than a topic or a link. Exact figures matter little: doubling or halving one moves
# the agreement with a hand-made key by no more than two hundredths
# (episodes/tests/notes/related_figures.py).
WEIGHTS = {"link": 2, "topic": 2, "name": 1, "word": 1}
# A reference counts as much as so many links that only these two have (no single thing that two
# share is to outrank it), and has words for the page of the episode that refers and for that of the
# one referred to.
REFERENCES = {
    "prerequisite": (3, "Listen to this first", "Builds on this"),
    "follow-up": (3, "Continues this", "Continued here"),
    "see-also": (2, "Mentioned here", "Mentions this"),
}

# A feature is counted between episodes this many places apart among those that have it, in the
# order of the show: what hundreds have says little, and this bounds the work by the number of
# features.
REACH = 60
MOST_SAYING = 60  # a word that more episodes say is a common one, whatever titles have it
# Words relate two episodes that have nothing else in common only if so many are in both titles.
ALIKE = 2
PHRASES = {
    "topic": "Same topic: {}",
    "name": "Both mention {}",
    "link": "Both link to {}",
}
SIMILAR_TITLES = "Similar title"

_DATA = load(__file__, "related")
_STOP = word_set(_DATA["stop"])
_PLURALS = [(ending, one, longer) for ending, one, longer in _DATA["plurals"]]

_Feature = tuple[str, str]  # kind, value


@dataclass(frozen=True, slots=True)
class Traits:
    """The traits of an episode that others may share; `order` counts from 1, the oldest, and may
    have gaps.

    `words` are its title's; `references` are (kind, slug) as its notes say.
    """

    slug: str
    order: int
    topics: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    references: tuple[tuple[str, str], ...] = ()

    @property
    def features(self) -> set[_Feature]:
        by_kind = zip(WEIGHTS, (self.links, self.topics, self.names, self.words), strict=True)
        return {(kind, value) for kind, values in by_kind for value in values}


@dataclass(frozen=True, slots=True)
class RelatedTo:
    """An episode by slug, how much speaks for it (comparable within one answer only), and the
    strongest reason."""

    slug: str
    score: int
    reason: str


def traits(episode: ResolvedEpisode) -> Traits:
    """The traits of an episode of the catalog."""
    return Traits(
        slug=episode.slug,
        order=episode.order,
        topics=tuple(tag.topic for tag in episode.topics if tag.confidence != LOW),
        links=tuple(link.key for link in episode.links),
        names=tuple(named.name for named in episode.names),
        words=telling_words(episode.merged.title),
        references=tuple((reference.kind, reference.episode) for reference in episode.references),
    )


def telling_words(title: str) -> tuple[str, ...]:
    """The words of a title that can say what it is about, folded, in one number."""
    own = map(singular, words(without_addresses(title)))
    return tuple(w for w in own if len(w) > 1 and w not in _STOP and not w.isdecimal())


@lru_cache(maxsize=32_768)
def singular(word: str) -> str:
    """Brings "subclasses", "libraries" and "graphs" together with what they are many of."""
    fitting = (row for row in _PLURALS if word.endswith(row[0]) and len(word) > row[2])
    ending, one, _ = next(fitting, ("", "", 0))
    return word.removesuffix(ending) + one


def related(
    episodes: Sequence[Traits],
    most: int = 5,
    labels: Mapping[str, str] | None = None,
    but_named: bool = False,
) -> dict[str, tuple[RelatedTo, ...]]:
    """For every episode by slug at most so many others, the nearest first; none where nothing
    tells.

    What two share counts by its kind and its rarity, in both directions alike; of equals the one
    that was published nearest comes first, then the newer. The order of `episodes` does not matter.
    `labels` are names of topics by slug and titles of links by key, for the reasons; `but_named`
    leaves out those that one of the two refers to.
    """
    show = _Show(episodes)
    return {
        slug: tuple(
            RelatedTo(show.slugs[other], score, show.reason(place, other, labels or {}))
            for other, score in show.nearest(place, most, but_named=but_named)
        )
        for slug, place in show.places.items()
    }


class _Show:
    """The features of all episodes of a show, and who has them.

    Episodes are their places, the oldest 0.
    """

    def __init__(self, episodes: Sequence[Traits]) -> None:
        ordered = sorted(episodes, key=lambda e: (e.order, e.slug))
        self.slugs = [episode.slug for episode in ordered]
        self.places = {slug: place for place, slug in enumerate(self.slugs)}
        self.features = [episode.features for episode in ordered]
        self.holders: dict[_Feature, list[int]] = defaultdict(list)
        for place, own in enumerate(self.features):
            for feature in own:
                self.holders[feature].append(place)
        self.worth = {
            feature: WEIGHTS[feature[0]] * _rarity(len(held), len(ordered))
            for feature, held in self.holders.items()
            if 2 <= len(held) <= self._most(feature[0])
        }
        # To each other episode the strongest reference, as its weight and how it is told.
        self.references: list[dict[int, tuple[int, str]]] = [{} for _ in ordered]
        for place, episode in enumerate(ordered):
            for kind, slug in episode.references:
                self._refer(place, self.places.get(slug, place), *REFERENCES[kind])

    def _most(self, kind: str) -> float:
        """The number of episodes beyond which what they share tells nothing."""
        most = max(2, len(self.slugs) / 2)
        return min(most, MOST_SAYING) if kind == "word" else most

    def _refer(self, place: int, other: int, strength: int, says: str, said: str) -> None:
        weight = strength * WEIGHTS["link"] * _rarity(2, len(self.slugs))
        for one, two, words_ in ((place, other, says), (other, place, said)):
            known = self.references[one].get(two, (-weight, words_))
            self.references[one][two] = min(known, (-weight, words_))
        self.references[place].pop(place, None)

    def nearest(self, place: int, most: int, *, but_named: bool) -> list[tuple[int, int]]:
        """The others that share most, with their scores."""
        scores: Counter[int] = Counter()
        in_both_titles: Counter[int] = Counter()
        related = set(self.references[place])
        for other, (weight, _) in self.references[place].items():
            scores[other] -= weight
        for feature in self.features[place] & self.worth.keys():
            held = self.holders[feature]
            at = bisect_left(held, place)
            near = held[max(0, at - REACH) : at + REACH + 1]
            scores.update(dict.fromkeys(near, self.worth[feature]))
            if feature[0] == "word":
                in_both_titles.update(near)
            else:
                related.update(near)
        related |= {other for other, count in in_both_titles.items() if count >= ALIKE}
        related -= {place, *(self.references[place] if but_named else ())}
        # Where they are in the show tells only those of equal scores apart.
        best = heapq.nlargest(
            most, related, key=lambda other: (scores[other], -abs(other - place), other)
        )
        return [(other, scores[other]) for other in best]

    def reason(self, place: int, other: int, labels: Mapping[str, str]) -> str:
        """The strongest reason for the other episode, in words.

        Words of titles are one only where there is nothing else.
        """
        told = [self.references[place][other]] if other in self.references[place] else []
        for kind, value in self.features[place] & self.features[other] & self.worth.keys():
            if kind != "word":
                label = value if kind == "name" else labels.get(value) or _label(kind, value)
                told.append((-self.worth[kind, value], PHRASES[kind].format(label)))
        return min(told, default=(0, SIMILAR_TITLES))[1]


def _label(kind: str, value: str) -> str:
    return OPAQUE.get(value.partition(":")[0]) or named(value).whole if kind == "link" else value


def _rarity(count: int, episodes: int) -> int:
    """The square of the inverse document frequency, as in a dot product of tf-idf; whole, so that
    sums are exact."""
    return round(1000 * math.log(1 + (episodes - count + 0.5) / (count + 0.5)) ** 2)
