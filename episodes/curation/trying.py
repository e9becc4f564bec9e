"""Tries a source out: its page is imported for real, what that changes is noted, and all of it is
rolled back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from django.db.models import Max
from django.utils import timezone
from django.utils.text import Truncator

from ..fields import PUBLISHED, STATED, plain_notes
from ..ingest import Loaded, Options, Target, load, said_by_key, take
from ..models import Attachment, Held, Item, Source
from ..records import EntryData, FetchedDocument
from .history import CONFIGURE, User, require, rolled_back
from .shows import save_source

MOST = 200
NEWS = ("gone", "changed", "new", "")  # what wants a look first
LONGEST = 160  # characters of a value
LIMITS = Options(files=False, seconds=20.0)  # a request fetches one document, and waits no longer
Entries = Mapping[tuple[str, str], EntryData]  # by document and key


@dataclass(frozen=True)
class PreviewRow:
    """An entry of the page and what became of it; `episode` is the heading of the one it met."""

    title: str
    published: str
    fate: str  # new | matched | held | ignored
    episode: str = ""
    news: str = ""  # new | changed | gone; "" where the source said the same before
    changes: tuple[tuple[str, str, str], ...] = ()  # label, before, after


@dataclass(frozen=True)
class SourcePreview:
    """The result of a try: the line that an import would print, and the entries.

    `acceptable`: it is refused as implausible, and the entries are those that accepting it would
    bring.
    """

    ok: bool
    line: str
    acceptable: bool
    known: bool  # the source was read before, and `entries` are those that differ
    entries: list[PreviewRow] = field(default_factory=list)
    more: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)


def preview_source(
    user: User,
    source: Source,
    page: FetchedDocument | None,
    *,
    allow: frozenset[str] = frozenset(),
) -> SourcePreview:
    """Preview of an import: the source is saved, read from `page` or its address, and all of it is
    rolled back.

    Raises:
        PermissionDenied: the user may not set up sources.
    """
    require(user, CONFIGURE)
    target = Target(source.slug, source=source)
    loaded = Loaded(target, page)
    if page is None:
        # No lock is held while a server thinks about its answer.
        options = replace(LIMITS, allow=allow, accept=True, now=True)
        loaded = load(replace(target, address=source.address), options, timezone.now())
        # Nothing that the page names is fetched for a try.
        loaded = replace(loaded, target=target)
    tried = _tried(user, loaded, source, accept=False)
    if not tried.acceptable:
        return tried
    accepted = _tried(user, loaded, source, accept=True)
    return replace(accepted, ok=False, line=tried.line, acceptable=True)


def _tried(user: User, loaded: Loaded, source: Source, *, accept: bool) -> SourcePreview:
    def tried() -> SourcePreview:
        save_source(user, source)
        before = said_by_key(source)
        newest = Item.objects.aggregate(last=Max("pk", default=0))["last"]
        report = take(loaded, Options(accept=accept), timezone.now)
        rows = list(_rows(source, before, newest)) if report.ok else []
        counts = Counter(row.news or "same" for row in rows)
        counts += Counter(row.fate for row in rows if row.fate == "held")
        news = sorted((row for row in rows if row.news), key=lambda row: NEWS.index(row.news))
        told = (report.ok, report.line, report.acceptable, bool(before))
        return SourcePreview(*told, news[:MOST], max(0, len(news) - MOST), counts)

    return rolled_back(lambda: None, tried)


def _rows(source: Source, before: Entries, newest: int) -> Iterator[PreviewRow]:
    """Each entry of a source after an import, and those that are gone; `newest` is the
    number of the last entry that was there before."""
    now = said_by_key(source)
    # The row of an episode is another one when its address changes, those of entries stay.
    old = Attachment.objects.filter(episode__podcast=source.podcast_id, item__lte=newest)
    known = set(old.values_list("episode", flat=True))
    attached = Attachment.objects.filter(item__document__source=source)
    rows = attached.select_related("episode", "item__document")
    episodes = {(row.item.document.address, row.item.key): row.episode for row in rows}
    waiting = Held.objects.filter(item__document__source=source)
    held = set(waiting.values_list("item__document__address", "item__key"))
    for place, said in {**before, **now}.items():
        episode, name, fate = episodes.get(place), "", "held" if place in held else "ignored"
        if episode is not None:
            fate, name = ("matched", episode.heading) if episode.pk in known else ("new", "")
        changes = tuple(changed_fields(before.get(place, said), said))
        news = "changed" if changes else ""
        if place not in before or place not in now:
            news = "new" if place in now else "gone"
        title = said.title or plain_notes(said)[:80]
        yield PreviewRow(title, PUBLISHED.words_in(said), fate, name, news, changes)


def changed_fields(before: EntryData, after: EntryData) -> Iterator[tuple[str, str, str]]:
    """The fields in which two states of an entry differ, in words."""
    for one in STATED:
        texts = one.text_in(before), one.text_in(after)
        if texts[0] != texts[1]:
            was, now = one.words_in(before) or texts[0], one.words_in(after) or texts[1]
            yield one.label, Truncator(was).chars(LONGEST), Truncator(now).chars(LONGEST)
