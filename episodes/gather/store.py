"""Writes evidence: Document, Capture, Content, Item, Revision and IngestRun; only tidying.py beside
it deletes some of it."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery

from ..identity import item_keys
from ..models import (
    BATCH,
    Capture,
    Content,
    Document,
    IngestRun,
    Item,
    Podcast,
    Revision,
    Source,
    Status,
    any_number,
    batches,
)
from ..records import DocumentRejected, EntryData, FetchedDocument, KnownFeed, ParsedPage
from ..text.normalize import fold
from ..text.urls import enclosure_key, page_key
from .sources import Reader

LISTING = "listing"  # the reader of pages of any site
IMPLAUSIBLE = (
    "suspiciously large change"  # how the reason of a refusal begins that a person can overrule
)
READ_AGAIN_FOR = timedelta(days=30)
UNREAD = ParsedPage(foreign=-1)


class ImplausibleChange(DocumentRejected):
    """A version in which too much would vanish or change at once."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The version of a document that its bytes are, and numbers of its entries."""

    version: int
    unchanged: int  # entries that say nothing new
    foreign: int  # entries of other shows
    readdressed: int = 0  # entries with another guid, audio file or page than before
    in_order: bool = False  # the entries that stay are in their old order, and none came back


def document_of(source: Source, page: FetchedDocument, *, vouched: bool) -> Document:
    """The document that a page is a copy of, made on first sight: its address; of a saved file the
    document that it is a copy of, else its name, or, where nobody vouched for it, its bytes."""
    if not page.address and (known := _with_bytes(source, page)):
        return known
    name = page.name if vouched else f"{digest(page.body)[:12]}/{page.name}"
    address = page.address or f"file:{name}"
    return Document.objects.get_or_create(
        source=source, address=address, defaults={"vouched": vouched}
    )[0]


def _with_bytes(source: Source, page: FetchedDocument) -> Document | None:
    """The document of a source whose newest version has these bytes."""
    rows = documents_with(page).filter(source=source).order_by("-vouched", "pk")
    return next((document for document in rows if same_as_newest(document, page)), None)


def documents_with(page: FetchedDocument) -> QuerySet[Document]:
    """The documents of which a version has the very bytes of a page."""
    captures = Capture.objects.filter(sha256=digest(page.body), version__isnull=False)
    return Document.objects.filter(kind="listing", pk__in=captures.values("document"))


def newest(document: Document) -> Capture | None:
    """The capture that is the document's newest version."""
    return (
        Capture.objects.filter(document=document, version__isnull=False)
        .order_by("-version")
        .first()
    )


def same_as_newest(document: Document, page: FetchedDocument) -> Stored | None:
    """The result of storing, where these very bytes are the newest version already; else None."""
    last = newest(document)
    if last is None or last.sha256 != digest(page.body):
        return None
    return Stored(cast(int, last.version), present(document).count(), last.foreign)


def present(document: Document) -> QuerySet[Item]:
    """The items that the document's newest version lists."""
    return Item.objects.filter(document=document, gone_version__isnull=True)


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def judge(reading: ParsedPage, reader: Reader) -> None:
    """The canary: refuse a document that is unlike a good one of its kind, judged by itself alone.

    Raises:
        DocumentRejected: too few entries, or too few of them with a text or audio.
    """
    entries = reading.entries
    if not entries:
        raise DocumentRejected("it lists no episodes yet")
    told = sum(bool(said.text or said.html or said.audio_url) for said in entries)
    if told < len(entries) * reader.MIN_WITH_TEXT:
        raise DocumentRejected(f"only {told} of {len(entries)} entries have text or audio")


def implausible(
    complete: bool,
    before: Mapping[str, EntryData],
    now: Mapping[str, EntryData],
    *,
    strict: bool = False,
) -> str:
    """The reason to refuse a version, "" where there is none: over half of a document's items
    vanish or change title and text at once; `strict`: or get another guid, audio file or page,
    which a show's own address may do when the show moves.

    New dates, filled blanks and additions are no change here. A page of the newest ten loses its
    oldest with every new one; so in a source that is not complete only what nothing new came in
    place of counts as vanished, unless nothing at all is left of what it said.
    """
    changes = _changes(before, now)
    gone = sum(entry is None for _, entry in changes)
    changed = sum(
        is_another(said, entry) or (strict and _has_moved(said, entry))
        for said, entry in changes
        if entry
    )
    if not complete and gone < len(before):
        gone = max(0, min(gone, len(before) - len(now)))
    if (gone + changed) * 2 <= len(before):
        return ""
    return (
        f"{IMPLAUSIBLE}: {gone} of {len(before)} items would vanish and {changed} would change "
        "completely. The last good copy stays. If the change is correct, import it with --accept"
    )


