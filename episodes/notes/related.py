"""The few episodes of its show that an episode has most in common with, and the reasons.

Guests, references, links, topics and words of titles relate episodes if few have them. Hosts,
sponsors, profiles, dates and numbers are in many episodes of a show and relate nothing.
"""

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from ..records import EpisodeLinkData, RelatedEpisode, ResolvedEpisode
from ..text.addresses import blank_addresses
from ..text.link_labels import link_name_of_key
from ..text.normalize import folded_words
from ..text.urls import safe_urlsplit, site_of
from ..text.vocabulary import load_vocabulary, word_set
from .credits import HOST

MAX_FEATURES_PER_EPISODE = 30  # The rarest count most, and this bounds the work.


class FeatureKind(NamedTuple):
    """A kind of feature that relates two episodes."""

    weight: int  # how much it counts
    share: float  # A feature of so many of a show's episodes, or of more, relates nothing.
    reason: str  # for pages, with braces for the name of the feature


# A single word says less than a topic or a link. Exact weights matter little: doubling or halving
# one moves the agreement with a hand-made key by no more than two hundredths
# (episodes/tests/notes/test_related.py).
FEATURE_KINDS = {
    "link": FeatureKind(2, 1 / 10, "Both link to {}"),
    "person": FeatureKind(2, 1 / 10, "Both with {}"),
    "reference": FeatureKind(2, 1 / 10, "Both refer to {}"),
    "topic": FeatureKind(2, 1 / 2, "Same topic: {}"),
    "word": FeatureKind(1, 1 / 10, "Similar title"),
}

_DATA = load_vocabulary(__file__, "related")
_STOP = word_set(_DATA["stop"])
# (ending, replacement, length): ("ies", "y", 5) for words of more than 5 letters. The first counts.
_PLURALS: list[tuple[str, str, int]] = _DATA["plurals"]


class Feature(NamedTuple):
    """A value that two episodes may share."""

    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class Traits:
    """The features of an episode by kind. `order` counts from 1, the oldest, and may have gaps.

    `references` are the episodes that its notes refer to, as keys of links: `episode:SLUG`.
    """

    slug: str
    order: int
    links: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"episode:{self.slug}"

    @property
    def features(self) -> set[Feature]:
        values_by_kind = {
            "link": self.links,
            "person": self.people,
            "reference": self.references,
            "topic": self.topics,
            "word": self.words,
        }
        features: set[Feature] = set()
        for kind, values in values_by_kind.items():
            features.update(Feature(kind, value) for value in values)
        return features


def list_traits_without_usual_sites(episodes: Sequence[ResolvedEpisode]) -> list[Traits]:
    """Return the traits of the episodes of a show, without links to sites that the show always links."""
    episode_counts = Counter[str]()  # by site
    for episode in episodes:
        # A set: a site counts once an episode. Links of other kinds, such as papers, count from any site.
        sites = {site_of(link.url) for link in episode.links if link.kind == "other"}
        episode_counts.update(sites)
    # Shops, networks, directories and sponsors are in a third of the episodes, and in three at least.
    usual_count = max(3, len(episodes) / 3)
    usual_sites = {site for site, count in episode_counts.items() if count >= usual_count}
    return [_traits_of_episode(episode, usual_sites) for episode in episodes]


def _traits_of_episode(episode: ResolvedEpisode, usual_sites: Collection[str]) -> Traits:
    links = [link.key for link in episode.links if _is_about_subject(link, usual_sites)]
    people = [credit.identity for credit in episode.people if credit.role != HOST]
    references = [f"episode:{reference.episode}" for reference in episode.references]
    return Traits(
        slug=episode.slug,
        order=episode.order,
        links=tuple(links),
        people=tuple(people),
        references=tuple(references),
        topics=tuple(tag.topic for tag in episode.topics),
        words=_title_words(episode),
    )


