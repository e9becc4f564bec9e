"""The few other episodes of its show that an episode has most in common with, and what that is."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from sys import intern

from ..records import ResolvedEpisode
from ..text.addresses import without_addresses
from ..text.link_labels import OPAQUE, named
from ..text.normalize import words
from ..text.vocabulary import load, word_set
from .topics import LOW

# A feature that an episode is about counts in full; a topic only touched, or a title's word only in
# its notes, half.
ABOUT, TOUCHED = 2, 1
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
# Words relate two episodes that have nothing else in common only if so many are in the titles of
# both: a word that a title shares with notes ("random", "library", "history") is most often a false
# friend.
ALIKE = 2
PHRASES = {
    "topic": "Same topic: {}",
    "touched": "Also covers {}",
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

    `topics` are those it is about, `touched` those it only touches; `words` are its title's, `said`
    those of its notes; `references` are (kind, slug) as its notes say.
    """

    slug: str
    order: int
    topics: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    references: tuple[tuple[str, str], ...] = ()

    def features(self, in_titles: Collection[str]) -> dict[_Feature, int]:
        """Its features, ABOUT or TOUCHED; of its notes the words that some title has."""
        touched = [("topic", topic) for topic in self.touched]
        touched += [("word", word) for word in self.said if word in in_titles]
        about = {
            "topic": self.topics,
            "link": self.links,
            "name": self.names,
            "word": self.words,
        }
        full = [(kind, value) for kind, values in about.items() for value in values]
        return dict.fromkeys(touched, TOUCHED) | dict.fromkeys(full, ABOUT)


@dataclass(frozen=True, slots=True)
class RelatedTo:
    """An episode by slug, how much speaks for it (comparable within one answer only), and the
    strongest reason."""

    slug: str
    score: int
    reason: str


def traits(episode: ResolvedEpisode, said: tuple[str, ...] | None = None) -> Traits:
    """The traits of an episode of the catalog; `said` are the telling words of its notes, where
    they are known."""
    return Traits(
        slug=episode.slug,
        order=episode.order,
        topics=tuple(tag.topic for tag in episode.topics if tag.confidence != LOW),
        touched=tuple(tag.topic for tag in episode.topics if tag.confidence == LOW),
        links=tuple(link.key for link in episode.links),
        names=tuple(dict.fromkeys(named.name for named in episode.names)),
        words=telling_words(episode.merged.title),
        said=telling_words(episode.merged.text) if said is None else said,
        references=tuple((reference.kind, reference.episode) for reference in episode.references),
    )


def telling_words(text: str) -> tuple[str, ...]:
    """The words of a title or of notes that can say what it is about, folded, in one number, each
    once."""
    own = map(singular, words(without_addresses(text)))
    return tuple(
        dict.fromkeys(intern(w) for w in own if len(w) > 1 and w not in _STOP and not w.isdecimal())
    )


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
        in_titles = frozenset(chain.from_iterable(episode.words for episode in ordered))
        self.features = [episode.features(in_titles) for episode in ordered]
        self.holders: dict[_Feature, list[tuple[int, int]]] = defaultdict(list)
        for place, own in enumerate(self.features):
            for feature, strength in own.items():
                self.holders[feature].append((place, strength))
        self.worth = {
            feature: WEIGHTS[feature[0]] * _rarity(len(held), len(ordered))
            for feature, held in self.holders.items()
            if 2 <= len(held) <= self._most(feature[0])
        }
        self.references = self._references(ordered)

    def _most(self, kind: str) -> float:
        """The number of episodes beyond which what they share tells nothing."""
        most = max(2, len(self.slugs) / 2)
        return min(most, MOST_SAYING) if kind == "word" else most

    def _references(self, episodes: Sequence[Traits]) -> list[dict[int, tuple[int, str]]]:
        """The strongest reference to each other episode, its weight and how it is told."""
        told: list[dict[int, tuple[int, str]]] = [{} for _ in episodes]
        unit = WEIGHTS["link"] * ABOUT * ABOUT * _rarity(2, len(episodes))
        for place, episode in enumerate(episodes):
            for kind, slug in episode.references:
                other = self.places.get(slug, place)
                if other != place:
                    strength, says, said = REFERENCES[kind]
                    for one, two, words_ in ((place, other, says), (other, place, said)):
                        reference = (strength * unit, words_)
                        told[one][two] = _stronger(told[one].get(two, reference), reference)
        return told

    def nearest(self, place: int, most: int, *, but_named: bool) -> list[tuple[int, int]]:
        """The others that share most, with their scores."""
        scores, of_words, in_both_titles = self._shared(place)
        for other, (weight, _) in self.references[place].items():
            scores[other] += weight
        for other, score in of_words.items():
            if other in scores or in_both_titles[other] >= ALIKE:
                scores[other] += score
        for other in (place, *(self.references[place] if but_named else ())):
            scores.pop(other, None)
        # Where they are in the show tells only those of equal scores apart.
        least = min(heapq.nlargest(most, scores.values()), default=0)
        best = [one for one in scores.items() if one[1] >= least]
        return sorted(best, key=lambda one: (-one[1], abs(one[0] - place), -one[0]))[:most]

    def _shared(self, place: int) -> tuple[Counter[int], Counter[int], Counter[int]]:
        """By episode the sums of what it shares, those of words, and the words of both titles."""
        scores: Counter[int] = Counter()
        of_words: Counter[int] = Counter()
        in_both_titles: Counter[int] = Counter()
        for feature, mine in self.features[place].items():
            worth, held = self.worth.get(feature, 0) * mine, self.holders[feature]
            at = bisect_left(held, (place,))
            for other, theirs in held[max(0, at - REACH) : at + REACH + 1] if worth else ():
                if feature[0] != "word":
                    scores[other] += worth * theirs
                elif (
                    mine + theirs > 2 * TOUCHED
                ):  # one that only the notes of both have says little
                    of_words[other] += worth * theirs
                    in_both_titles[other] += mine + theirs == 2 * ABOUT
        return scores, of_words, in_both_titles

    def reason(self, place: int, other: int, labels: Mapping[str, str]) -> str:
        """The strongest reason for the other episode, in words.

        Words of titles are one only where there is nothing else.
        """
        mine, theirs = self.features[place], self.features[other]
        reference = self.references[place].get(other)
        told = [(-reference[0], reference[1])] if reference else []
        for feature in mine.keys() & theirs.keys() & self.worth.keys():
            kind, value = feature
            if kind != "word":
                is_touched = kind == "topic" and TOUCHED in (mine[feature], theirs[feature])
                label = value if kind == "name" else labels.get(value) or _label(kind, value)
                phrase = PHRASES["touched" if is_touched else kind].format(label)
                told.append((-self.worth[feature] * mine[feature] * theirs[feature], phrase))
        return min(told, default=(0, SIMILAR_TITLES))[1]


def _stronger(one: tuple[int, str], other: tuple[int, str]) -> tuple[int, str]:
    """The reference of more weight; of equals the first by its words."""
    return min(one, other, key=lambda reference: (-reference[0], reference[1]))


def _label(kind: str, value: str) -> str:
    return OPAQUE.get(value.partition(":")[0]) or named(value).whole if kind == "link" else value


def _rarity(count: int, episodes: int) -> int:
    """The square of the inverse document frequency, as in a dot product of tf-idf; whole, so that
    sums are exact."""
    return round(1000 * math.log(1 + (episodes - count + 0.5) / (count + 0.5)) ** 2)
