"""The episodes that a page shows: their ids, and their rows when something asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

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


class Shown(Sequence[Episode]):
    """Episodes in their order; a page whose cards are kept reads none of their rows."""

    def __init__(self, now: Snapshot, ids: Sequence[int], fields: Sequence[str] = ON_CARDS) -> None:
        self.now, self.ids, self.fields = now, ids, fields

    @cached_property
    def rows(self) -> list[Episode]:
        return self.rows_of(self.ids)

    def rows_of(self, ids: Sequence[int]) -> list[Episode]:
        """These of the episodes, with their shows and topics."""
        found = in_order(ids, Episode.objects.only(*self.fields)) if ids else []
        self.now.share(found)
        return found

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, part: Any) -> Any:
        return self.rows[part]

    def __iter__(self) -> Iterator[Episode]:
        return iter(self.rows)


def in_order(ids: Iterable[int], rows: EpisodeQuerySet) -> list[Episode]:
    """The rows with these ids, in the order of the ids; one statement for each batch."""
    ids = list(ids)
    found = {row.pk: row for some in batches(ids) for row in rows.filter(pk__in=some).order_by()}
    return [found[pk] for pk in ids if pk in found]
