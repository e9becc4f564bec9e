"""The rows of the episodes that a page shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .catalog import Episode
from .querysets import EpisodeQuerySet, batches
from .snapshot import Snapshot

# What a card shows of an episode.
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


def for_cards(now: Snapshot, ids: Iterable[int], fields: Sequence[str] = ON_CARDS) -> list[Episode]:
    """These episodes in this order, with what a card shows, their shows and topics."""
    found = in_order(ids, Episode.objects.only(*fields))
    now.share(found)
    return found


def in_order(ids: Iterable[int], rows: EpisodeQuerySet) -> list[Episode]:
    """The rows with these ids, in the order of the ids; one statement for each batch."""
    ids = list(ids)
    found = {row.pk: row for some in batches(ids) for row in rows.filter(pk__in=some).order_by()}
    return [found[pk] for pk in ids if pk in found]
