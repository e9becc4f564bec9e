"""The few other episodes of its show that an episode has most in common with, and what that is."""

import heapq
import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from ..records import RelatedEpisode, ResolvedEpisode
from ..text.addresses import without_addresses
from ..text.link_labels import named
from ..text.normalize import words
from ..text.vocabulary import load, word_set

# How much each kind of feature speaks for it that two episodes belong together: a single word or
# name says less than a topic or a link. Exact figures matter little: doubling or halving one moves
# the agreement with a hand-made key by no more than two hundredths
# (episodes/tests/notes/related_figures.py).
WEIGHTS = {"link": 2, "topic": 2, "name": 1, "word": 1}
# A feature is counted between episodes this many places apart among those that have it, in the
# order of the show: what hundreds have says little, and this bounds the work by the number of
# features.
REACH = 60
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


def traits(episode: ResolvedEpisode) -> Traits:
    """The traits of an episode of the catalog."""
    return Traits(
        slug=episode.slug,
        order=episode.order,
        topics=tuple(tag.topic for tag in episode.topics),
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
    episodes: Sequence[Traits], most: int = 5, labels: Mapping[str, str] = MappingProxyType({})
) -> dict[str, tuple[RelatedEpisode, ...]]:
    """For every episode by slug at most so many others, the nearest first; none where nothing
    tells, and none that one of the two refers to.

    What two share counts by its kind and its rarity, in both directions alike; of equals the one
    that was published nearest comes first, then the newer. The order of `episodes` does not matter.
    `labels` are names of topics by slug and titles of links by key, for the reasons.
    """
    ordered = sorted(episodes, key=lambda episode: (episode.order, episode.slug))
    named = {frozenset((one.slug, slug)) for one in ordered for _, slug in one.references}
    holders: dict[_Feature, list[int]] = defaultdict(list)  # places, the oldest 0
    for place, episode in enumerate(ordered):
        for feature in episode.features:
            holders[feature].append(place)
    worth = _worth(holders, len(ordered))
    answers: dict[str, tuple[RelatedEpisode, ...]] = {}
    for place, episode in enumerate(ordered):
        shared: dict[int, list[_Feature]] = defaultdict(list)
        for feature in episode.features & worth.keys():
            held = holders[feature]
            at = bisect_left(held, place)
            for other in (*held[max(0, at - REACH) : at], *held[at + 1 : at + REACH + 1]):
                shared[other].append(feature)
        # A single word of two titles relates nothing. Where they are in the show tells only those
        # of equal scores apart.
        candidates = [
            (sum(worth[feature] for feature in features), -abs(other - place), other)
            for other, features in shared.items()
            if (len(features) > 1 or features[0][0] != "word")
            and {episode.slug, ordered[other].slug} not in named
        ]
        answers[episode.slug] = tuple(
            RelatedEpisode(ordered[other].slug, score, _reason(shared[other], worth, labels))
            for score, _, other in heapq.nlargest(most, candidates)
        )
    return answers


def _worth(holders: Mapping[_Feature, Sequence[int]], count: int) -> dict[_Feature, int]:
    """The worth of each feature that tells something: what one episode has, or most, does not."""
    worth = {}
    for feature, held in holders.items():
        if 2 <= len(held) <= max(2, count / 2):
            # The square of the inverse document frequency, as in a dot product of tf-idf; whole, so
            # that sums are exact.
            rarity = math.log(1 + (count - len(held) + 0.5) / (len(held) + 0.5)) ** 2
            worth[feature] = WEIGHTS[feature[0]] * round(1000 * rarity)
    return worth


def _reason(
    features: Sequence[_Feature], worth: Mapping[_Feature, int], labels: Mapping[str, str]
) -> str:
    """The strongest reason, in words; those of titles are one only where there is nothing else."""
    reasons = []
    for kind, value in features:
        if kind in PHRASES:
            label = value if kind == "name" else labels.get(value) or named(value).whole
            reasons.append((-worth[kind, value], PHRASES[kind].format(label)))
    return min(reasons, default=(0, SIMILAR_TITLES))[1]
