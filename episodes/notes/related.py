"""The few other episodes of its show that an episode has most in common with, and what that is."""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product
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
_Scores = dict[str, dict[str, int]]  # by two slugs


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

    def features(self, titles: Collection[str]) -> dict[_Feature, int]:
        """The features of the episode, ABOUT or TOUCHED; a word of its notes is one where some title has it."""
        found = {("word", word): TOUCHED for word in self.said if word in titles}
        found |= {("topic", topic): TOUCHED for topic in self.touched}
        about = (("topic", self.topics), ("link", self.links), ("name", self.names), ("word", self.words))
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
            RelatedTo(other, score, show.reason(slug, other, labels or {}))
            for other, score in show.nearest(slug, most, show.references[slug] if but_named else ())
        )
        for slug in show.place
    }


class _Show:
    """The features of all episodes of a show, and how much each two of them share."""

    def __init__(self, episodes: Sequence[Traits]) -> None:
        ordered = sorted(episodes, key=lambda e: (e.order, e.slug))
        titles = frozenset(chain.from_iterable(episode.words for episode in ordered))
        self.place = {episode.slug: place for place, episode in enumerate(ordered)}
        self.features = {episode.slug: episode.features(titles) for episode in ordered}
        self.rarest = _rarity(2, len(ordered))
        self.references = self._references(ordered)
        holders = self._holders()
        self.worth = {feature: worth for feature, held in holders.items() if (worth := self._worth(feature, len(held)))}
        self.titles = {episode.slug: self._telling(episode.words) for episode in ordered}
        self.shared, self.shared_words = self._shared(holders)

    def _telling(self, words: Iterable[str]) -> frozenset[str]:
        """The words of a title that say something of two that share them."""
        return frozenset(word for word in words if ("word", word) in self.worth)

    def _holders(self) -> dict[_Feature, list[tuple[str, int]]]:
        """The episodes that have each feature, oldest first, and whether they are about it."""
        found: dict[_Feature, list[tuple[str, int]]] = defaultdict(list)
        for slug, own in self.features.items():
            for feature, strength in own.items():
                found[feature].append((slug, strength))
        return found

    def _worth(self, feature: _Feature, count: int) -> int:
        """The weight of a feature that two share: nothing where one alone or more than half of the episodes have it."""
        most = max(2, len(self.features) / 2)
        most = min(most, MOST_SAYING) if feature[0] == "word" else most
        return WEIGHTS[feature[0]] * _rarity(count, len(self.features)) if 2 <= count <= most else 0

    def _references(self, episodes: Sequence[Traits]) -> dict[str, dict[str, list[tuple[int, str]]]]:
        """The weight of each reference and how it is told, on the pages of both that it connects."""
        found: dict[str, dict[str, list[tuple[int, str]]]] = {slug: defaultdict(list) for slug in self.place}
        for episode in episodes:
            for kind, other in episode.references:
                if other in found and other != episode.slug:
                    strength, says, said = REFERENCES[kind]
                    weight = strength * WEIGHTS["link"] * ABOUT * ABOUT * self.rarest
                    found[episode.slug][other].append((weight, says))
                    found[other][episode.slug].append((weight, said))
        return found

    def _shared(self, holders: Mapping[_Feature, Sequence[tuple[str, int]]]) -> tuple[_Scores, _Scores]:
        """The sums, for each two episodes, of what both have but words, and of words."""
        others: _Scores = {slug: defaultdict(int) for slug in self.place}
        words: _Scores = {slug: defaultdict(int) for slug in self.place}
        for feature in self.worth:
            found, held = words if feature[0] == "word" else others, holders[feature]
            weights = {
                strengths: self._weight(feature, *strengths) for strengths in product((TOUCHED, ABOUT), repeat=2)
            }
            for place, (slug, mine) in enumerate(held):
                own = found[slug]
                for other, theirs in held[place + 1 : place + REACH + 1]:
                    if weight := weights[mine, theirs]:
                        own[other] += weight
                        found[other][slug] += weight
        return others, words

    def _weight(self, feature: _Feature, mine: int, theirs: int) -> int:
        """The weight of a feature that two have; a word that only the notes of both say adds nothing."""
        is_said = feature[0] == "word" and mine == theirs == TOUCHED
        return 0 if is_said else self.worth[feature] * mine * theirs

    def nearest(self, slug: str, most: int, without: Collection[str]) -> list[tuple[str, int]]:
        """The others that share most, with their scores."""
        scores = Counter(self.shared[slug])
        for other, references in self.references[slug].items():
            scores[other] += max(references)[0]
        by_words = self.shared_words[slug].items()
        scores.update({other: score for other, score in by_words if other in scores or self._alike(slug, other)})
        here = self.place[slug]

        def rank(found: tuple[str, int]) -> tuple[int, int, int]:
            there = self.place[found[0]]
            return (-found[1], abs(there - here), -there)

        for other in without:
            scores.pop(other, None)
        # Where they are in the show tells only those of equal scores apart.
        least = min(heapq.nlargest(most, scores.values()), default=0)
        return sorted((found for found in scores.items() if found[1] >= least), key=rank)[:most]

    def _alike(self, slug: str, other: str) -> bool:
        """True for two episodes whose titles share words enough."""
        return len(self.titles[slug] & self.titles[other]) >= ALIKE

    def reason(self, slug: str, other: str, labels: Mapping[str, str]) -> str:
        """The strongest reason for the other episode, in words; words of titles only where there is nothing else."""
        mine, theirs = self.features[slug], self.features[other]
        told = [(-weight, words) for weight, words in self.references[slug][other]]
        for feature in mine.keys() & theirs.keys() & self.worth.keys():
            kind, value = feature
            if kind != "word":
                is_touched = kind == "topic" and TOUCHED in (mine[feature], theirs[feature])
                phrase = PHRASES["touched" if is_touched else kind]
                weight = self._weight(feature, mine[feature], theirs[feature])
                told.append((-weight, phrase.format(_named(kind, value, labels))))
        return min(told, default=(0, SIMILAR_TITLES))[1]


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