def readdressed(before: Mapping[str, EntryData], now: Mapping[str, EntryData]) -> int:
    """The number of entries that have another guid, audio file or page now."""
    return sum(_has_moved(said, entry) for said, entry in _changes(before, now) if entry)


def _changes(
    before: Mapping[str, EntryData], now: Mapping[str, EntryData]
) -> list[tuple[EntryData, EntryData | None]]:
    """The entries that say something else now, each with what it has become: what is under its key
    now, else under its title or text; None where it is gone."""
    changed = {key: said for key, said in before.items() if now.get(key) != said}
    others = now.values() if changed.keys() - now.keys() else ()  # to fold all texts takes long
    named = {name: said for said in others for name in (_text(said), fold(said.title)) if name}
    return [
        (said, now.get(key) or named.get(fold(said.title)) or named.get(_text(said)))
        for key, said in changed.items()
    ]


def _has_moved(before: EntryData, now: EntryData) -> bool:
    pairs = (
        (before.guid, now.guid),
        (enclosure_key(before.audio_url), enclosure_key(now.audio_url)),
        (page_key(before.url), page_key(now.url)),
    )
    return any(was and is_now and was != is_now for was, is_now in pairs)


def _text(said: EntryData) -> str:
    return fold(said.text or said.html)


def is_another(before: EntryData, now: EntryData) -> bool:
    """True if both title and text changed, where both were known."""
    is_retitled = before.title != now.title and fold(before.title) not in ("", fold(now.title))
    return is_retitled and _text(before) not in ("", _text(now))


def said_now(document: Document) -> dict[str, EntryData]:
    """The entries of the newest version, by key, in the order of the document."""
    rows = current_revisions(present(document)).values_list("item__key", "payload")
    return {key: EntryData.from_payload(payload) for key, payload in rows}


def known_feed(document: Document, said: Mapping[str, EntryData]) -> KnownFeed | None:
    """The newest version of a feed, if there is one; `said` are its entries by key, in its order."""
    capture = newest(document)
    return KnownFeed(capture.body, tuple(said.values()), capture.read_by) if capture else None


def current_revisions(items: QuerySet[Item]) -> QuerySet[Revision]:
    """The newest revision of each of these items."""
    newest_version = (
        Revision.objects.filter(item=OuterRef("item")).order_by("-version").values("version")[:1]
    )
    return Revision.objects.filter(item__in=items, version=Subquery(newest_version)).order_by(
        "item__position", "item__key"
    )


def store(
    document: Document,
    page: FetchedDocument,
    reading: ParsedPage,
    now: datetime,
    before: Mapping[str, EntryData],
    *,
    accept: bool = False,
    strict: bool = False,
) -> Stored:
    """Add one version of a document: its bytes, its items, and a revision for each that says
    something new. `before` is what the newest version says (`said_now`); `strict` is for the guard.

    Raises:
        ImplausibleChange: the guard stopped it, and `accept` does not say that it is right.
    """
    entries, past = _keyed(document, reading, before)
    if reading.next_page:
        entries |= _on_older_pages(before, entries)
    known = same_as_newest(document, page)
    if known and list(before.items()) == list(entries.items()):
        read = Capture.objects.filter(document=document, version=known.version)
        read.exclude(read_by=reading.read_by).update(read_by=reading.read_by)
        return known
    complete = document.source.complete
    reason = "" if accept else implausible(complete, before, entries, strict=strict)
    if reason:
        raise ImplausibleChange(reason)
    version = next_version(document)
    _capture(document, page, now, version=version, foreign=reading.foreign, read_by=reading.read_by)
    unchanged, in_order = _store_items(document, entries, past, reading.posts, version, now)
    return Stored(version, unchanged, reading.foreign, readdressed(before, entries), in_order)


