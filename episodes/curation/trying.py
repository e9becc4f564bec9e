"""Tries a source out: its page is imported for real, what that changes is noted, and all of it is
rolled back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from django.utils import timezone

from ..fields import DURATION, PUBLISHED, STATED, plain_notes
from ..ingest import Loaded, Options, Report, Target, load, said_by_key, take
from ..models import BATCH, Attachment, Episode, Held, Item, Podcast, Source
from ..records import EntryData, FetchedDocument
from .history import CONFIGURE, User, require, rolled_back
from .vocabulary import save_configuration

MOST = 200
FATES = ("new", "held", "ignored", "matched")  # what wants a look first
NEWS = ("gone", "changed", "new", "")
LONGEST = 160  # characters of a value
Said = Mapping[tuple[str, str], EntryData]
LIMITS = Options(files=False, seconds=20.0)  # a request fetches one document, and waits no longer


@dataclass(frozen=True)
class PreviewRow:
    """An entry of the page and what became of it; `episode` is the heading of the one it met."""

    title: str
    published: str
    fate: str  # new | matched | held | ignored
    episode: str = ""
    text: str = ""
    length: str = ""
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
    target = Target(source.slug, source=source, address=source.address if page is None else "")
    # No lock is held while a server thinks about its answer.
    options = replace(LIMITS, allow=allow, accept=True, now=True)
    loaded = load(target, options, timezone.now()) if page is None else Loaded(target, page)
    # Nothing that the page names is fetched for a try.
    loaded = replace(loaded, target=replace(target, address=""))
    tried = _tried(user, loaded, podcast, accept=False)
    if not tried.acceptable:
        return tried
    return replace(
        _tried(user, loaded, podcast, accept=True), ok=False, line=tried.line, acceptable=True
    )


def _tried(user: User, loaded: Loaded, podcast: Podcast | None, *, accept: bool) -> SourcePreview:
    source = loaded.target.source
    assert source is not None
    seen: list[SourcePreview] = []

    def act() -> None:
        known = set(Item.objects.values_list("pk", flat=True))
        if podcast is not None:
            save_configuration(user, podcast)
            source.podcast = podcast
        save_configuration(user, source)
        before = said_by_key(source)
        report = take(loaded, Options(accept=accept), timezone.now)
        page = loaded.page or FetchedDocument(b"")
        entries = (
            list(_news(source, page.address or f"file:{page.name}", before, known))
            if report.ok
            else []
        )
        seen.append(_preview(report, entries, known=bool(before)))

    return rolled_back(act, seen.pop)


def _preview(report: Report, entries: list[PreviewRow], *, known: bool) -> SourcePreview:
    counts = Counter(row.news or "same" for row in entries) + Counter(
        row.fate for row in entries if row.fate == "held"
    )
    shown = [row for row in entries if row.news or row.fate == "held" or not known]
    shown.sort(key=lambda row: (NEWS.index(row.news) if known else 0, FATES.index(row.fate)))
    more = max(0, len(shown) - MOST)
    return SourcePreview(
        report.ok, report.line, shown[:MOST], more, report.acceptable, known, counts
    )


def _news(source: Source, document: str, before: Said, known: set[int]) -> Iterator[PreviewRow]:
    """What an import would make of each entry of a document, and those that are gone.

    Where the document is new, its entries are compared with those of the source's other documents,
    such as a saved copy.
    """
    after, by_key = said_by_key(source), {key: said for (_, key), said in before.items()}
    for place, row in _met(source, document, known):
        then = before.get(place) or by_key.get(place[1])
        if then is None:
            yield replace(row, news="new")
        else:
            changes = tuple(differences(then, after[place]))
            yield replace(row, news="changed" if changes else "", changes=changes)
    gone = {
        place: said for place, said in before.items() if place not in after and place[0] == document
    }
    for said in gone.values():
        yield _row(said, "ignored", news="gone")


def differences(before: EntryData, after: EntryData) -> Iterator[tuple[str, str, str]]:
    """The fields in which two states of an entry differ, in words."""
    for one in STATED:
        was, now = one.text_in(before), one.text_in(after)
        if was != now:
            yield one.label, _short(one.words_in(before), was), _short(one.words_in(after), now)


def _short(words: str, text: str) -> str:
    words = words or text
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


def _row(
    said: EntryData, fate: str, episode: str = "", *, title: str = "", news: str = ""
) -> PreviewRow:
    text = plain_notes(said)[:200]
    heading = title or said.title or text[:80]
    return PreviewRow(
        heading, PUBLISHED.words_in(said), fate, episode, text, DURATION.words_in(said), news
    )


def _met(
    source: Source, document: str, known: set[int]
) -> Iterator[tuple[tuple[str, str], PreviewRow]]:
    items = Item.objects.filter(
        document__source=source, document__address=document, gone_version=None
    )
    items = items.order_by("position")
    episodes = {
        row.item_id: row.episode
        for row in Attachment.objects.filter(item__in=items.values("pk")).select_related("episode")
    }
    held = set(Held.objects.filter(item__in=items.values("pk")).values_list("item", flat=True))
    old = _with_other_entries(source, known)
    for item in items.select_related("document").prefetch_related("revisions").iterator(BATCH):
        episode = episodes.get(item.pk)
        fate = "held" if item.pk in held else "ignored"
        if episode is not None:
            fate = "matched" if episode.pk in old else "new"
        name = episode.heading if episode and fate == "matched" else ""
        yield (item.document.address, item.key), _row(item.said, fate, name, title=item.heading)


def _with_other_entries(source: Source, known: set[int]) -> set[int]:
    """The episodes that were there before."""
    rows = Attachment.objects.filter(episode__podcast=source.podcast_id).values_list(
        "item", "episode"
    )
    there = {episode for item, episode in rows if item in known}
    return there & set(
        Episode.objects.filter(podcast=source.podcast_id).values_list("pk", flat=True)
    )
