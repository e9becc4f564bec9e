"""Changes of a field in a source after a curator set the field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from ..fields import BY_NAME
from ..models import BATCH, Attachment, Override, Revision, batches
from ..records import EntryData


@dataclass(frozen=True)
class SourceChange:
    """A source that says something else than it did when the curator decided."""

    source: str
    before: str
    now: str
    at: datetime


def changed(overrides: Iterable[Override]) -> dict[int, list[SourceChange]]:
    """By override: the sources that changed since and do not say what the curator says; in a fixed number of queries."""
    rows = list(overrides)
    if not rows:
        return {}
    where = episodes(rows)
    entries: dict[int, list[tuple[int, str, bool]]] = defaultdict(list)
    since = min(row.made_at for row in rows)
    moved: set[int] = set()
    for some in batches(set(where.values())):
        attached = Attachment.objects.filter(episode__in=some).order_by("item__document__source__rank")
        for episode, item, source, gone in attached.values_list(
            "episode", "item", "item__document__source__slug", "item__gone_version"
        ):
            entries[episode].append((item, source, gone is not None))
        news = Revision.objects.filter(item__attachment__episode__in=some, recorded_at__gt=since)
        moved |= set(news.order_by().values_list("item", flat=True))
    said: dict[int, list[tuple[datetime, EntryData]]] = defaultdict(list)
    for some in batches(_with_predecessors(moved, entries)):
        revisions = Revision.objects.filter(item__in=some).order_by("version")
        for item, at, payload in revisions.values_list("item", "recorded_at", "payload"):
            said[item].append((at, EntryData.from_payload(payload)))
    found = {row.pk: _of(row, entries[where[row.pk]], said) for row in rows if row.pk in where}
    return {key: sources for key, sources in found.items() if sources}


def changed_episodes() -> set[int]:
    """The episodes of which a source changed a field after a curator had set it."""
    rows = {row.pk: row for row in Override.objects.filter(ended_at=None)}
    return set(episodes(rows[key] for key in changed(rows.values())).values())


def episodes(rows: Iterable[Override]) -> dict[int, int]:
    """The episode that each override is about now."""
    wanted = list(rows)
    there = Attachment.objects.filter(
        Q(item__key__in=[row.item_key for row in wanted[:BATCH]]) if len(wanted) <= BATCH else Q()
    )
    where = {
        (podcast, source, key): episode
        for podcast, source, key, episode in there.values_list(
            "episode__podcast", "item__document__source__slug", "item__key", "episode"
        )
    }
    found = ((row.pk, where.get((row.podcast_id, row.source, row.item_key))) for row in wanted)
    return {key: episode for key, episode in found if episode is not None}


def _with_predecessors(moved: Collection[int], entries: Mapping[int, list[tuple[int, str, bool]]]) -> set[int]:
    """The entries of every episode of which one says something new: a new guid makes another entry of an old one."""
    return {item for own in entries.values() if any(i in moved for i, *_ in own) for item, *_ in own}


def _of(
    row: Override,
    entries: Iterable[tuple[int, str, bool]],
    said: Mapping[int, list[tuple[datetime, EntryData]]],
) -> list[SourceChange]:
    before: dict[str, str] = {}
    now: dict[str, tuple[datetime, str]] = {}
    # Entries that are still listed come last and so have the last word.
    for item, source, _gone in sorted(entries, key=lambda entry: not entry[2]):
        for at, words in said.get(item, ()):
            value = BY_NAME[row.field].text_in(words)
            if at <= row.made_at:
                before[source] = value
            else:
                now[source] = (at, value)
    return [
        SourceChange(source, before[source], value, at)
        for source, (at, value) in now.items()
        if source in before and value not in (before[source], row.value)
    ]
