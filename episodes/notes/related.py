"""The few other episodes of its show that an episode has most in common with, and what that is."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from sys import intern

from ..records import ResolvedEpisode
from ..text.addresses import without_addresses
from ..text.normalize import words
from ..text.vocabulary import load, word_set
from .topics import LOW

# A feature that an episode is about counts in full; a topic only touched, or a title's word only in its notes, half.
ABOUT, TOUCHED = 2, 1
# How much each kind of feature speaks for it that two episodes belong together: a single word or name says less than a
# topic or a link. Exact figures matter little: doubling or halving one moves the agreement with a hand-made key by no
# more than two hundredths (episodes/tests/notes/related_figures.py).
WEIGHTS = {"link": 2, "topic": 2, "name": 1, "word": 1}
# A reference counts as much as so many links that only these two have (no single thing that two share is to outrank
# it), and has words for the page of the episode that refers and for that of the one referred to.
REFERENCES = {
    "prerequisite": (3, "Listen to this first", "Builds on this"),
    "follow-up": (3, "Continues this", "Continued here"),
    "see-also": (2, "Mentioned here", "Mentions this"),
}

# A feature is counted between episodes this many places apart among those that have it, in the order of the show: what
# hundreds have says little, and this bounds the work by the number of features.
REACH = 60
MOST_SAYING = 60  # a word that more episodes say is a common one, whatever titles have it
# Words relate two episodes that have nothing else in common only if so many are in the titles of both: a word that a
# title shares with notes ("random", "library", "history") is most often a false friend.
ALIKE = 2
LONGEST_LABEL = 60
# Links whose key is but letters and digits, and how a person would name them.
OPAQUE = {"gdoc": "document", "youtube": "video", "vimeo": "video", "openreview": "paper", "gist": "gist"}
PHRASES = {"topic": "Same topic: {}", "touched": "Also covers {}", "name": "Both mention {}", "link": "Both link to {}"}
SIMILAR_TITLES = "Similar title"

_DATA = load(__file__, "related")
_STOP = word_set(_DATA["stop"])
_PLURALS = [(ending, one, longer) for ending, one, longer in _DATA["plurals"]]

_Feature = tuple[str, str]  # kind, value


@dataclass(frozen=True, slots=True)
class Traits:
    """The traits of an episode that others may share; `order` counts from 1, the oldest, and may have gaps.

    `topics` are those it is about, `touched` those it only touches; `words` are its title's, `said` those of its notes;
    `references` are (kind, slug) as its notes say.
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

    @property
    def features(self) -> dict[_Feature, int]:
        """Its features but words, ABOUT or TOUCHED."""
        found = {("topic", topic): TOUCHED for topic in self.touched}
        about = (("topic", self.topics), ("link", self.links), ("name", self.names))
        return found | {(kind, value): ABOUT for kind, values in about for value in values}


@dataclass(frozen=True, slots=True)
class RelatedTo:
    """An episode by slug, how much speaks for it (comparable within one answer only), and the strongest reason."""

    slug: str
    score: int
    reason: str


