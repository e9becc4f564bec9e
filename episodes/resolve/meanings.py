"""Writes the meaning of titles and summaries, by which search compares them with a query."""

from collections.abc import Callable

from ..models import Episode, EpisodeMeaning
from ..text import meaning

_BATCH_SIZE = 50  # half a second


def has_missing_meanings() -> bool:
    """Return True if an episode waits for its vector and the encoder is installed."""
    return meaning.has_encoder() and Episode.objects.filter(meaning=None).exists()


def write_missing_meanings(must_stop: Callable[[], bool] = lambda: False) -> None:
    """Encode the episodes that are new or have changed, in batches. Each batch is its own transaction."""
    while has_missing_meanings() and not must_stop():
        episodes = list(Episode.objects.filter(meaning=None).order_by("pk")[:_BATCH_SIZE])
        texts = [f"{episode.title}. {episode.summary}" for episode in episodes]
        rows = []
        for episode, signs in zip(episodes, meaning.encode_signs(texts), strict=True):
            rows.append(EpisodeMeaning(episode=episode, signs=signs))
        # Another process may have encoded them meanwhile.
        EpisodeMeaning.objects.bulk_create(rows, ignore_conflicts=True)
