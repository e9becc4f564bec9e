"""Previews a source before it is saved: its page is fetched, imported for real, and all of it rolled back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from django.utils import timezone

from ..fields import PUBLISHED, plain_notes
from ..ingest import Loaded, Options, Target, load, take
from ..models import BATCH, Attachment, Episode, Held, Item, Podcast, Source
from ..records import FetchedDocument
from .history import CONFIGURE, User, require, rolled_back
from .vocabulary import save_configuration

MOST = 200
FATES = ("new", "held", "ignored", "matched")  # what wants a look first


@dataclass(frozen=True)
class PreviewRow:
    """An entry of the page and what became of it; `episode` is the heading of the one it met."""

    title: str
    published: str
    fate: str  # new | matched | held | ignored
    episode: str = ""
    text: str = ""


@dataclass(frozen=True)
class SourcePreview:
    """The result of a try: the line that an import would print, and the entries."""

    ok: bool
    line: str
    entries: list[PreviewRow] = field(default_factory=list)
    more: int = 0


def preview_source(
    user: User,
    source: Source,
    page: FetchedDocument | None,
    *,
    podcast: Podcast | None = None,
    allow: frozenset[str] = frozenset(),
) -> SourcePreview:
    """Preview of an import: the source is saved (with the show `podcast`, where that is new too), read from `page` or its
    address, and all of it is rolled back.

    Raises:
        PermissionDenied: the user may not set up sources.
    """
    require(user, CONFIGURE)
    options = Options(allow=allow)
    target = Target(source.slug, source=source, address=source.address if page is None else "")
    # No lock is held while a server thinks about its answer.
    loaded = load((target, "", "", None), options, lambda message: None) if page is None else Loaded(target, page)
    # Nothing that the page names is fetched for a try.
    loaded = replace(loaded, target=replace(target, address=""))
    seen: list[SourcePreview] = []

    def act() -> None:
        known = set(Item.objects.values_list("pk", flat=True))
        if podcast is not None:
            save_configuration(user, podcast)
            source.podcast = podcast
        save_configuration(user, source)
        report = take(loaded, options, timezone.now, lambda message: None)
        entries = _met(source, known) if report.ok else []
        seen.append(SourcePreview(report.ok, report.line, entries[:MOST], max(0, len(entries) - MOST)))

    return rolled_back(act, seen.pop)


def _met(source: Source, known: set[int]) -> list[PreviewRow]:
    items = Item.objects.filter(document__source=source, gone_version=None).order_by("document", "position")
    episodes = {
        row.item_id: row.episode
        for row in Attachment.objects.filter(item__in=items.values("pk")).select_related("episode")
    }
    held = set(Held.objects.filter(item__in=items.values("pk")).values_list("item", flat=True))
    old = _with_other_entries(source, known)
    found = []
    for item in items.prefetch_related("revisions").iterator(BATCH):
        said, episode = item.said, episodes.get(item.pk)
        fate = "held" if item.pk in held else "ignored"
        if episode is not None:
            fate = "matched" if episode.pk in old else "new"
        name = episode.heading if episode and fate == "matched" else ""
        found.append(PreviewRow(item.heading, PUBLISHED.text_in(said), fate, name, plain_notes(said)[:200]))
    return sorted(found, key=lambda met: FATES.index(met.fate))


def _with_other_entries(source: Source, known: set[int]) -> set[int]:
    """The episodes that were there before."""
    rows = Attachment.objects.filter(episode__podcast=source.podcast_id).values_list("item", "episode")
    there = {episode for item, episode in rows if item in known}
    return there & set(Episode.objects.filter(podcast=source.podcast_id).values_list("pk", flat=True))
