"""Finds for every episode the few others of its show that it has most in common with, and says what that is."""

from __future__ import annotations

import heapq
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..records import ResolvedEpisode
from ..text.normalize import words
from .topics import LOW

# A feature that an episode is about counts whole; a topic only touched, or a title's word only said in its notes, half.
ABOUT, TOUCHED = 2, 1
# How much each kind of feature speaks for it that two episodes belong together: a single word or name says less than a
# topic or a link. Exact figures matter little: doubling or halving one moves the agreement with a hand-made key by no
# more than two hundredths (episodes/tests/notes/related_figures.py).
WEIGHTS = {"link": 2, "topic": 2, "name": 1, "word": 1}
# What the notes say outright, in links that only these two have: no single thing that two share is to outrank it.
REFERENCES = {"prerequisite": 3, "follow-up": 3, "see-also": 2}

# A feature is counted between episodes this many places apart among those that have it, in the order of the show: what
# hundreds have says little, and this bounds the work by the number of features.
REACH = 60
MOST_SAYING = 60  # a word that more episodes say is a common one, whatever titles have it
MOST_REASONS = 3
MOST_NAMED = 3
LONGEST_LABEL = 60
# Links whose key is but letters and digits, and how a person would name them.
OPAQUE = {"gdoc": "a document", "youtube": "a video", "vimeo": "a video", "openreview": "a paper", "gist": "a gist"}

# What the reference of one says of the other, on the page of the one that speaks and of the one that is spoken of.
SAYS = {"prerequisite": "listen to this first", "follow-up": "follow-up", "see-also": "see also"}
SAID = {"prerequisite": "builds on this", "follow-up": "is continued here", "see-also": "points here"}

_STOP = frozenset(
    """
    a about all an and are as at be by can do does episode episodes for from how i in into is it its just more new no
    not of on or our part podcast questions so some that the this to too up us use using versus vs was we what when
    where which who why will with you your
    """.split()
)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}://\S+")
_ONE = ("series", "species")  # that many are written like

_Feature = tuple[str, str]  # kind, value
_Kinds = dict[str, dict[str, set[str]]]