def _title_words(episode: ResolvedEpisode) -> tuple[str, ...]:
    names = " ".join(credit.credited_as for credit in episode.people)
    name_words = set(map(singular, folded_words(names)))
    return tuple(
        word for word in subject_words_of_title(episode.merged.title) if word not in name_words
    )


def _is_about_subject(link: EpisodeLinkData, usual_sites: Collection[str]) -> bool:
    """Return whether a link says what an episode is about. Home pages and the pages right below them do
    not: there people, shows and sponsors present themselves (`https://shop.example/loomhour`)."""
    # A repository, a paper, a talk … But links to episodes count as references.
    if link.kind != "other":
        return link.kind != "episode"
    path = safe_urlsplit(link.url).path.strip("/")
    return site_of(link.url) not in usual_sites and "/" in path


def subject_words_of_title(title: str) -> tuple[str, ...]:
    """Return the words of a title that may say what it is about, folded and in the singular. Leave
    out single letters, stop words, dates and numbers."""
    words = []
    for folded_word in folded_words(blank_addresses(title)):
        word = singular(folded_word)
        begins_with_letter = re.fullmatch(r"\D\w+", word)
        if begins_with_letter and word not in _STOP:
            words.append(word)
    return tuple(words)


@lru_cache(maxsize=32_768)
def singular(word: str) -> str:
    """Return the singular of a plural: "subclass" for "subclasses", "library" for "libraries".
    Other words stay."""
    for ending, replacement, length in _PLURALS:
        if word.endswith(ending) and len(word) > length:
            return word.removesuffix(ending) + replacement
    return word


class _Candidate(NamedTuple):
    """Another episode that shares features with an episode. The nearest candidate is the greatest:
    by score, then by distance in order of publication, then the newer one."""

    score: int
    negative_distance: int
    episode_index: int


def related_episodes_by_slug(
    all_traits: Sequence[Traits],
    limit: int = 5,
    labels: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, tuple[RelatedEpisode, ...]]:
    """Return for each episode by slug at most `limit` episodes, the nearest first. Leave out pairs
    with a reference between them.

    A shared feature counts by its kind and its rarity, in both directions alike. Of equals the episode
    that was published nearest comes first, then the newer. The order of `all_traits` does not matter.
    `labels` are names of values for the reasons.
    """
    # From here on an episode is its index in this list.
    ordered = sorted(all_traits, key=lambda episode: (episode.order, episode.slug))
    features_of_episodes = _rarest_shared_features_in_order_of_episodes(ordered)
    indexes_by_feature = _episode_indexes_by_feature(features_of_episodes)
    weights = _weight_by_feature(indexes_by_feature, len(ordered))
    related_by_slug = {}
    for index, episode in enumerate(ordered):
        shared_by_other_index = _shared_features_by_other_index(
            index, features_of_episodes[index], indexes_by_feature
        )
        candidates = _iterate_related_candidates(index, ordered, shared_by_other_index, weights)
        nearest = []
        for candidate in heapq.nlargest(limit, candidates):
            shared = shared_by_other_index[candidate.episode_index]
            reason = _describe_strongest_reason(shared, weights, labels)
            slug = ordered[candidate.episode_index].slug
            nearest.append(RelatedEpisode(slug, candidate.score, reason))
        related_by_slug[episode.slug] = tuple(nearest)
    return related_by_slug


def _iterate_related_candidates(
    index: int,
    ordered: Sequence[Traits],
    shared_by_other_index: Mapping[int, Sequence[Feature]],
    weights: Mapping[Feature, int],
) -> Iterator[_Candidate]:
    """Yield candidates for the episode at `index`. It shares features with other episodes, by their index."""
    episode = ordered[index]
    for other_index, common_features in shared_by_other_index.items():
        other = ordered[other_index]
        # One common word of a title may be chance.
        is_single_word = len(common_features) == 1 and common_features[0].kind == "word"
        # The pages of both list a reference anyway.
        is_reference = other.key in episode.references or episode.key in other.references
        if not is_single_word and not is_reference:
            score = sum(weights[feature] for feature in common_features)
            distance = abs(other_index - index)
            yield _Candidate(score, -distance, other_index)


