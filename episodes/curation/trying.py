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
from ..models import Attachment, Held, Item, Podcast, Source
from ..records import EntryData, FetchedDocument
from .history import CONFIGURE, User, require, rolled_back
from .vocabulary import save_configuration

MOST = 200
FATES = ("new", "held", "ignored", "matched")  # what wants a look first
NEWS = ("gone", "changed", "new", "")
LONGEST = 160  # characters of a value
LIMITS = Options(files=False, seconds=20.0)  # a request fetches one document, and waits no longer


@dataclass(frozen=True)
class PreviewRow:
    """An entry of the page and what became of it; `episode` is the heading of the one it met."""

    title: str
    published: str
    fate: str  # new | matched | held | ignored
    episode: str = ""
    news: str = ""  # new | changed | gone; "" where the source said the same before
    changes: tuple[tuple[str, str, str], ...] = ()  # label, before, after

    @property
    def urgency(self) -> tuple[int, int]:
        return NEWS.index(self.news), FATES.index(self.fate)


@dataclass(frozen=True)
class SourcePreview:
    """The result of a try: the line that an import would print, and the entries.

    `acceptable`: it is refused as implausible, and the entries are those that accepting it would
    bring.
    """

    ok: bool
    line: str
    entries: list[PreviewRow] = field(default_factory=list)
    more: int = 0
    acceptable: bool = False
    known: bool = False  # the source was read before, and `entries` are those that differ
    counts: Mapping[str, int] = field(default_factory=dict)


def preview_source(
    user: User,
    source: Source,
    page: FetchedDocument | None,
    *,
    podcast: Podcast | None = None,
    allow: frozenset[str] = frozenset(),
) -> SourcePreview:
    """Preview of an import: the source is saved (with the show `podcast`, where that is new too),
    read from `page` or its address, and all of it is rolled back.

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
    tried = _tried(user, loaded, source, podcast, accept=False)
    if not tried.acceptable:
        return tried
    accepted = _tried(user, loaded, source, podcast, accept=True)
    return replace(accepted, ok=False, line=tried.line, acceptable=True)


def _tried(
    user: User, loaded: Loaded, source: Source, podcast: Podcast | None, *, accept: bool
) -> SourcePreview:
    seen: list[SourcePreview] = []

    def act() -> None:
        newest = Item.objects.aggregate(last=Max("pk"))["last"] or 0
        if podcast is not None:
            save_configuration(user, podcast)
            source.podcast = podcast
        save_configuration(user, source)
        before = said_by_key(source)
        report = take(loaded, Options(accept=accept), timezone.now)
        page = loaded.page or FetchedDocument(b"")
        document = page.address or f"file:{page.name}"
        rows = list(_rows(source, document, before, newest)) if report.ok else []
        counts = Counter(row.news or "same" for row in rows)
        counts["held"] = sum(row.fate == "held" for row in rows)
        shown = [row for row in rows if row.news or row.fate == "held" or not before]
        shown.sort(key=lambda row: row.urgency)
        more, known = max(0, len(shown) - MOST), bool(before)
        seen.append(
            SourcePreview(
                report.ok, report.line, shown[:MOST], more, report.acceptable, known, counts
            )
        )

    return rolled_back(act, seen.pop)


def _rows(
    source: Source, document: str, before: Mapping[tuple[str, str], EntryData], newest: int
) -> Iterator[PreviewRow]:
    """What an import makes of each entry of a document, and those that are gone; `newest` is the
    number of the last entry that was there before.

    Where the document is new, its entries are compared with those of the source's other documents,
    such as a saved copy.
    """
    elsewhere = {key: said for (_, key), said in before.items()}
    earlier = {key: said for (address, key), said in before.items() if address == document}
    items = Item.objects.filter(
        document__source=source, document__address=document, gone_version=None
    ).order_by("position")
    numbers = items.order_by().values("pk")
    attached = Attachment.objects.filter(item__in=numbers).select_related("episode")
    episodes = {row.item_id: row.episode for row in attached}
    of_show = Attachment.objects.filter(episode__podcast=source.podcast_id, item__lte=newest)
    old = set(of_show.values_list("episode", flat=True))
    held = set(Held.objects.filter(item__in=numbers).values_list("item", flat=True))
    for item in items.prefetch_related("revisions"):
        episode, was = episodes.get(item.pk), earlier.pop(item.key, elsewhere.get(item.key))
        if episode is None:
            fate, name = "held" if item.pk in held else "ignored", ""
        else:
            fate, name = ("matched", episode.heading) if episode.pk in old else ("new", "")
        changes = tuple(differences(was, item.said)) if was else ()
        news = "new" if was is None else "changed" if changes else ""
        yield PreviewRow(item.heading, PUBLISHED.words_in(item.said), fate, name, news, changes)
    for said in earlier.values():
        title = said.title or plain_notes(said)[:80]
        yield PreviewRow(title, PUBLISHED.words_in(said), "ignored", news="gone")


def differences(before: EntryData, after: EntryData) -> Iterator[tuple[str, str, str]]:
    """The fields in which two states of an entry differ, in words."""
    for one in STATED:
        texts = one.text_in(before), one.text_in(after)
        if texts[0] != texts[1]:
            was, now = one.words_in(before) or texts[0], one.words_in(after) or texts[1]
            yield one.label, Truncator(was).chars(LONGEST), Truncator(now).chars(LONGEST)
