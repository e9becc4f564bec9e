"""Writes evidence: Document, Capture, Content, Item, Revision and IngestRun; and thins it out where
nothing is lost by it: import runs of a day, versions that said nothing new, bytes of none."""

import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from django.db import transaction
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Sum, TextField
from django.db.models.functions import Cast, Length, TruncDate

from ..identity import item_keys, keep_former_keys
from ..models import (
    BATCH,
    TRANSCRIPTS,
    Attachment,
    Capture,
    Content,
    Decision,
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
from ..records import DocumentRejected, EntryData, FetchedDocument, ParsedPage
from ..text.fingerprints import stable_hash
from ..text.normalize import fold
from ..text.urls import enclosure_key, page_key
from .sources import Reader
from .thin_revisions import REVISIONS_KEPT, Dependents, StoredRevision, spare_revisions

LISTING = "listing"  # the reader of pages of any site
READ_AGAIN_FOR = timedelta(days=30)
UNREAD = ParsedPage(foreign=-1)
Entries: TypeAlias = Mapping[str, EntryData]  # by key, in the order of the document


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version of a document that is not stored yet, with its entries beside those known."""

    document: Document
    page: FetchedDocument
    reading: ParsedPage
    entries: Entries
    before: Entries  # what the newest stored version says
    past: Entries  # what items said last, those that were gone and are back among them


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """The version of a document that its bytes are, and numbers of its entries."""

    version: int
    unchanged: int  # entries that say nothing new
    foreign: int  # entries of other shows


def document_of(
    source: Source, page: FetchedDocument, *, confirmed: bool, show_confirmed: bool = True
) -> Document:
    """Return the document that a page is a copy of. Create it if it is new.

    A document is identified by its address. A saved file is a copy of the document with the same
    bytes, else it is identified by its name, or by its bytes if it is unconfirmed.
    """
    if not page.address:
        copies = documents_with(page).filter(source=source).order_by("-vouched", "pk")
        for document in copies:
            if same_as_newest(document, page):
                return document
    name = page.name if confirmed else f"{stable_hash(page.body, 12)}/{page.name}"
    # Strangers' files of one name must not become versions of each other.
    address = page.address or f"file:{name}"
    return Document.objects.get_or_create(
        source=source,
        address=address,
        defaults={"vouched": confirmed, "show_confirmed": show_confirmed},
    )[0]


def documents_with(page: FetchedDocument) -> QuerySet[Document]:
    """The documents of which a version has the very bytes of a page."""
    captures = Capture.objects.filter(sha256=stable_hash(page.body), version__isnull=False)
    return Document.objects.filter(kind="listing", pk__in=captures.values("document"))


def newest(document: Document) -> Capture | None:
    """The capture that is the document's newest version."""
    return (
        Capture.objects.filter(document=document, version__isnull=False)
        .order_by("-version")
        .first()
    )


def same_as_newest(document: Document, page: FetchedDocument | None) -> StoredVersion | None:
    """The result of storing, where these very bytes are the newest version already, or where there
    is no page because its server says so; else None."""
    last = newest(document)
    if last is None or (page and (last.is_partial or last.sha256 != stable_hash(page.body))):
        return None
    return StoredVersion(cast(int, last.version), present(document).count(), last.foreign)


def present(document: Document) -> QuerySet[Item]:
    """The items that the document's newest version lists."""
    return Item.objects.filter(document=document, gone_version__isnull=True)


def judge(reading: ParsedPage, reader: Reader) -> None:
    """Refuse a document that is unlike a good one of its kind, judged by itself alone.

    Raises:
        DocumentRejected: too few entries, or too few of them with a text or audio.
    """
    entries = reading.entries
    if not entries:
        raise DocumentRejected("it lists no episodes yet")
    told = sum(bool(said.text or said.html or said.audio_url) for said in entries)
    if told < len(entries) * reader.MIN_WITH_TEXT:
        raise DocumentRejected(f"only {told} of {len(entries)} entries have text or audio")


def said_now(document: Document) -> dict[str, EntryData]:
    """The entries of the newest version, by key, in the order of the document."""
    return _said(present(document))


def _said(items: QuerySet[Item]) -> dict[str, EntryData]:
    rows = current_revisions(items).values_list("item__key", "payload")
    # One by one: all payloads at a time would take as much memory as the entries.
    return {key: EntryData.from_payload(payload) for key, payload in rows.iterator(500)}


def current_revisions(items: QuerySet[Item]) -> QuerySet[Revision]:
    """The newest revision of each of these items."""
    newest_version = (
        Revision.objects.filter(item=OuterRef("item")).order_by("-version").values("version")[:1]
    )
    return Revision.objects.filter(item__in=items, version=Subquery(newest_version)).order_by(
        "item__position", "item__key"
    )


def version_of(
    document: Document, page: FetchedDocument, reading: ParsedPage, before: Entries
) -> NewVersion:
    """The version of a document that a page would be; `before` is what the newest one says
    (`said_now`).

    The first page of a feed says nothing of the known entries that it does not list, under their
    key or another one. An entry that is broken keeps the values that it lacks.
    """
    entries, past = _keyed(document, reading, before)
    for key, entry in entries.items():
        if entry.is_broken:
            entries[key] = entry.completed(past.get(key, entry))
    if reading.next_page:
        signs = {sign for said in entries.values() for sign in _signs(said)}
        entries |= {
            key: said
            for key, said in before.items()
            if key not in entries and signs.isdisjoint(_signs(said))
        }
    return NewVersion(document, page, reading, entries, before, past)


def store(new: NewVersion, now: datetime) -> StoredVersion:
    """Add a version of a document: its bytes, its items, and a revision for each that says
    something new; nothing where it is the newest one already."""
    document, reading = new.document, new.reading
    known = same_as_newest(document, new.page)
    # Equal bytes can say something else after an upgrade of what reads them.
    if known and list(new.before.items()) == list(new.entries.items()):
        read = Capture.objects.filter(document=document, version=known.version)
        read.exclude(fingerprint=reading.fingerprint).update(fingerprint=reading.fingerprint)
        return known
    version = _capture(
        document, new.page, now, foreign=reading.foreign, fingerprint=reading.fingerprint
    )
    unchanged = _store_items(document, new.entries, new.past, version, now, posts=reading.posts)
    return StoredVersion(version, unchanged, reading.foreign)


def store_new_entries(new: NewVersion, now: datetime) -> StoredVersion | None:
    """Store only the new entries of a version that looks wrong, if it has any. The known ones stay as
    they are.

    An entry is new if its key, audio file, page, and title with day are those of no known entry.
    """
    signs = {sign for entry in new.before.values() for sign in _signs(entry)}
    fresh = {}
    for key, entry in new.entries.items():
        if key not in new.before and signs.isdisjoint(_signs(entry)):
            fresh[key] = entry
    if not fresh:
        return None
    entries = {**fresh, **new.before}
    version = _capture(new.document, new.page, now, is_partial=True)
    posts = new.reading.posts
    unchanged = _store_items(new.document, entries, new.past, version, now, posts=posts)
    return StoredVersion(version, unchanged, 0)


def _signs(said: EntryData) -> set[object]:
    """The audio file, the page, and title with day: one of these in common tells an entry by."""
    day = (fold(said.title), said.published[:10])
    signs: set[object] = {enclosure_key(said.audio_url), page_key(said.url), day}
    return signs - {""}


def _capture(document: Document, page: FetchedDocument, now: datetime, **columns: Any) -> int:
    """Keep the bytes, where they are not kept yet, and that they came: as the next version of a
    document, unless they are `refused`; the number of the next version."""
    content = Content.of(page.body)
    version = document.captures.aggregate(last=Max("version", default=0))["last"] + 1
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
        version=None if "refused" in columns else version,
        **columns,
    )
    return int(version)


