"""Episodes as lists show them: the rows of some ids with their shows and topics, in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from .catalog import Episode, EpisodeTopic
from .configuration import Podcast, Topic
from .querysets import EpisodeQuerySet, batches

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
    """The rows of these ids, in the order of the ids; one statement for each batch."""
    ids = list(ids)
    by_id = {row.pk: row for some in batches(ids) for row in rows.filter(pk__in=some).order_by()}
    return [by_id[pk] for pk in ids if pk in by_id]


def add_shows_and_topics(episodes: Sequence[Episode]) -> None:
    """Give each episode its show and its topics (`topics_in_order`); equal ones are one object."""
    shows = Podcast.objects.in_bulk({episode.podcast_id for episode in episodes})
    uses: defaultdict[int, set[int]] = defaultdict(set)
    for some in batches([episode.pk for episode in episodes]):
        for episode, topic in EpisodeTopic.objects.filter(episode__in=some).order_by().values_list("episode", "topic"):
            uses[episode].add(topic)
    topics = list(Topic.objects.filter(pk__in=set().union(*uses.values()))) if uses else []
    for row in episodes:
        row.podcast = shows[row.podcast_id]
        row.topics_in_order = [topic for topic in topics if topic.pk in uses[row.pk]]