def _on_older_pages(
    before: Mapping[str, EntryData], entries: Mapping[str, EntryData]
) -> dict[str, EntryData]:
    """The known entries of a feed that its first page does not list, under this or another key: it
    says nothing of these."""
    signs = {sign for said in entries.values() for sign in _signs(said)}
    return {
        key: said
        for key, said in before.items()
        if key not in entries and signs.isdisjoint(_signs(said))
    }


def _signs(said: EntryData) -> set[object]:
    """The audio file, the page, and title with day: one of these in common tells an entry by."""
    day = (fold(said.title), said.published[:10])
    signs: set[object] = {enclosure_key(said.audio_url), page_key(said.url), day}
    return signs - {""}


def changed_items(document: Document, version: int) -> list[int]:
    """The items that came, changed or went with a version of a document."""
    revised = Revision.objects.filter(item__document=document, version=version).values("item")
    changed = Q(first_version=version) | Q(gone_version=version) | Q(pk__in=revised)
    items = Item.objects.filter(changed, document=document)
    return list(items.order_by().values_list("pk", flat=True))


def next_version(document: Document) -> int:
    last = document.captures.aggregate(last=Max("version", default=0))["last"]
    return int(last) + 1


def _capture(document: Document, page: FetchedDocument, now: datetime, **fields: Any) -> None:
    """Keep the bytes, where they are not kept yet, and that they came."""
    content = Content.of(page.body)
    # An update locks the row of known bytes, so that nobody tidies it away before the capture is
    # there.
    Content.objects.bulk_create(
        [content], update_conflicts=True, unique_fields=["sha256"], update_fields=["size"]
    )
    Capture.objects.create(
        document=document,
        sha256=content.sha256,
        content_type=page.content_type,
        taken_at=now,
        **fields,
    )


def _store_items(
    document: Document,
    entries: Mapping[str, EntryData],
    past: Mapping[str, EntryData],
    posts: bool,
    version: int,
    now: datetime,
) -> tuple[int, bool]:
    """The number of entries that say nothing new, and True where those that stay are in order;
    `past` is what items said last, those that were gone and are back among them."""
    known = {item.key: item for item in document.items.all()}
    fresh = [
        Item(document=document, key=key, position=place, is_post=posts, first_version=version)
        for place, key in enumerate(entries, 1)
        if key not in known
    ]
    known |= {item.key: item for item in Item.objects.bulk_create(fresh, batch_size=BATCH)}
    listed = [known[key] for key in entries]
    gone = [item.pk for key, item in known.items() if key not in entries and not item.gone_version]
    in_order = _stay_in_order(listed, version)
    Item.objects.filter(pk__in=any_number(gone)).update(gone_version=version)
    _mark_back([item for item in listed if item.gone_version], version)
    _move(listed)
    news = [key for key, said in entries.items() if past.get(key) != said]
    Revision.objects.bulk_create(
        [
            Revision(
                item=known[key], version=version, payload=entries[key].payload(), recorded_at=now
            )
            for key in news
        ],
        batch_size=BATCH,
    )
    return len(entries) - len(news), in_order


def _stay_in_order(items: Sequence[Item], version: int) -> bool:
    """True where all items that were listed before move alike, so that others come before and
    behind them, and none comes back."""
    known = [(place, item) for place, item in enumerate(items, 1) if item.first_version < version]
    steps = {place - item.position for place, item in known}
    return len(steps) == 1 and not any(item.gone_version for _, item in known)


def _mark_back(items: Sequence[Item], version: int) -> None:
    for item in items:
        item.absences = [*item.absences, (item.gone_version, version)]
        item.gone_version = None
    Item.objects.bulk_update(items, ["absences", "gone_version"], batch_size=BATCH)


def _move(items: Sequence[Item]) -> None:
    """Give items their places in the newest version: most moved alike, by as many as are new before
    them."""
    moved: dict[int, list[int]] = defaultdict(list)
    for place, item in enumerate(items, 1):
        moved[place - item.position].append(item.pk)
        item.position = place
    moved.pop(0, None)
    for by, pks in moved.items():
        Item.objects.filter(pk__in=any_number(pks)).update(position=F("position") + by)