def _store_items(
    document: Document, entries: Entries, past: Entries, version: int, now: datetime, *, posts: bool
) -> int:
    """Write the items of a version, and a revision of each that says something new; the number of
    those that say nothing new."""
    place_of = {key: place for place, key in enumerate(entries, 1)}
    ids: dict[str, int] = {}
    moved: dict[int, list[int]] = defaultdict(list)  # most by as many as are new before them
    gone: list[int] = []
    returned: list[int] = []
    # Of rows, not of objects: those of a large feed would take as much memory as its bytes.
    rows = document.items.order_by().values_list("key", "pk", "position", "gone_version")
    for key, pk, position, gone_version in rows.iterator(500):
        ids[key] = pk
        if key in place_of:
            moved[place_of[key] - position].append(pk)
            returned += [pk] * bool(gone_version)
        elif not gone_version:
            gone.append(pk)
    back = list(Item.objects.filter(pk__in=any_number(returned)))
    for item in back:
        item.absences = [*item.absences, (item.gone_version, version)]
        item.gone_version = None
    Item.objects.filter(pk__in=any_number(gone)).update(gone_version=version)
    Item.objects.bulk_update(back, ["absences", "gone_version"], batch_size=BATCH)
    moved.pop(0, None)
    for by, pks in moved.items():
        Item.objects.filter(pk__in=any_number(pks)).update(position=F("position") + by)
    columns = {"document": document, "is_post": posts, "first_version": version}
    fresh = [
        Item(key=k, position=place, **columns) for k, place in place_of.items() if k not in ids
    ]
    ids |= {item.key: item.pk for item in Item.objects.bulk_create(fresh, batch_size=BATCH)}
    columns = {"version": version, "recorded_at": now}
    news = [
        Revision(item_id=ids[key], payload=said.payload(), **columns)
        for key, said in entries.items()
        if past.get(key) != said
    ]
    Revision.objects.bulk_create(news, batch_size=BATCH)
    return len(entries) - len(news)


