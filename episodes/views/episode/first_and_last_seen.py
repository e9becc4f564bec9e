"""Since when a source has said what is shown, and when it was last seen to say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...fields import SOURCED, Field
from ...models import Attachment
from ...records import EntryData


@dataclass(frozen=True)
class Confirmed:
    """When a value was first and last confirmed by its source."""

    first: datetime
    last: datetime


def confirmed(attachments: Iterable[Attachment], read: Mapping[int, datetime]) -> dict[tuple[str, str], Confirmed]:
    """For each (source, field) since when its newest entry has said what it says, and when it was last read, which `read`
    says of each entry."""
    found: dict[tuple[str, str], Confirmed] = {}
    # Entries that are still listed come last and so have the last word.
    items = (attachment.item for attachment in attachments)
    for item in sorted(items, key=lambda i: (i.gone_version is None, -i.document_id)):
        said = [(row.recorded_at, row.said) for row in reversed(item.revisions.all())]
        last = read.get(item.pk)
        if not said or last is None:
            continue
        for field in SOURCED:
            if now := field.words_in(said[-1][1]):
                found[(item.document.source.slug, field.name)] = Confirmed(_since(field, now, said), last)
    return found


def _since(field: Field[Any], now: str, said: list[tuple[datetime, EntryData]]) -> datetime:
    """When the newest revision's value began to be said without a break."""
    since = said[-1][0]
    for at, earlier in reversed(said[:-1]):
        if field.words_in(earlier) != now:
            break
        since = at
    return since