def known_entries(podcast: Podcast) -> list[EntryData]:
    """The entries that sources with a reader of their own have of a show: by these a page of any site
    is read by."""
    documents = Document.objects.filter(source__podcast=podcast).trusted()
    rows = Revision.objects.filter(item__document__in=documents, item__is_post=False)
    rows = rows.exclude(item__document__source__status=Status.REMOVED)
    rows = rows.exclude(item__document__source__reader=LISTING).order_by("version", "id")
    newest = dict(rows.values_list("item_id", "payload").iterator(2000))
    return [EntryData.from_payload(payload) for _, payload in sorted(newest.items())]


def listings(podcast: Podcast) -> QuerySet[Document]:
    """The documents whose items depend on what else is known."""
    return Document.objects.filter(
        source__podcast=podcast, source__reader=LISTING, kind="listing"
    ).select_related("source__podcast")


def read_again(
    document: Document, read: Callable[[FetchedDocument], ParsedPage], known: str
) -> None:
    """Make the items of a document anew from its captures: what they say follows from these and
    from what is known.

    `known` is a digest of that. Nothing is read where it is as it was, and nothing written where
    all say what they said.
    """
    captures = list(
        Capture.objects.filter(document=document, version__isnull=False).order_by("version")
    )
    if not captures or _unpacked(captures[-1])[1] == known:
        return
    before = [_unpacked(capture)[0] for capture in captures]
    for capture in _to_read(captures):
        reading = read(page_of(document, capture))
        capture.reading, capture.foreign = _packed(reading, known), reading.foreign
    Capture.objects.bulk_update(captures, ("reading", "foreign"), batch_size=BATCH)
    readings = [_unpacked(capture)[0] for capture in captures]
    if readings != before and not _is_stored(document, readings):
        _replay(document, captures, readings)


def _to_read(captures: Sequence[Capture]) -> list[Capture]:
    """All but those that are a month older than the newest one: what they said when they were read
    stays."""
    since = captures[-1].taken_at - READ_AGAIN_FOR
    return [capture for capture in captures if capture.reading is None or capture.taken_at >= since]


def _is_stored(document: Document, readings: Sequence[ParsedPage]) -> bool:
    """True for a document of one version whose items say that already."""
    if len(readings) != 1:
        return False
    entries, _ = _keyed(document, readings[0], {})
    return list(said_now(document).items()) == list(entries.items())


def _replay(
    document: Document, captures: Sequence[Capture], readings: Sequence[ParsedPage]
) -> None:
    Revision.objects.filter(item__document=document).delete()
    Item.objects.filter(document=document).delete()
    for capture, reading in zip(captures, readings, strict=True):
        entries, past = _keyed(document, reading, said_now(document))
        version = int(capture.version or 0)
        _store_items(document, entries, past, reading.posts, version, capture.taken_at)


def page_of(document: Document, capture: Capture) -> FetchedDocument:
    """A stored copy as the document that came."""
    return FetchedDocument(
        capture.body, document.url, capture.content_type, document.address.removeprefix("file:")
    )


def _keyed(
    document: Document, reading: ParsedPage, before: Mapping[str, EntryData]
) -> tuple[dict[str, EntryData], dict[str, EntryData]]:
    """The entries by their keys, and what items said last, by keys as well: those of the newest
    version, and those that are back."""
    keys = item_keys(reading.entries, before)
    gone = _gone(document, [key for key in keys if key not in before])
    if gone:
        keys = item_keys(reading.entries, before, gone)
    return dict(zip(keys, reading.entries, strict=True)), {**gone, **before}


def _gone(document: Document, keys: Sequence[str]) -> dict[str, EntryData]:
    """The last entries of the items with these keys that the newest version no longer lists."""
    said: dict[str, EntryData] = {}
    for some in batches(keys):
        rows = current_revisions(
            Item.objects.filter(document=document, gone_version__isnull=False, key__in=some)
        )
        said |= {
            key: EntryData.from_payload(payload)
            for key, payload in rows.values_list("item__key", "payload")
        }
    return said


def _packed(reading: ParsedPage, known: str) -> bytes:
    said = {"show": reading.show, "foreign": reading.foreign, "posts": reading.posts}
    whole = {
        "known": known,
        "entries": [entry.payload() for entry in reading.entries],
        "said": said,
    }
    return zlib.compress(json.dumps(whole).encode())