@dataclass(frozen=True, slots=True)
class Traits:
    """What of an episode may be found in others; `order` counts from 1, the oldest, and need not be without gaps.

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


@dataclass(frozen=True, slots=True)
class RelatedTo:
    """An episode by slug, how much speaks for it (comparable within one answer only), and what, the strongest first."""

    slug: str
    score: int
    reasons: tuple[str, ...]


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
    own = (_singular(word) for word in words(_ADDRESS.sub(" ", text)))
    return tuple(dict.fromkeys(w for w in own if len(w) > 1 and w not in _STOP and not w.isdecimal()))


def _singular(word: str) -> str:
    """Brings "subclasses", "libraries" and "graphs" together with what they are many of."""
    if not word.endswith("s") or len(word) < 4 or word.endswith(_ONE):
        return word
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies") and len(word) > 5:
        return f"{word[:-3]}y"
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def related(
    episodes: Sequence[Traits],
    most: int = 5,
    topic_names: Mapping[str, str] | None = None,
    but_named: bool = False,
) -> dict[str, tuple[RelatedTo, ...]]:
    """For every episode by slug at most so many others, the nearest first; none where nothing tells.

    What two share counts by its kind and its rarity, in both directions alike; of equals the one that was published
    nearest comes first, then the newer. The order of `episodes` does not matter. `topic_names` are for the reasons;
    `but_named` leaves out those that one of the two refers to.
    """
    show = _Show(episodes)
    found = {}
    for slug in show.episodes:
        named = {*show.says[slug], *show.said[slug]} if but_named else set()
        nearest = [one for one in show.nearest(slug, most + len(named)) if one[0] not in named][:most]
        found[slug] = tuple(
            RelatedTo(other, score, show.reasons(slug, other, topic_names or {})) for other, score in nearest
        )
    return found


def baseline(episodes: Sequence[Traits], most: int = 5) -> dict[str, tuple[str, ...]]:
    """For every episode by slug the newest others that are about a topic of its own: what `related` has to beat."""
    newest = sorted(episodes, key=lambda e: (-e.order, e.slug))
    about: dict[str, list[int]] = defaultdict(list)
    for place, episode in enumerate(newest):
        for topic in set(episode.topics):
            about[topic].append(place)
    found = {}
    for place, episode in enumerate(newest):
        first = {other for topic in episode.topics for other in about[topic][: most + 1]} - {place}
        found[episode.slug] = tuple(newest[other].slug for other in sorted(first)[:most])
    return found


class _Show:
    """The features of all episodes of a show, and who has which."""

    def __init__(self, episodes: Iterable[Traits]) -> None:
        ordered = sorted(episodes, key=lambda e: (e.order, e.slug))
        self.episodes = {episode.slug: episode for episode in ordered}
        self.place = {slug: place for place, slug in enumerate(self.episodes)}
        # A word that no title has can tell nothing: two notes that say it may be about anything.
        titles = frozenset(word for episode in ordered for word in episode.words)
        features = {slug: _features(episode, titles) for slug, episode in self.episodes.items()}
        self.holders: dict[_Feature, list[tuple[str, int]]] = defaultdict(list)
        self.among: dict[_Feature, dict[str, int]] = defaultdict(dict)
        self._hold(features)
        self.rarest = _rarity(2, len(self.episodes))
        self.worth = {feature: self._worth(feature) for feature in self.holders}
        self.shared = {slug: self._shared(own) for slug, own in features.items()}
        self.scores: dict[str, dict[str, int]] = {slug: defaultdict(int) for slug in self.episodes}
        self.by_words: dict[str, dict[str, int]] = {slug: defaultdict(int) for slug in self.episodes}
        self._count()
        self.says, self.said = self._references()

    def _hold(self, features: Mapping[str, Mapping[_Feature, int]]) -> None:
        for slug, own in features.items():
            for feature, strength in own.items():
                self.among[feature][slug] = len(self.holders[feature])
                self.holders[feature].append((slug, strength))

    def _shared(self, features: Mapping[_Feature, int]) -> dict[_Feature, int]:
        return {feature: strength for feature, strength in features.items() if self.worth[feature]}

    def _worth(self, feature: _Feature) -> int:
        """The weight of a feature that two share: nothing where one alone or more than half of the episodes have it."""
        count = len(self.holders[feature])
        if count < 2 or count > max(2, len(self.episodes) / 2) or (feature[0] == "word" and count > MOST_SAYING):
            return 0
        return WEIGHTS[feature[0]] * _rarity(count, len(self.episodes))

    def _references(self) -> tuple[_Kinds, _Kinds]:
        """The kinds of the references, by who speaks and of whom, and by who is spoken of and by whom."""
        says: _Kinds = {slug: {} for slug in self.episodes}
        said: _Kinds = {slug: {} for slug in self.episodes}
        for slug, episode in self.episodes.items():
            for kind, other in episode.references:
                if other in self.episodes and other != slug:
                    says[slug].setdefault(other, set()).add(kind)
                    said[other].setdefault(slug, set()).add(kind)
        return says, said

    def _reference(self, slug: str, other: str) -> int:
        kinds = self.says[slug].get(other, set()) | self.said[slug].get(other, set())
        strength = max((REFERENCES.get(kind, 1) for kind in kinds), default=0)
        return strength * WEIGHTS["link"] * ABOUT * ABOUT * self.rarest

    def _count(self) -> None:
        """Add up what each two share, by words and by all else; two notes that say a word share it only with a title."""
        for feature, held in self.holders.items():
            worth, is_word = self.worth[feature], feature[0] == "word"
            found = self.by_words if is_word else self.scores
            for place, (slug, mine) in enumerate(held if worth else ()):
                if is_word and mine != ABOUT:
                    continue
                for other, theirs in (*held[max(0, place - REACH) : place], *held[place + 1 : place + REACH + 1]):
                    found[slug][other] += worth * mine * theirs
                    if is_word and theirs != ABOUT:
                        found[other][slug] += worth * mine * theirs

    def nearest(self, slug: str, most: int) -> list[tuple[str, int]]:
        """The others that share most, with their scores."""
        scores = self.scores[slug]
        for other in {*self.says[slug], *self.said[slug]}:
            scores[other] += self._reference(slug, other)
        # A lone word of one title that is said in the notes of another, be it the rarest, is chance.
        for other, score in self.by_words[slug].items():
            if other in scores or score > WEIGHTS["word"] * ABOUT * TOUCHED * self.rarest:
                scores[other] += score
        here = self.place[slug]

        def rank(found: tuple[str, int]) -> tuple[int, int, int]:
            there = self.place[found[0]]
            return (-found[1], abs(there - here), -there)

        best = heapq.nlargest(most, scores.values())
        least = best[-1] if best else 0
        return sorted(((other, score) for other, score in scores.items() if score >= max(1, least)), key=rank)[:most]

    def reasons(self, slug: str, other: str, topic_names: Mapping[str, str]) -> tuple[str, ...]:
        """What speaks for the other episode, in words, the strongest first."""
        shared: dict[tuple[str, bool], list[tuple[int, str]]] = defaultdict(list)
        for feature in self.shared[slug].keys() & self.shared[other].keys():
            mine, theirs = self.shared[slug][feature], self.shared[other][feature]
            if self._is_near(feature, slug, other) and _counts(feature, mine, theirs):
                about = feature[0] == "topic" and mine == theirs == ABOUT
                shared[feature[0], about].append((-self.worth[feature] * mine * theirs, feature[1]))
        told = [
            (sum(worth for worth, _ in found), _in_words(*kind, [value for _, value in sorted(found)], topic_names))
            for kind, found in shared.items()
        ]
        told += [(-self._reference(slug, other), words) for words in self._outright(slug, other)]
        return tuple(words for _, words in sorted(told)[:MOST_REASONS])

    def _is_near(self, feature: _Feature, slug: str, other: str) -> bool:
        places = self.among[feature]
        return abs(places[slug] - places[other]) <= REACH

    def _outright(self, slug: str, other: str) -> list[str]:
        says = [SAYS.get(kind, "see also") for kind in self.says[slug].get(other, ())]
        return says + [SAID.get(kind, "points here") for kind in self.said[slug].get(other, ())]


def _features(episode: Traits, titles: Collection[str]) -> dict[_Feature, int]:
    """The features of an episode, and whether it is about them or only touches them."""
    found = {("word", word): TOUCHED for word in episode.said if word in titles}
    found |= {("topic", topic): TOUCHED for topic in episode.touched}
    about = (("topic", episode.topics), ("link", episode.links), ("name", episode.names), ("word", episode.words))
    return found | {(kind, value): ABOUT for kind, values in about for value in values}


def _counts(feature: _Feature, mine: int, theirs: int) -> bool:
    """Whether a word that both say counts: one has it in its title."""
    return feature[0] != "word" or ABOUT in (mine, theirs)


def _rarity(count: int, episodes: int) -> int:
    """The square of the inverse document frequency, as in a dot product of tf-idf; whole, so that sums are exact."""
    return round(1000 * math.log(1 + (episodes - count + 0.5) / (count + 0.5)) ** 2)


# --- Words -----------------------------------------------------------------------------------------------------------


def _in_words(kind: str, both: bool, values: Sequence[str], topic_names: Mapping[str, str]) -> str:
    """What two share of one kind; `both` are about it."""
    if kind == "link":
        return f"shares {_label(values[0])}" if len(values) == 1 else f"{len(values)} shared links"
    named = values[:MOST_NAMED]
    if kind == "topic":
        return f"both {'about' if both else 'touch on'} {_listed([topic_names.get(value, value) for value in named])}"
    if kind == "name":
        return f"both name {_listed(named)}"
    return f"both speak of {_listed([f'“{value}”' for value in named])}"


def _listed(values: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(values[:-1]), values[-1])))


def _label(key: str) -> str:
    """A link as a person would name it: its typed key without what only a machine needs."""
    scheme, _, rest = key.partition(":")
    if scheme in OPAQUE:
        return OPAQUE[scheme]
    if scheme == "episode":
        return f"a link to {rest}"
    label = re.sub(r"^(?:gh:|https?://(?:www\.)?)", "", key).rstrip("/")
    if len(label) <= LONGEST_LABEL:
        return label
    site, last = re.split(r"[/?]" if scheme != "gh" else ":", label)[0], label.rpartition("/")[2]
    return f"{site[:LONGEST_LABEL]}/…/{last[-LONGEST_LABEL:]}"