def known_entries(podcast: Podcast) -> list[EntryData]:
    """The entries that sources with a reader of their own have of a show: by these a page of any site
    is read by."""
    documents = Document.objects.confirmed().filter(source__podcast=podcast)
    rows = Revision.objects.filter(item__document__in=documents, item__is_post=False)
    rows = rows.exclude(item__document__source__status=Status.REMOVED)
    rows = rows.exclude(item__document__source__reader=LISTING).order_by("version", "id")
    newest = dict(rows.values_list("item_id", "payload").iterator(2000))
    return [EntryData.from_payload(payload) for _, payload in sorted(newest.items())]


def listings(podcast: Podcast) -> QuerySet[Document]:
    """The stored documents whose items depend on what else is known."""
    versions = Capture.objects.filter(document=OuterRef("pk"), version__isnull=False)
    return Document.objects.filter(
        Exists(versions), source__podcast=podcast, source__reader=LISTING, kind="listing"
    ).select_related("source__podcast")


def read_again(
    document: Document, read: Callable[[FetchedDocument], ParsedPage], known: str
) -> bool:
    """Parse the versions of a document again and store its items anew. Return True if any changed.

    `known` is the fingerprint of all that a parse depends on. Nothing is parsed if it is as before, and
    nothing is written if all entries are. Versions a month older than the newest stay as they are.
    Entries keep their keys. An entry that a decision names stays, even if it is listed no longer.
    """
    versions = Capture.objects.filter(document=document, version__isnull=False)
    captures = list(versions.order_by("version"))
    before, known_then = zip(*map(_unpacked, captures), strict=True)
    if known_then[-1] == known:
        return False
    since = captures[-1].taken_at - READ_AGAIN_FOR
    for capture in captures:
        if capture.reading is None or capture.taken_at >= since:
            reading = read(page_of(document, capture))
            whole = {
                "known": known,
                "entries": [entry.payload() for entry in reading.entries],
                "said": {
                    "show": reading.show,
                    "foreign": reading.foreign,
                    "posts": reading.posts,
                },
            }
            capture.reading, capture.foreign = (
                zlib.compress(json.dumps(whole).encode()),
                reading.foreign,
            )
    Capture.objects.bulk_update(captures, ("reading", "foreign"), batch_size=BATCH)
    readings, _ = zip(*map(_unpacked, captures), strict=True)
    if readings == before:
        return False
    former = said_now(document)
    Revision.objects.filter(item__document=document).delete()
    Item.objects.filter(document=document).delete()
    for capture, reading in zip(captures, readings, strict=True):
        entries, past = _keyed(document, reading, said_now(document), former)
        if capture == captures[-1]:
            entries |= _decided_entries(document, former, entries)
        version, at = cast(int, capture.version), capture.taken_at
        _store_items(document, entries, past, version, at, posts=reading.posts)
    return True


