"""Episodes as lists show them: the rows of some ids with their shows and topics, in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db.models import prefetch_related_objects

from .catalog import Episode, EpisodeTopic
from .configuration import Topic
from .querysets import EpisodeQuerySet

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
    rows = in_order(ids, Episode.objects.only(*columns))
    add_shows_and_topics(rows)
    return rows


def in_order(ids: Iterable[int], rows: EpisodeQuerySet) -> list[Episode]:
    """The rows of these ids, in the order of the ids."""
    ids = list(ids)
    by_id = rows.in_bulk(ids)
    return [by_id[pk] for pk in ids if pk in by_id]


def add_shows_and_topics(episodes: Sequence[Episode]) -> None:
    """Give each episode its show and its topics (`topics_in_order`); equal ones are one object.

    The uses of topics that Django prefetches hold their episode, in a circle that keeps the texts of a whole feed in
    memory.
    """
    prefetch_related_objects(episodes, "podcast")
    uses = EpisodeTopic.objects.filter(episode__in=[episode.pk for episode in episodes])
    topics: defaultdict[int, list[int]] = defaultdict(list)
    for episode, topic in uses.order_by("topic__position", "topic__slug").values_list("episode", "topic"):
        topics[episode].append(topic)
    by_id = Topic.objects.defer("rules").in_bulk(set().union(*topics.values()))
    for row in episodes:
        row.topics_in_order = [by_id[pk] for pk in topics[row.pk] if pk in by_id]
