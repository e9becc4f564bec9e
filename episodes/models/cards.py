"""Episodes as lists show them: the rows of some ids with their shows and topics, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import prefetch_related_objects

from .catalog import Episode
from .querysets import EpisodeQuerySet, shows_and_topics

# The columns that a card shows.
ON_CARDS = (
    "slug",
    "podcast",
    "title",
    "number",
    "season",
    "published_at",
    "published_precision",
    "duration_seconds",
    "duration_exact",
    "description_text",
    "description_truncated",
    "audio_url",
    "episode_type",
    "versions",
)


def for_cards(ids: Iterable[int], columns: Sequence[str] = ON_CARDS) -> list[Episode]:
    """The episodes of these ids, in their order, with shows and topics."""
    return in_order(ids, Episode.objects.only(*columns).for_list())


def in_order(ids: Iterable[int], rows: EpisodeQuerySet) -> list[Episode]:
    """The rows of these ids, in the order of the ids."""
    ids = list(ids)
    by_id = rows.in_bulk(ids)
    return [by_id[pk] for pk in ids if pk in by_id]


def add_shows_and_topics(episodes: Sequence[Episode]) -> None:
    """Give each episode its show and its topics."""
    prefetch_related_objects(episodes, *shows_and_topics())