def _decided_entries(document: Document, former: Entries, entries: Entries) -> dict[str, EntryData]:
    """Return the former entries that decisions in force name and that are listed no longer."""
    slug = document.source.slug
    decisions = Decision.objects.filter(podcast=document.source.podcast, ended_at=None)
    named = set(decisions.filter(source=slug).values_list("item_key", flat=True))
    named.update(decisions.filter(other_source=slug).values_list("other_key", flat=True))
    return {key: former[key] for key in former if key in named and key not in entries}


def page_of(document: Document, capture: Capture) -> FetchedDocument:
    """A stored copy as the document that came."""
    return FetchedDocument(
        capture.body, document.url, capture.content_type, document.address.removeprefix("file:")
    )


def _keyed(
    document: Document,
    reading: ParsedPage,
    before: Entries,
    former: Entries = MappingProxyType({}),
) -> tuple[dict[str, EntryData], dict[str, EntryData]]:
    """The entries by their keys, and what items said last, by keys as well: those of the newest
    version, and those that are back. `former` are entries that another parser had in their place."""
    keys = item_keys(reading.entries, before)
    gone: dict[str, EntryData] = {}
    for some in batches([key for key in keys if key not in before]):
        gone |= _said(document.items.filter(gone_version__isnull=False, key__in=some))
    if gone:
        keys = item_keys(reading.entries, before, gone)
    versions = Capture.objects.filter(document=document, version__isnull=False)
    newest = versions.order_by("-version").values_list("fingerprint", flat=True).first()
    is_reader_new = newest != reading.fingerprint
    keys = keep_former_keys(keys, reading.entries, before, is_reader_new=is_reader_new)
    keys = keep_former_keys(keys, reading.entries, former, is_reader_new=True)
    return dict(zip(keys, reading.entries, strict=True)), {**gone, **before}


def _unpacked(capture: Capture) -> tuple[ParsedPage, str]:
    """The entries of a version as they were read, and the fingerprint of what was known then; UNREAD and
    "" for a version that was not read yet."""
    if capture.reading is None:
        return UNREAD, ""
    whole = json.loads(zlib.decompress(capture.reading))
    return ParsedPage(tuple(map(EntryData.from_payload, whole["entries"])), **whole["said"]), whole[
        "known"
    ]


def move(source: Source, before: str, address: str) -> None:
    """Keep a document of a source under another address; nothing where one is there already."""
    documents = Document.objects.filter(source=source)
    # Two documents at one address would each be taken for the other's next version.
    if not documents.filter(address=address).exists():
        documents.filter(address=before).update(address=address, etag="", last_modified="")


def confirm(document: Document, page: FetchedDocument, *, confirmed: bool) -> None:
    """Store that a person said which show a document is about, and whether it is confirmed.

    A confirmed saved file is identified by its name from now on.
    """
    document.show_confirmed = True
    document.vouched = confirmed or document.vouched
    document.save(update_fields=["show_confirmed", "vouched"])
    if confirmed:
        move(document.source, document.address, page.address or f"file:{page.name}")


def keep_refused(document: Document, page: FetchedDocument, reason: str, now: datetime) -> None:
    """Keep a refused document for viewing; the same bytes refused again for the same reason are
    kept once a day in a row."""
    last = Capture.objects.filter(document=document).order_by("-taken_at", "-pk")
    same = {"sha256": stable_hash(page.body), "refused": reason, "taken_at__date": now.date()}
    if not Capture.objects.filter(pk__in=last.values("pk")[:1], **same).exists():
        _capture(document, page, now, refused=reason)


def remember_answer(
    document: Document, page: FetchedDocument | None, not_before: datetime | None
) -> None:
    """Keep what the server said for the next conditional request."""
    validators = {"etag": page.etag, "last_modified": page.last_modified} if page else {}
    Document.objects.filter(pk=document.pk).update(not_before=not_before, **validators)


