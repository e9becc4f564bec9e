"""Similarity in meaning of a query to the titles, notes, topics and transcripts of episodes."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nlargest
from typing import NamedTuple

from .. import meaning
from ..models import CatalogVersion, EpisodeMeaning
from .terms import split_names_in_code

MAX_VECTORS = 50_000  # of the newest rows. To read and compare 10,000 takes some 40 milliseconds

MAX_BYTES_OF_SIGNS = 4_000_000  # of the newest transcripts, some 60,000 pieces
# A transcript has many pieces, so one of them is easily a little similar.
PIECE_HANDICAP = 0.09

# Both chosen on queries about several shows, and on queries about something else (docs/search.md).
NEAR_RELEVANCE = 0.66  # the relevance of an episode that needs no word of the query
MIN_SIMILARITY = 0.1  # of such an episode, even if all words of the query are written
MAX_NEAR_PER_SHOW = 30


@dataclass(frozen=True)
class SimilarEpisodes:
    """How similar the listed episodes are to a query in meaning. It is empty without an encoder."""

    similarity: Mapping[int, float] = field(default_factory=dict)  # by id of the episode
    share_of_written_terms: float = 0.0  # see `compare_query_with_all_episodes`
    near_ids: Collection[int] = frozenset()


def compare_query_with_all_episodes(
    query_text: str, share_of_written_terms: float
) -> SimilarEpisodes:
    """Return the similarity of all episodes, and the ids of the few that need no word of the query.

    `share_of_written_terms` is about the whole catalog: the share of the terms that any title, notes or other
    text but a transcript has, from 0 to 1.
    """
    if not meaning.has_encoder():
        return SimilarEpisodes()
    version, _ = CatalogVersion.latest()
    vectors = _load_vectors(version)
    # Without vectors the encoder need not be loaded.
    if not vectors.ids:
        return SimilarEpisodes()
    similarity = _similarity_by_episode(query_text, vectors)
    near_ids = set()
    for episode_ids in vectors.ids_by_show.values():
        for episode_id in nlargest(MAX_NEAR_PER_SHOW, episode_ids, key=similarity.__getitem__):
            is_similar = similarity[episode_id] >= MIN_SIMILARITY
            # A query in words that the catalog has is likely about it. Then less similarity is enough.
            relevance = similarity[episode_id] + share_of_written_terms
            if is_similar and relevance >= NEAR_RELEVANCE:
                near_ids.add(episode_id)
    return SimilarEpisodes(similarity, share_of_written_terms, near_ids)


class _Vectors(NamedTuple):
    """The vectors of the listed episodes."""

    ids: list[int]
    vectors: list[bytes]  # of titles with notes and topics, in the order of `ids`
    ids_by_show: Mapping[int, list[int]]
    piece_signs_by_id: dict[int, bytes]  # of the pieces of transcripts, by id of the episode


def _similarity_by_episode(query_text: str, vectors: _Vectors) -> dict[int, float]:
    """Return the similarity of a query to each episode, by id: to its title with notes and topics, or to the
    nearest piece of its transcript if that is more similar."""
    # The encoder knows "half precision" better than "HALF PRECISION". A single word may be an abbreviation.
    if query_text.isupper() and " " in query_text:
        query_text = query_text.lower()
    # The encoder knows the words in `cudaStreamWait`, but not the name.
    words = split_names_in_code(query_text).split()
    # Punctuation has no meaning, but moves the vector: a question mark towards notes that ask questions.
    query_text = " ".join(word.rstrip("?!.,:;") for word in words)
    written_similarities = meaning.similarities(query_text, vectors.vectors)
    similarity = dict(zip(vectors.ids, written_similarities, strict=True))
    piece_similarities = meaning.similarities_to_nearest_piece(
        query_text, list(vectors.piece_signs_by_id.values())
    )
    for episode_id, nearest in zip(vectors.piece_signs_by_id, piece_similarities, strict=True):
        similarity[episode_id] = max(similarity[episode_id], nearest - PIECE_HANDICAP)
    return similarity


# Half a kilobyte for each episode. To read 10,000 takes four times as long as to compare them.
@lru_cache(maxsize=1)
def _load_vectors(catalog_version: str) -> _Vectors:
    """Return the vectors of the newest episodes. The version of the catalog, which changes with them, is only
    the key of the cache."""
    vectors = _Vectors([], [], defaultdict(list), {})
    bytes_of_signs = 0
    meanings = EpisodeMeaning.objects.filter(episode__listed=True).order_by("-episode")
    rows = meanings.values_list("episode__podcast", "episode", "vector", "transcript_signs")
    for show_id, episode_id, vector, signs in rows[:MAX_VECTORS].iterator():
        vectors.ids_by_show[show_id].append(episode_id)
        vectors.ids.append(episode_id)
        vectors.vectors.append(bytes(vector))
        # Of the vectors of pieces of a transcript only the signs are stored, a bit for each dimension.
        # Beyond the limit the transcripts of older episodes are not compared.
        bytes_of_signs += len(signs)
        if signs and bytes_of_signs <= MAX_BYTES_OF_SIGNS:
            vectors.piece_signs_by_id[episode_id] = bytes(signs)
    return vectors
