"""Changes of a field in a source after a curator set the field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery

from ..fields import BY_NAME
from ..models import TRANSCRIPTS, Attachment, Decision, Item, Revision, batches


@dataclass(frozen=True)
class SourceChange:
    """A source that says something else than it did when the curator decided."""

    source: str
    before: str
    now: str
    at: datetime


def placed(rows: QuerySet[Decision]) -> QuerySet[Any]:
    """The overrides that are about an episode now, with its id as `episode`."""
    entry = Attachment.objects.filter(
        item__key=OuterRef("item_key"),
        item__document__source__slug=OuterRef("source"),
        episode__podcast=OuterRef("podcast"),
    )
    return rows.annotate(episode=Subquery(entry.values("episode")[:1])).exclude(episode=None)


def changed(overrides: QuerySet[Decision]) -> dict[int, list[SourceChange]]:
    """By override: the sources that changed since and do not say what the curator says."""
    rows = list(placed(overrides))
    since = min((row.made_at for row in rows), default=None)
    entries: dict[int, list[Item]] = defaultdict(list)
    for some in batches({row.episode for row in rows}):
        news = Revision.objects.filter(item__attachment__episode__in=some, recorded_at__gt=since)
        # Another guid makes another entry of an old one, so all entries of the episode are read.
        moved = news.order_by().values("item__attachment__episode")
        stating = Attachment.objects.exclude(item__document__source__reader=TRANSCRIPTS)
        related = stating.select_related("item__document__source")
        # Entries that are still listed come last and so have the last word.
        order = (F("item__gone_version").asc(nulls_last=True), "item__document__source__rank")
        attached = related.prefetch_related("item__revisions").filter(episode__in=moved)
        for row in attached.order_by(*order):
            entries[row.episode_id].append(row.item)
    changes = {row.pk: _of(row, entries[row.episode]) for row in rows}
    return {key: sources for key, sources in changes.items() if sources}


def _of(row: Decision, items: Iterable[Item]) -> list[SourceChange]:
    before: dict[str, str] = {}
    now: dict[str, tuple[datetime, str]] = {}
    field = BY_NAME[row.field]
    for item in items:
        source = item.document.source.slug
        for revision in sorted(item.revisions.all(), key=lambda revision: revision.version):
            value = field.text_in(revision.said)
            if revision.recorded_at <= row.made_at:
                before[source] = value
            else:
                now[source] = (revision.recorded_at, value)
    return [
        SourceChange(source, before[source], value, at)
        for source, (at, value) in now.items()
        if source in before and value not in (before[source], row.value)
    ]