def offer_companions(source: Source, addresses: Sequence[str]) -> None:
    """Note the transcripts and chapters that a feed names, so that they can be fetched, or
    recognised when brought."""
    known = set(Document.objects.filter(source=source).values_list("address", flat=True))
    new = [address for address in dict.fromkeys(addresses) if address not in known]
    Document.objects.bulk_create(
        [Document(source=source, address=address, kind="companion") for address in new],
        batch_size=500,
    )


def keep_companion(
    document: Document,
    page: FetchedDocument,
    now: datetime,
    entries: Entries = MappingProxyType({}),
) -> bool:
    """Store a transcript or chapters as its document's next version, with the entry of one that
    somebody brought; False where it says nothing new."""
    before = said_now(document)
    if before == entries and same_as_newest(document, page):
        return False
    version = _capture(document, page, now)
    _store_items(document, entries, before, version, now, posts=False)
    return True


def keep_transcript(source: Source, page: FetchedDocument, entry: EntryData, now: datetime) -> bool:
    """Store a transcript that somebody brought as the next version of the document at its address,
    with one entry under its name; False where it says nothing new."""
    document, _ = Document.objects.get_or_create(
        source=source, address=page.address, defaults={"kind": "companion"}
    )
    return keep_companion(document, page, now, {page.name: entry})


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


# -- what is thinned out ---------------------------------------------------------------------------

RUNS_KEPT = timedelta(days=30)
UNUSED = ~Exists(Capture.objects.filter(sha256=OuterRef("sha256")))
REFUSED_KEPT = 3  # days of each document, of each the last; ingest/guard.py looks at these


@dataclass
class Tidied:
    """Numbers of what was freed."""

    runs: int = 0
    captures: int = 0
    contents: int = 0
    bytes: int = 0
    revisions: int = 0


def tidy_evidence(now: datetime) -> Tidied:
    """Do it in batches, each a transaction of its own, so that imports go on; done again it finds
    nothing."""
    done, until = Tidied(), now - RUNS_KEPT
    midnight = until.replace(hour=0, minute=0, second=0, microsecond=0)
    for source in Source.objects.order_by("pk"):
        runs = IngestRun.objects.filter(source=source, started_at__lt=midnight).order_by()
        days = runs.annotate(day=TruncDate("started_at")).values("document", "outcome", "day")
        last_of_each = days.annotate(last=Max("pk")).values("last")
        done.runs += runs.exclude(pk__in=last_of_each).delete()[0]
        # Versions that only deleted revisions needed are deleted below.
        done.revisions += _delete_spare_revisions(source, now - REVISIONS_KEPT)
    for captures in batches(list(_spare_captures())):
        done.captures += Capture.objects.filter(pk__in=captures).delete()[0]
    for names in batches(Content.objects.filter(UNUSED).values_list("pk", flat=True)):
        _drop(done, names)
    return done


def evidence_size(source: Source) -> int:
    """Return the bytes that the revisions and copies of a source take."""
    payloads = Revision.objects.filter(item__document__source=source).annotate(
        size=Length(Cast("payload", TextField()))
    )
    copies = Capture.objects.filter(document__source=source).values("sha256")
    contents = Content.objects.filter(pk__in=copies).annotate(packed_size=Length("packed"))
    revision_bytes = payloads.aggregate(total=Sum("size", default=0))["total"]
    content_bytes = contents.aggregate(total=Sum("packed_size", default=0))["total"]
    return int(revision_bytes + content_bytes)


def _delete_spare_revisions(source: Source, until: datetime) -> int:
    """Delete the old revisions of a source that nothing needs. Return their number."""
    midnight = until.replace(hour=0, minute=0, second=0, microsecond=0)
    old = Revision.objects.filter(item=OuterRef("pk"), recorded_at__lt=midnight)
    items = Item.objects.filter(Exists(old), document__source=source)
    counted = items.annotate(count=Count("revisions")).filter(count__gt=2)
    deleted = 0
    for ids in batches(list(counted.order_by("pk").values_list("pk", flat=True))):
        dependents = _dependents(source, ids)
        spare: list[int] = []
        for item, revisions in _stored_revisions(ids):
            spare += spare_revisions(revisions, midnight, dependents.get(item, Dependents()))
        for revision_ids in batches(spare):
            deleted += Revision.objects.filter(pk__in=revision_ids).delete()[0]
    return deleted