def _unpacked(capture: Capture) -> tuple[ParsedPage, str]:
    """A version as it was understood, and the digest of what was known then; nothing for one that was
    not read yet."""
    if capture.reading is None:
        return UNREAD, ""
    whole = json.loads(zlib.decompress(capture.reading))
    return ParsedPage(tuple(map(EntryData.from_payload, whole["entries"])), **whole["said"]), whole[
        "known"
    ]


def move(source: Source, before: str, address: str) -> None:
    """Keep a document of a source under another address; nothing where one is there already."""
    documents = Document.objects.filter(source=source)
    if not documents.filter(address=address).exists():
        documents.filter(address=before).update(address=address, etag="", last_modified="")


def vouch(document: Document, page: FetchedDocument) -> None:
    """Note that somebody vouches for a document; a saved file goes by its name from now on."""
    document.vouched = True
    document.save(update_fields=["vouched"])
    move(document.source, document.address, page.address or f"file:{page.name}")


def keep_refused(document: Document, page: FetchedDocument, reason: str, now: datetime) -> None:
    """Keep a refused document for viewing; the same bytes refused again for the same reason are
    kept once a day in a row."""
    last = Capture.objects.filter(document=document).order_by("-taken_at", "-pk")
    same = {"sha256": digest(page.body), "refused": reason, "taken_at__date": now.date()}
    if not Capture.objects.filter(pk__in=last.values("pk")[:1], **same).exists():
        _capture(document, page, now, refused=reason)


def remember_answer(
    document: Document, page: FetchedDocument | None, not_before: datetime | None
) -> None:
    """Keep what the server said for the next conditional request."""
    validators = {"etag": page.etag, "last_modified": page.last_modified} if page else {}
    Document.objects.filter(pk=document.pk).update(not_before=not_before, **validators)


def remember_asked(
    document: Document, now: datetime, trouble: str, not_before: datetime | None = None
) -> None:
    """Keep when a companion was asked for, and why it could not be had; "" where it could."""
    Document.objects.filter(pk=document.pk).update(
        asked_at=now, trouble=trouble[:1000], not_before=not_before
    )


def said_by(source: Source) -> list[EntryData]:
    """The entries of a source, in the order in which it lists them."""
    rows = current_revisions(Item.objects.filter(document__source=source, is_post=False))
    return [EntryData.from_payload(payload) for payload in rows.values_list("payload", flat=True)]


def offer_companions(source: Source, addresses: Sequence[str]) -> None:
    """Note the transcripts and chapters that a feed names, so that they can be fetched, or
    recognised when brought."""
    known = set(Document.objects.filter(source=source).values_list("address", flat=True))
    new = [address for address in dict.fromkeys(addresses) if address not in known]
    Document.objects.bulk_create(
        [Document(source=source, address=address, kind="companion") for address in new],
        batch_size=500,
    )


def keep_companion(document: Document, page: FetchedDocument, now: datetime) -> bool:
    """Store a transcript or chapters as its document's next version; False where these very bytes
    are that already."""
    if same_as_newest(document, page):
        return False
    version = next_version(document)
    _capture(document, page, now, version=version)
    return True


def keep_transcript(source: Source, page: FetchedDocument, entry: EntryData, now: datetime) -> bool:
    """Store a transcript that somebody brought as the next version of the document at its address,
    with one entry under its name; False where it says nothing new."""
    document, _ = Document.objects.get_or_create(
        source=source, address=page.address, defaults={"kind": "companion"}
    )
    entries, before = {page.name: entry}, said_now(document)
    if before == entries and same_as_newest(document, page):
        return False
    version = next_version(document)
    _capture(document, page, now, version=version)
    _store_items(document, entries, before, False, version, now)
    return True


def record_run(
    source: Source,
    document: Document | None,
    started: datetime,
    finished: datetime,
    outcome: str,
    reason: str,
    counts: dict[str, int],
) -> IngestRun:
    return IngestRun.objects.create(
        source=source,
        document=document,
        started_at=started,
        finished_at=finished,
        outcome=outcome,
        reason=reason,
        counts=counts,
    )
