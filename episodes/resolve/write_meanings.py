"""Writes the meaning of titles and notes, which search compares with that of a query."""

from collections.abc import Callable

from .. import meaning
from ..models import Episode, EpisodeMeaning, start_new_version
from ..text.fingerprints import fingerprint
from .sync_rows import Scope


def delete_stale_meanings(scope: Scope) -> None:
    rows = EpisodeMeaning.objects.filter(episode__in=Episode.objects.filter(**scope).values("pk"))
    stored = dict(rows.values_list("episode", "fingerprint"))
    stale_ids = []
    for episode in Episode.objects.filter(**scope).only("title", "description_text"):
        if episode.pk in stored and stored[episode.pk] != fingerprint(_text_of(episode)):
            stale_ids.append(episode.pk)
    EpisodeMeaning.objects.filter(episode__in=stale_ids).delete()


def has_missing_meanings() -> bool:
    return meaning.has_encoder() and Episode.objects.filter(meaning=None).exists()


def write_missing_meanings(must_stop: Callable[[], bool] = lambda: False) -> None:
    """Encode the episodes that are new or have changed, in batches. Each batch is its own transaction."""
    if not has_missing_meanings():
        return
    while has_missing_meanings() and not must_stop():
        episodes = list(Episode.objects.filter(meaning=None).order_by("pk")[:50])  # takes a second
        texts = [_text_of(episode) for episode in episodes]
        rows = []
        for episode, text, vector in zip(episodes, texts, meaning.encode_texts(texts), strict=True):
            rows.append(
                EpisodeMeaning(episode=episode, vector=vector, fingerprint=fingerprint(text))
            )
        # Another process may have encoded them meanwhile.
        EpisodeMeaning.objects.bulk_create(rows, ignore_conflicts=True)
    # The results of searches change.
    start_new_version()


def _text_of(episode: Episode) -> str:
    # What a show says of an episode first. With 800 characters fewer queries found their episode.
    return f"{episode.title}. {episode.description_text[:300]}"
