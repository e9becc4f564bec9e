"""What changed upstream, in words: every revision against the one before it, newest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet

from ...fields import NOTES, STATED
from ...models import Attachment, Document, Episode, Item, Revision, address
from ...records import EntryData
from ...site import Site

MOST = 200  # changes on the page and in its feed
QUOTED = 120  # characters of a value that are quoted


@dataclass(frozen=True)
class UpstreamChange:
    """What one version of a document said otherwise than the one before about one entry."""

    at: datetime
    document: int
    version: int
    heading: str
    slug: str  # of its episode; "" for none
    sentences: tuple[str, ...]
    source: str

    @property
    def key(self) -> str:
        """The same for the same change, whenever it is asked for."""
        return f"{self.document}:{self.version}:{self.heading}"

    @property
    def page(self) -> str:
        """The address of its episode's page; "" for none."""
        return address("episode", self.slug) if self.slug else ""


@dataclass
class _Event:
    """The revisions and goings of one entry in one version: a new guid makes an old item go and a new one come."""

    at: datetime
    document: Document
    version: int
    item: Item
    before: EntryData | None = None
    now: EntryData | None = None


def latest(site: Site, most: int = MOST) -> list[UpstreamChange]:
    """The newest changes of what sources say. What a document said when it was first seen is no change."""
    revisions = list(
        Revision.objects.filter(version__gt=1, item__withdrawn=None)
        .select_related("item__document__source__podcast")
        .order_by("-recorded_at", "-id")[:most]
    )
    gone = list(_gone()[:most])
    episodes = _episodes({r.item_id for r in revisions} | {item.pk for item in gone})
    events = _events(revisions, gone, episodes)
    changes = [change for event in events if (change := _change(event, episodes, site)) is not None]
    return sorted(changes, key=lambda c: (c.at, c.key), reverse=True)[:most]


def _gone() -> QuerySet[Any]:
    """The entries that are gone from complete sources, each with the time of the first version without it, newest first."""
    first_without = {"document__captures__version": F("gone_version")}
    items = Item.objects.filter(**first_without, document__source__complete=True, withdrawn=None)
    items = items.annotate(gone_at=F("document__captures__taken_at"))
    return items.select_related("document__source__podcast").order_by("-gone_at", "-id")


def _episodes(items: Iterable[int]) -> dict[int, Episode]:
    rows = Attachment.objects.filter(item__in=list(items)).select_related("episode__podcast")
    return {row.item_id: row.episode for row in rows}


def _events(revisions: list[Revision], gone: list[Any], episodes: dict[int, Episode]) -> Iterable[_Event]:
    """One event for each document, version and episode; an entry that belongs to none is by itself."""
    found: dict[tuple[int, int, object], _Event] = {}
    earlier = _earlier(revisions, gone)
    for revision in revisions:
        item = revision.item
        event = _Event(revision.recorded_at, item.document, revision.version, item, now=revision.said)
        event.before = earlier.get((item.pk, revision.version))
        found[_key(item, revision.version, episodes)] = event
    for item in gone:
        version = item.gone_version
        event = found.setdefault(_key(item, version, episodes), _Event(item.gone_at, item.document, version, item))
        event.before = event.before or earlier.get((item.pk, version))
    return found.values()


def _key(item: Item, version: int, episodes: dict[int, Episode]) -> tuple[int, int, object]:
    episode = episodes.get(item.pk)
    return (item.document_id, version, ("episode", episode.pk) if episode else ("item", item.pk))


def _earlier(revisions: list[Revision], gone: list[Item]) -> dict[tuple[int, int], EntryData]:
    """What an item said before the version in question."""
    wanted: dict[int, set[int]] = defaultdict(set)
    for revision in revisions:
        wanted[revision.item_id].add(revision.version)
    for item in gone:
        wanted[item.pk].add(item.gone_version or 0)
    found: dict[tuple[int, int], EntryData] = {}
    for row in Revision.objects.filter(item__in=list(wanted)).order_by("version"):
        for version in wanted[row.item_id]:
            if row.version < version:
                found[(row.item_id, version)] = row.said
    return found


def _change(event: _Event, episodes: dict[int, Episode], site: Site) -> UpstreamChange | None:
    said = event.now or event.before
    source = event.document.source.label(several=site.several)
    sentences = tuple(_sentences(event, source))
    if said is None or not sentences:
        return None
    episode = episodes.get(event.item.pk)
    heading = said.title or (episode.heading if episode else said.text[:60] or event.item.key)
    return UpstreamChange(
        event.at, event.document.pk, event.version, heading, episode.slug if episode else "", sentences, source
    )


def _sentences(event: _Event, source: str) -> Iterator[str]:
    if event.before is None and event.now is not None:
        yield f"new in {source}"
    elif event.now is None:
        yield f"no longer in {source}"
    elif event.before is not None:
        yield from differences(event.before, event.now)


def differences(before: EntryData, now: EntryData) -> Iterator[str]:
    """What is said otherwise, a sentence a field: `title changed from “A” to “B”`.

    Another way of writing a value, or a better reading of the same words, is no change.
    """
    for field in STATED:
        raw, old, new = field.unread_in(before), field.words_in(before), field.words_in(now)
        if old == new or (raw and raw == field.unread_in(now)):
            continue
        yield _notes(old, new) if field is NOTES else _sentence(field.label.lower(), old, new)


def _sentence(name: str, old: str, new: str) -> str:
    if not old:
        return f"{name} added: {_quoted(new)}"
    if not new:
        return f"{name} removed, was {_quoted(old)}"
    return f"{name} changed from {_quoted(old)} to {_quoted(new)}"


def _notes(old: str, new: str) -> str:
    if not old:
        return f"notes added, {len(new):,} characters"
    if not new:
        return "notes removed"
    if new.startswith(old) or old.startswith(new):
        return f"notes {'grew' if len(new) > len(old) else 'shrank'} from {len(old):,} to {len(new):,} characters"
    return f"notes rewritten: {len(old):,} characters before, {len(new):,} now"


def _quoted(value: str) -> str:
    return f"“{value if len(value) <= QUOTED else value[: QUOTED - 1] + '…'}”"
