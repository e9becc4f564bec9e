"""Episodes as lists show them: the rows of some ids with their shows and topics, in a fixed number
of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from typing import TypeVar

from django.db.models import Model, QuerySet

from .catalog import Episode, EpisodeTopic
from .configuration import Podcast, Topic
from .querysets import EpisodeQuerySet, any_number

Row = TypeVar("Row", bound=Model)
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
    "summary",
    "description_truncated",
    "audio_url",
    "audio_type",
    "episode_type",
    "versions",
)


def for_cards(ids: Iterable[int], known: Iterable[Podcast | Topic] = ()) -> list[Episode]:
    """The episodes of these ids, in their order, with shows and topics: with these where they are
    among them."""
    rows = in_order(ids, Episode.objects.only(*ON_CARDS))
    add_shows_and_topics(rows, known)
    return rows


def in_order(ids: Iterable[int], rows: EpisodeQuerySet) -> list[Episode]:
    """The rows of these ids, in the order of the ids."""
    ids = list(ids)
    by_id = rows.order_by().in_bulk(ids)
    return [by_id[pk] for pk in ids if pk in by_id]


def add_shows_and_topics(
    episodes: Sequence[Episode], known: Iterable[Podcast | Topic] = ()
) -> None:
    """Give each episode its show and its topics (`topics_in_order`); equal ones are one object, and
    `known` ones are not read again.

    The uses of topics that Django prefetches hold their episode, in a circle that keeps the texts
    of a whole feed in memory.
    """
    known = list(known)
    shows = _by_id(Podcast.objects.all(), {episode.podcast_id for episode in episodes}, known)
    uses = EpisodeTopic.objects.filter(episode__in=any_number([row.pk for row in episodes]))
    topics: defaultdict[int, list[int]] = defaultdict(list)
    for episode, topic in uses.order_by("topic__position", "topic__slug").values_list(
        "episode", "topic"
    ):
        topics[episode].append(topic)
    used = _by_id(Topic.objects.defer("rules"), set().union(*topics.values()), known)
    for row in episodes:
        row.podcast = shows[row.podcast_id]
        row.topics_in_order = [used[pk] for pk in topics[row.pk] if pk in used]


def _by_id(rows: QuerySet[Row], ids: Set[int], known: Iterable[Model]) -> dict[int, Row]:
    """The rows of these ids, the known ones among them, by their ids."""
    found = {row.pk: row for row in known if isinstance(row, rows.model)}
    return found | rows.in_bulk(ids - found.keys())