def traits(episode: ResolvedEpisode, said: tuple[str, ...] | None = None) -> Traits:
    """The traits of an episode of the catalog; `said` are the telling words of its notes, where they are known."""
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
    """The words of a title or of notes that can say what it is about, folded, in one number, each once."""
    own = map(singular, words(without_addresses(text)))
    return tuple(dict.fromkeys(intern(w) for w in own if len(w) > 1 and w not in _STOP and not w.isdecimal()))


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
    """For every episode by slug at most so many others, the nearest first; none where nothing tells.

    What two share counts by its kind and its rarity, in both directions alike; of equals the one that was published
    nearest comes first, then the newer. The order of `episodes` does not matter. `labels` are names of topics by slug and
    titles of links by key, for the reasons; `but_named` leaves out those that one of the two refers to.
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
    """The features of all episodes of a show, and who has them. Episodes are their places, the oldest 0."""

    def __init__(self, episodes: Sequence[Traits]) -> None:
        ordered = sorted(episodes, key=lambda e: (e.order, e.slug))
        self.slugs = [episode.slug for episode in ordered]
        self.places = {slug: place for place, slug in enumerate(self.slugs)}
        self.rarest = _rarity(2, len(ordered))
        self.references = self._references(ordered)
        self.features = [episode.features for episode in ordered]
        self.holders = _holders(self.features)
        self.worth = self._worths({feature: len(held) for feature, held in self.holders.items()})
        self.titles = [frozenset(episode.words) for episode in ordered]
        # A word of notes tells something where some title has it; one that only the notes of both say adds nothing.
        in_titles = frozenset(chain.from_iterable(self.titles))
        self.said = [in_titles.intersection(e.said) - own for e, own in zip(ordered, self.titles, strict=True)]
        counts = Counter(chain(chain.from_iterable(self.titles), chain.from_iterable(self.said)))
        self.worth |= self._worths({("word", word): count for word, count in counts.items()})
        self.titled, self.saying = self._having(self.titles), self._having(self.said)

    def _references(self, episodes: Sequence[Traits]) -> list[dict[int, list[tuple[int, str]]]]:
        """The weight of each reference and how it is told, on the pages of both that it connects."""
        found: list[dict[int, list[tuple[int, str]]]] = [defaultdict(list) for _ in episodes]
        for place, episode in enumerate(episodes):
            for kind, slug in episode.references:
                other = self.places.get(slug, place)
                if other != place:
                    strength, says, said = REFERENCES[kind]
                    weight = strength * WEIGHTS["link"] * ABOUT * ABOUT * self.rarest
                    found[place][other].append((weight, says))
                    found[other][place].append((weight, said))
        return found

    def _worths(self, counts: Mapping[_Feature, int]) -> dict[_Feature, int]:
        """The weights of features that two may share, by how many episodes have each; those that tell something."""
        every = ((feature, self._worth(feature[0], count)) for feature, count in counts.items())
        return {feature: worth for feature, worth in every if worth}

    def _worth(self, kind: str, count: int) -> int:
        """The weight of a feature that two share: nothing where one alone or more than half of the episodes have it."""
        most = max(2, len(self.slugs) / 2)
        most = min(most, MOST_SAYING) if kind == "word" else most
        return WEIGHTS[kind] * _rarity(count, len(self.slugs)) if 2 <= count <= most else 0

    def _having(self, said: Iterable[Iterable[str]]) -> dict[str, list[int]]:
        """The places of the episodes that have each of the telling words."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, words_ in enumerate(said):
            for word in words_:
                if ("word", word) in self.worth:
                    found[word].append(place)
        return found

    def nearest(self, place: int, most: int, *, but_named: bool) -> list[tuple[int, int]]:
        """The others that share most, with their scores."""
        scores = self._shared(place)
        for other, references in self.references[place].items():
            scores[other] = scores.get(other, 0) + max(references)[0]
        words_, titles = self._shared_words(place)
        for other, score in words_.items():
            if other in scores or titles[other] >= ALIKE:
                scores[other] = scores.get(other, 0) + score
        for other in (place, *(self.references[place] if but_named else ())):
            scores.pop(other, None)
        # Where they are in the show tells only those of equal scores apart.
        least = min(heapq.nlargest(most, scores.values()), default=0)
        best = [found for found in scores.items() if found[1] >= least]
        return sorted(best, key=lambda found: (-found[1], abs(found[0] - place), -found[0]))[:most]

    def _shared(self, place: int) -> dict[int, int]:
        """The sums, for each other episode, of what both have but words; the episode itself is among them."""
        found: dict[int, int] = defaultdict(int)
        for feature, mine in self.features[place].items():
            if worth := self.worth.get(feature, 0) * mine:
                held = self.holders[feature]
                at = bisect_left(held, (place,))
                for other, theirs in held[max(0, at - REACH) : at + REACH + 1]:
                    found[other] += worth * theirs
        return found

    def _shared_words(self, place: int) -> tuple[dict[int, int], Counter[int]]:
        """The sums of the words that both have, one of them in its title, and how many are in the titles of both."""
        found: dict[int, int] = defaultdict(int)
        titles: Counter[int] = Counter()
        for word in self.titles[place] & self.titled.keys():
            worth = self.worth["word", word] * ABOUT
            titles.update(self.titled[word])
            for other in self.titled[word]:
                found[other] += worth * ABOUT
            for other in self.saying.get(word, ()):
                found[other] += worth * TOUCHED
        for word in self.said[place] & self.titled.keys():
            worth = self.worth["word", word] * TOUCHED * ABOUT
            for other in self.titled[word]:
                found[other] += worth
        return found, titles

    def reason(self, place: int, other: int, labels: Mapping[str, str]) -> str:
        """The strongest reason for the other episode, in words; words of titles only where there is nothing else."""
        mine, theirs = self.features[place], self.features[other]
        told = [(-weight, words) for weight, words in self.references[place].get(other, ())]
        for feature in mine.keys() & theirs.keys() & self.worth.keys():
            kind, value = feature
            is_touched = kind == "topic" and TOUCHED in (mine[feature], theirs[feature])
            phrase = PHRASES["touched" if is_touched else kind]
            weight = self.worth[feature] * mine[feature] * theirs[feature]
            told.append((-weight, phrase.format(_named(kind, value, labels))))
        return min(told, default=(0, SIMILAR_TITLES))[1]


def _holders(features: Iterable[Mapping[_Feature, int]]) -> dict[_Feature, list[tuple[int, int]]]:
    """The places of the episodes that have each feature, and how strongly."""
    found: dict[_Feature, list[tuple[int, int]]] = defaultdict(list)
    for place, own in enumerate(features):
        for feature, strength in own.items():
            found[feature].append((place, strength))
    return found


def _rarity(count: int, episodes: int) -> int:
    """The square of the inverse document frequency, as in a dot product of tf-idf; whole, so that sums are exact."""
    return round(1000 * math.log(1 + (episodes - count + 0.5) / (count + 0.5)) ** 2)


# --- Words -----------------------------------------------------------------------------------------------------------


def _named(kind: str, value: str, labels: Mapping[str, str]) -> str:
    if kind == "name":
        return value
    return labels.get(value) or (_label(value) if kind == "link" else value)


def _label(key: str) -> str:
    """A link as a person would name it: its typed key without what only a machine needs."""
    scheme, _, rest = key.partition(":")
    if scheme in OPAQUE:
        return f"the same {OPAQUE[scheme]}"
    is_code = scheme == "gh"
    label = rest if is_code else rest.removeprefix("//").removeprefix("www.").rstrip("/")
    if len(label) <= LONGEST_LABEL:
        return label
    site, last = label.replace("?", "/").partition(":" if is_code else "/")[0], label.rpartition("/")[2]
    return f"{site[:LONGEST_LABEL]}/…/{last[-LONGEST_LABEL:]}"
