"""Since when a source has said what is shown, and when it was last seen to say so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max

from ...fields import SOURCED, Field
from ...models import Attachment, Capture, IngestRun, Item
from ...records import EntryData


@dataclass(frozen=True)
class Confirmed:
    """When a value was first and last confirmed by its source."""

    first: datetime
    last: datetime


def confirmed(attachments: Iterable[Attachment]) -> dict[tuple[str, str], Confirmed]:
    """For each (source, field) since when its newest entry has said what it says, and when it was last read.

    Two queries, and one an entry whose revisions were not fetched with it.
    """
    items = [attachment.item for attachment in attachments]
    read = _last_read(items)
    found: dict[tuple[str, str], Confirmed] = {}
    # Entries that are still listed come last and so have the last word.
    for item in sorted(items, key=lambda i: (i.gone_version is None, -i.document_id)):
        said = [(row.recorded_at, row.said) for row in reversed(item.revisions.all())]
        last = read.get(item.pk)
        if not said or last is None:
            continue
        for field in (field for field in SOURCED if field.words_in(said[-1][1])):
            found[(item.document.source.slug, field.name)] = Confirmed(_since(field, said), last)
    return found


def _since(field: Field[Any], said: list[tuple[datetime, EntryData]]) -> datetime:
    """When the newest revision's value began to be said without a break."""
    since, now = said[-1][0], field.words_in(said[-1][1])
    for at, earlier in reversed(said):
        if field.words_in(earlier) != now:
            break
        since = at
    return since


def _last_read(items: list[Item]) -> dict[int, datetime]:
    """When each entry was last seen in its document: at the last good reading, or in the version before it went."""
    documents = {item.document_id for item in items}
    good = IngestRun.objects.filter(document__in=documents, outcome__in=("taken", "unchanged")).order_by()
    runs = dict(good.values_list("document").annotate(at=Max("started_at")))
    versions = {item.gone_version - 1 for item in items if item.gone_version is not None}
    captures = Capture.objects.filter(document__in=documents, version__in=versions)
    taken = {
        (document, version): at for document, version, at in captures.values_list("document", "version", "taken_at")
    }
    found = {}
    for item in items:
        version = (item.gone_version or 0) - 1
        at = runs.get(item.document_id) if item.gone_version is None else taken.get((item.document_id, version))
        if at is not None:
            found[item.pk] = at
    return found