def _episode_indexes_by_feature(
    features_of_episodes: Sequence[Sequence[Feature]],
) -> Mapping[Feature, list[int]]:
    indexes_by_feature: dict[Feature, list[int]] = defaultdict(list)
    for index, episode_features in enumerate(features_of_episodes):
        for feature in episode_features:
            indexes_by_feature[feature].append(index)
    return indexes_by_feature


def _shared_features_by_other_index(
    index: int, features: Sequence[Feature], indexes_by_feature: Mapping[Feature, list[int]]
) -> dict[int, list[Feature]]:
    shared: dict[int, list[Feature]] = defaultdict(list)
    for feature in features:
        for other_index in indexes_by_feature[feature]:
            if other_index != index:
                shared[other_index].append(feature)
    return shared


def _rarest_shared_features_in_order_of_episodes(
    all_traits: Sequence[Traits],
) -> list[list[Feature]]:
    """Return for each episode at most MAX_FEATURES_PER_EPISODE features, the rarest first. A feature
    counts if at least two episodes have it, and no more than its kind allows."""
    episode_counts = Counter[Feature]()
    for episode in all_traits:
        episode_counts.update(episode.features)
    max_count_by_kind = _max_episode_count_by_kind(len(all_traits))
    features_of_episodes = []
    for episode in all_traits:
        shared = []
        for feature in episode.features:
            if 2 <= episode_counts[feature] <= max_count_by_kind[feature.kind]:
                shared.append(feature)
        # Features of equal rarity by kind and value, because a set has no order.
        shared.sort(key=lambda feature: (episode_counts[feature], feature))
        features_of_episodes.append(shared[:MAX_FEATURES_PER_EPISODE])
    return features_of_episodes


def _max_episode_count_by_kind(episode_count: int) -> dict[str, int]:
    max_count_by_kind = {}
    for name, kind in FEATURE_KINDS.items():
        fewer_than_share = math.ceil(kind.share * episode_count) - 1
        # Two episodes may always share a feature. A feature of more than 60 episodes says little, and
        # this bounds the work.
        max_count_by_kind[name] = min(max(2, fewer_than_share), 60)
    return max_count_by_kind


def _weight_by_feature(
    indexes_by_feature: Mapping[Feature, Sequence[int]], episode_count: int
) -> dict[Feature, int]:
    """Return the square of the inverse document frequency of each feature, as in a dot product of tf-idf: the rarer
    the feature, the higher. The formula is that of BM25. Whole numbers make exact sums."""
    weights = {}
    for feature, indexes in indexes_by_feature.items():
        count = len(indexes)
        rarity = math.log(1 + (episode_count - count + 0.5) / (count + 0.5)) ** 2
        weights[feature] = FEATURE_KINDS[feature.kind].weight * round(1000 * rarity)
    return weights


def _describe_strongest_reason(
    shared: Sequence[Feature], weights: Mapping[Feature, int], labels: Mapping[str, str]
) -> str:
    """Return the reason with the highest weight, in words. Words of titles are one reason together,
    and a single word is no reason."""
    word_count = sum(feature.kind == "word" for feature in shared)
    weight_of_reason = Counter[str]()
    for feature in shared:
        if feature.kind != "word" or word_count > 1:
            label = labels.get(feature.value) or link_name_of_key(feature.value).full_name
            # The reason for words has no label: "Similar title". So their weights are added.
            reason = FEATURE_KINDS[feature.kind].reason.format(label)
            weight_of_reason[reason] += weights[feature]
    # Of equal weights the last in the alphabet, only so that the order of features does not matter.
    return max(weight_of_reason, key=lambda reason: (weight_of_reason[reason], reason))