def _stored_revisions(items: Sequence[int]) -> Iterator[tuple[int, list[StoredRevision]]]:
    """Yield the id of each item with its revisions, oldest first."""
    rows = Revision.objects.filter(item__in=items).order_by("item", "version")
    columns = ("item_id", "pk", "recorded_at", "payload")
    for item, group in groupby(rows.values_list(*columns).iterator(2000), itemgetter(0)):
        revisions = []
        for _, pk, recorded_at, payload in group:
            values = EntryData.from_payload(payload)
            revisions.append(StoredRevision(pk, recorded_at, values))
        yield item, revisions


def _dependents(source: Source, items: Sequence[int]) -> dict[int, Dependents]:
    """Return what depends on old revisions of these items, by item."""
    fetched = Capture.objects.filter(document__source=source, document__kind="companion")
    fetched_files = frozenset(fetched.values_list("document__address", flat=True))
    rows = Item.objects.filter(pk__in=items).values_list("pk", "key", "attachment__episode")
    episode_of = {item: episode for item, _, episode in rows}
    key_of = {item: key for item, key, _ in rows}
    attached = Attachment.objects.filter(episode__in=set(episode_of.values()))
    entries_of = defaultdict(set)
    with_transcript = set()
    columns = ("episode", "item__document__source__slug", "item__document__source__reader")
    for episode, slug, reader, key in attached.values_list(*columns, "item__key"):
        entries_of[episode].add((slug, key))
        if reader == TRANSCRIPTS:
            with_transcript.add(episode)
    decided_at = defaultdict(list)
    decisions = Decision.objects.filter(podcast=source.podcast_id, ended_at=None)
    for slug, key, made_at in decisions.values_list("source", "item_key", "made_at"):
        decided_at[slug, key].append(made_at)
    dependents = {}
    for item, episode in episode_of.items():
        entries = {(source.slug, key_of[item])} | entries_of[episode]
        times = [time for entry in entries for time in decided_at[entry]]
        dependents[item] = Dependents(times, fetched_files, episode in with_transcript)
    return dependents


def _spare_captures() -> Iterator[int]:
    """Ids of versions of listings that changed no entry, and of all refused ones but the last of
    each of the last three days of a document.

    A version stays that is the newest, the first or the last one with an entry, or in which an
    entry said something new.
    """
    listings = Capture.objects.filter(document__kind="listing").order_by("pk")
    later = Capture.objects.filter(document=OuterRef("document"), version__gt=OuterRef("version"))
    version: Any = OuterRef("version")
    said = Revision.objects.filter(item__document=OuterRef("document"), version=version)
    # Those that an entry names, and those before one from which entries are gone.
    edges = Q(first_version=version) | Q(gone_version=version) | Q(gone_version=version + 1)
    named = Item.objects.filter(edges, document=OuterRef("document"))
    accepted = listings.filter(Exists(later)).exclude(Exists(said) | Exists(named))
    yield from accepted.values_list("pk", flat=True)
    kept: dict[int, set[date]] = defaultdict(set)
    refused = listings.filter(version=None).order_by("-taken_at", "-pk")
    for pk, document, at in refused.values_list("pk", "document", "taken_at").iterator(2000):
        if at.date() in kept[document] or len(kept[document]) >= REFUSED_KEPT:
            yield pk
        kept[document].add(at.date())


@transaction.atomic
def _drop(done: Tidied, names: list[str]) -> None:
    """Delete bytes that no capture has. Locked, they are looked at again: an import may have come
    to need them."""
    locked = [
        content.pk
        for content in Content.objects.select_for_update().filter(pk__in=names).defer("packed")
    ]
    rows = Content.objects.filter(UNUSED, pk__in=locked)
    done.bytes += rows.aggregate(taken=Sum(Length("packed"), default=0))["taken"]
    done.contents += rows.delete()[0]
