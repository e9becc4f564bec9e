"""Similarity in meaning of a query to the titles and notes of episodes."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from statistics import fmean

from .. import meaning
from ..models import EpisodeMeaning

MAX_VECTORS = 50_000  # of the newest rows. To read and compare 10,000 takes some 40 milliseconds

# Both chosen on queries about several shows, and on queries about something else (docs/search.md).
NEAR_RELEVANCE = 0.32  # the relevance of an episode that needs no word of the query
LEAST_SIMILARITY = 0.1  # in a show of two episodes, one is half of the mean
MAX_NEAR_PER_SHOW = 20
# A query is about a show if many of its episodes are a little similar. Then the nearest of them are meant
# sooner than an episode of equal similarity that alone is similar.
SHOW_WEIGHT = 2


@dataclass(frozen=True)
class SimilarEpisodes:
    """How similar the listed episodes are to a query in meaning. It is empty without an encoder."""

    similarity: Mapping[int, float] = field(default_factory=dict)  # by id of the episode
    # The similarity, and SHOW_WEIGHT times the mean of the similarities of its show, by id of the episode.
    relevance: Mapping[int, float] = field(default_factory=dict)
    near_ids: Collection[int] = frozenset()


def find_similar_episodes(query_text: str) -> SimilarEpisodes:
    if not meaning.has_encoder():
        return SimilarEpisodes()
    rows = EpisodeMeaning.objects.filter(episode__listed=True).order_by("-episode")
    ids_by_show = defaultdict(list)
    ids = []
    vectors = []
    columns = ("episode__podcast", "episode", "vector")
    for show_id, episode_id, vector in rows.values_list(*columns)[:MAX_VECTORS].iterator():
        ids_by_show[show_id].append(episode_id)
        ids.append(episode_id)
        vectors.append(bytes(vector))
    if not ids:
        return SimilarEpisodes()
    similarity = dict(zip(ids, meaning.similarities(query_text, vectors), strict=True))
    relevance = {}
    near_ids = set()
    for episode_ids in ids_by_show.values():
        mean_of_show = fmean(similarity[episode_id] for episode_id in episode_ids)
        for episode_id in episode_ids:
            relevance[episode_id] = similarity[episode_id] + SHOW_WEIGHT * mean_of_show
        for episode_id in nlargest(MAX_NEAR_PER_SHOW, episode_ids, key=similarity.__getitem__):
            is_similar = similarity[episode_id] >= LEAST_SIMILARITY
            if is_similar and relevance[episode_id] >= NEAR_RELEVANCE:
                near_ids.add(episode_id)
    return SimilarEpisodes(similarity, relevance, near_ids)
