"""Similarity in meaning of a query to the titles and notes of episodes."""

from .. import meaning
from ..models import EpisodeMeaning

MAX_VECTORS = 50_000  # of the newest rows. To read and compare 10,000 takes some 40 milliseconds


def similarity_by_episode(query_text: str) -> dict[int, float]:
    """Return the similarity of a query to each listed episode, by id; {} without an encoder."""
    if not meaning.has_encoder():
        return {}
    rows = EpisodeMeaning.objects.filter(episode__listed=True).order_by("-episode")
    ids = []
    signs = []
    for episode_id, stored in rows.values_list("episode", "signs")[:MAX_VECTORS].iterator():
        ids.append(episode_id)
        signs.append(bytes(stored))
    if not ids:
        return {}
    return dict(zip(ids, meaning.similarities(query_text, signs), strict=True))
