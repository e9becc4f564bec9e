"""Writes evidence: Document, Capture, Content, Item, Revision and IngestRun. Deletes evidence that
nothing needs: import runs of a day, versions that changed no entry, bytes without a capture."""

import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, cast

from django.db import transaction
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Sum, TextField
from django.db.models.functions import Cast, Length, TruncDate

from ..identity import (
    are_different_episodes,
    bare_title_and_numbers,
    choose_entry_keys,
    restore_former_keys,
)
from ..models import (
    QUERY_BATCH_SIZE,
    TRANSCRIPTS_SLUG,
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
    batches,
    ids_subquery,
)
from ..records import DocumentRejected, EntryData, FetchedDocument, ParsedPage
from ..text.fingerprints import stable_hash
from ..text.normalize import folded_letters
from ..text.urls import enclosure_key, page_key
from .sources import Reader
from .thin_revisions import Dependents, StoredRevision, find_spare_revision_ids

LISTING_KIND = "listing"  # the reader of pages of any site
MatchKey: TypeAlias = tuple[str, str]
EntriesByKey: TypeAlias = Mapping[str, EntryData]  # in the order of the document


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version of a document that is not stored yet."""

    document: Document
    page: FetchedDocument
    parsed: ParsedPage
    entries: EntriesByKey
    previous: EntriesByKey  # the entries of the newest stored version
    last_values: EntriesByKey  # the same, with the last values of entries that came back


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """The number of a stored version, and numbers of its entries for the summary line."""

    version: int
    unchanged_count: int  # entries without a new revision
    foreign_count: int  # entries of other shows


def find_or_create_document(
    source: Source, page: FetchedDocument, *, confirmed: bool, show_confirmed: bool = True
) -> Document:
    """Return the document of a source that a page is a version of. Create it if it is new.

    A fetched page belongs to the document at its address. A saved file has no address: it belongs to the
    document with the same bytes, else to the document of its name ("file:feed.xml").
    `confirmed` and `show_confirmed` are stored with a new document.
    """
    address = page.address
    if not address:
        copies = documents_with_bytes(page).filter(source=source)
        confirmed_first = copies.order_by("-vouched", "pk")
        for document in confirmed_first:
            # Perhaps only an older version has these bytes, and the document has changed since.
            if newest_version_if_unchanged(document, page):
                return document
        # Anybody may upload another "feed.xml". So an unconfirmed file is named by its bytes, too:
        # "file:3f9a51c07be2/feed.xml".
        folder = "" if confirmed else f"{stable_hash(page.body, 12)}/"
        address = f"file:{folder}{page.name}"
    document, _ = Document.objects.get_or_create(
        source=source,
        address=address,
        defaults={"vouched": confirmed, "show_confirmed": show_confirmed},
    )
    return document


def documents_with_bytes(page: FetchedDocument) -> QuerySet[Document]:
    versions = Capture.objects.versions().filter(sha256=stable_hash(page.body))
    return Document.objects.filter(kind="listing", pk__in=versions.values("document"))


def newest_version(document: Document) -> Capture | None:
    return _stored_versions(document).last()


def _stored_versions(document: Document) -> QuerySet[Capture]:
    return Capture.objects.versions().filter(document=document).order_by("version")


def newest_version_if_unchanged(
    document: Document, page: FetchedDocument | None
) -> StoredVersion | None:
    """Return the newest stored version if it has the bytes of the page, else None.

    Without a page, the server answered "not modified". A partial version never equals a page, because only
    the new entries of its bytes were stored.
    """
    newest = newest_version(document)
    if newest is None:
        return None
    if page and (newest.is_partial or newest.sha256 != stable_hash(page.body)):
        return None
    version = cast(int, newest.version)  # of a stored version it is never None
    entry_count = current_items(document).count()
    return StoredVersion(version, unchanged_count=entry_count, foreign_count=newest.foreign)


def current_items(document: Document) -> QuerySet[Item]:
    return Item.objects.filter(document=document, gone_version__isnull=True)


def require_enough_entries_with_content(parsed_page: ParsedPage, reader: Reader) -> None:
    """Check that a document has entries, and that enough of them have text or audio.

    Raises:
        DocumentRejected: it has no entries, or too few of them have text or audio.
    """
    entries = parsed_page.entries
    if not entries:
        raise DocumentRejected("it lists no episodes yet")
    with_content = [entry for entry in entries if entry.text or entry.html or entry.audio_url]
    count = len(with_content)
    if count < len(entries) * reader.min_with_text:
        raise DocumentRejected(f"only {count} of {len(entries)} entries have text or audio")


def current_entries(document: Document) -> dict[str, EntryData]:
    return _last_entries(current_items(document))


def _last_entries(items: QuerySet[Item]) -> dict[str, EntryData]:
    rows = current_revisions(items).values_list("item__key", "payload")
    # Streamed, because all payloads together take as much memory as the entries.
    return {key: EntryData.from_payload(payload) for key, payload in rows.iterator(500)}


def current_revisions(items: QuerySet[Item]) -> QuerySet[Revision]:
    """Return the newest revision of each item, by the positions of items in their documents."""
    revisions = Revision.objects.filter(item=OuterRef("item")).order_by("-version")
    newest = Subquery(revisions.values("version")[:1])
    current = Revision.objects.filter(item__in=items, version=newest)
    return current.order_by("item__position", "item__key")


def build_new_version(
    document: Document, page: FetchedDocument, parsed: ParsedPage, previous_entries: EntriesByKey
) -> NewVersion:
    """Return the version of a document that a page would become. Nothing is stored.

    `parsed` are the entries of the page, `previous_entries` the entries of the newest stored version
    (`current_entries`).
    """
    keys, last_values = _choose_keys_and_load_last_values(document, parsed, previous_entries)
    entries = dict(zip(keys, parsed.entries, strict=True))
    for key, entry in entries.items():
        # Of damaged XML a part was read. Its missing values are not withdrawn: the last ones stay.
        if entry.is_broken:
            last_entry = last_values.get(key, entry)  # a new entry has no last values
            entries[key] = entry.with_missing_values_from(last_entry)
    has_older_pages = bool(parsed.next_page)
    if has_older_pages:
        # Older entries are on the further pages of the feed, which were not fetched. So they stay.
        podcast = document.source.podcast
        entries |= _entries_without_counterpart(previous_entries, entries, podcast, are_newer=False)
    return NewVersion(document, page, parsed, entries, previous_entries, last_values)


def store_or_find_version(new_version: NewVersion, now: datetime) -> StoredVersion:
    """Store a version of a document: its bytes, its items, and a revision of each changed entry. Return the
    stored version.

    Store nothing if bytes and entries equal the newest version. Return that version.
    """
    document = new_version.document
    parsed = new_version.parsed
    newest_if_same_bytes = newest_version_if_unchanged(document, new_version.page)
    # Equal bytes can have other entries after an upgrade of the parser. The order counts, because items
    # store their positions.
    previous_entries = list(new_version.previous.items())
    has_same_entries = previous_entries == list(new_version.entries.items())
    if newest_if_same_bytes and has_same_entries:
        # The present parser gave these entries, so it need not parse unchanged items of the next version.
        versions = _stored_versions(document).filter(version=newest_if_same_bytes.version)
        versions.update(fingerprint=parsed.fingerprint)
        return newest_if_same_bytes
    return _store_version_with_items(
        new_version, now, foreign=parsed.foreign, fingerprint=parsed.fingerprint
    )


def store_new_entries_as_partial_version(
    suspect_version: NewVersion, now: datetime
) -> StoredVersion | None:
    """Store a version with the previous entries as they are, and the new entries of a version that looks wrong.
    Return None if no entry is new. An entry is new if no previous entry is its counterpart."""
    previous_entries = suspect_version.previous
    new_entries = _entries_without_counterpart(
        suspect_version.entries,
        previous_entries,
        suspect_version.document.source.podcast,
        are_newer=True,
    )
    if not new_entries:
        return None
    # In the order of positions: a feed lists new entries first.
    entries = {**new_entries, **previous_entries}
    # Partial: its bytes list other entries than are stored, so a page with these bytes is not "unchanged".
    partial_version = replace(suspect_version, entries=entries)
    # Without the parser's fingerprint: with it the next version would take over stored entries by the
    # positions of items in these bytes.
    return _store_version_with_items(partial_version, now, is_partial=True)


def _store_version_with_items(
    new_version: NewVersion, now: datetime, *, foreign: int = 0, **further_columns: Any
) -> StoredVersion:
    # `foreign` is the number of entries that name another show.
    document = new_version.document
    version = _next_version_number(document)
    _store_capture(
        document, new_version.page, now, version=version, foreign=foreign, **further_columns
    )
    unchanged_count = _store_items_and_count_unchanged(
        document,
        new_version.entries,
        new_version.last_values,
        version,
        now,
        are_posts=new_version.parsed.posts,
    )
    return StoredVersion(version, unchanged_count, foreign)


def _entries_without_counterpart(
    entries: EntriesByKey, other_entries: EntriesByKey, podcast: Podcast, *, are_newer: bool
) -> dict[str, EntryData]:
    """Return, by key, the entries without a counterpart in `other_entries`. A counterpart has the same key,
    or shares a match key such as ("page", "loom.example/1") and may be the same episode.

    `are_newer`: the version of the entries came after the version of `other_entries`.
    """
    other_entries_by_match_key = defaultdict[MatchKey, list[EntryData]](list)
    for other_entry in other_entries.values():
        for match_key in _entry_match_keys(other_entry, podcast):
            other_entries_by_match_key[match_key].append(other_entry)
    unmatched = {}
    for key, entry in entries.items():
        if key in other_entries:
            continue
        sharing_entries = []  # with a match key of this entry
        for match_key in _entry_match_keys(entry, podcast):
            candidates = other_entries_by_match_key[match_key]
            # A lazy feed gives all items the same page, or the same file: such a value identifies none of them.
            if len(candidates) == 1:
                sharing_entries += candidates
        if not _has_counterpart(entry, sharing_entries, podcast, is_newer=are_newer):
            unmatched[key] = entry
    return unmatched


def _has_counterpart(
    entry: EntryData, sharing_entries: Sequence[EntryData], podcast: Podcast, *, is_newer: bool
) -> bool:
    # A shared value is not enough: a feed of the newest episode alone uses page, file and title again for
    # the next.
    for sharing_entry in sharing_entries:
        older, newer = (sharing_entry, entry) if is_newer else (entry, sharing_entry)
        if not are_different_episodes(older, newer, podcast.show):
            return True
    return False


def _entry_match_keys(entry: EntryData, podcast: Podcast) -> set[MatchKey]:
    """Return the audio file, the page, and the title with its day: ("springs", "2024-05-17").

    The title is folded, as a host may print it in another way: "Springs", "12. SPRINGS!".
    """
    title = folded_letters(bare_title_and_numbers(entry.title, podcast.title).title)
    day = entry.published[:10]  # of "2024-05-17T13:00:00Z"
    match_keys = {("file", enclosure_key(entry.audio_url)), ("page", page_key(entry.url))}
    # Without an address the key is "". A link to the show's own page is of no single entry.
    show_page = page_key(podcast.channel.site_url)
    match_keys -= {("file", ""), ("page", ""), ("page", show_page)}
    return match_keys | {(title, day)}


def _next_version_number(document: Document) -> int:
    last_version = document.captures.aggregate(last=Max("version", default=0))["last"]
    return int(last_version) + 1


def _store_capture(
    document: Document,
    page: FetchedDocument,
    now: datetime,
    *,
    version: int | None,  # None of a refused copy
    **further_columns: Any,
) -> None:
    content = Content.from_bytes(page.body)
    # The update locks a row with the same bytes, so that `tidy` cannot delete it before the capture
    # is there.
    Content.objects.bulk_create(
        [content], update_conflicts=True, unique_fields=["sha256"], update_fields=["size"]
    )
    Capture.objects.create(
        document=document,
        sha256=content.sha256,
        content_type=page.content_type,
        taken_at=now,
        version=version,
        **further_columns,
    )


def _store_items_and_count_unchanged(
    document: Document,
    entries: EntriesByKey,
    last_values: EntriesByKey,
    version: int,
    now: datetime,
    *,
    are_posts: bool,
) -> int:
    """Write the items of a version, and a revision of each new or changed entry. Return the number of
    unchanged entries.

    An item is the row of an entry, a revision has its values. `last_values` are the stored ones by key.
    `are_posts`: new items are posts, which give links their titles.
    """
    item_ids = _update_stored_items_and_get_ids_by_key(document, entries, version)
    new_items = []
    for position, key in enumerate(entries, 1):
        if key not in item_ids:
            new_items.append(
                Item(
                    document=document,
                    key=key,
                    position=position,
                    is_post=are_posts,
                    first_version=version,
                )
            )
    for item in Item.objects.bulk_create(new_items, batch_size=QUERY_BATCH_SIZE):
        item_ids[item.key] = item.pk
    revisions = []
    for key, entry in entries.items():
        is_unchanged = last_values.get(key) == entry
        if not is_unchanged:
            revisions.append(
                Revision(
                    item_id=item_ids[key],
                    payload=entry.payload(),
                    version=version,
                    recorded_at=now,
                )
            )
    Revision.objects.bulk_create(revisions, batch_size=QUERY_BATCH_SIZE)
    return len(entries) - len(revisions)


def _update_stored_items_and_get_ids_by_key(
    document: Document, listed_entries: EntriesByKey, version: int
) -> dict[str, int]:
    """Write for the stored items of a document which of them a new version lists, and where. Return the ids
    of all stored items by key."""
    new_positions = {key: position for position, key in enumerate(listed_entries, 1)}
    item_ids: dict[str, int] = {}
    listed_ids: list[int] = []
    unlisted_ids: list[int] = []
    # Items that move by the same distance are updated together. Mostly there is one distance: the number of
    # new entries, which a feed lists before all others.
    ids_by_distance: dict[int, list[int]] = defaultdict(list)
    # Rows instead of objects save memory: objects for a large feed take as much as its bytes.
    rows = document.items.order_by().values_list("key", "pk", "position")
    for key, item_id, old_position in rows.iterator(500):
        item_ids[key] = item_id
        if key in new_positions:
            listed_ids.append(item_id)
            distance = new_positions[key] - old_position
            ids_by_distance[distance].append(item_id)
        else:
            unlisted_ids.append(item_id)
    _mark_vanished_items(unlisted_ids, version)
    _mark_returned_items(listed_ids, version)
    ids_by_distance.pop(0, None)  # these items stay at their positions
    for distance, moved_ids in ids_by_distance.items():
        moved = Item.objects.filter(pk__in=ids_subquery(moved_ids))
        moved.update(position=F("position") + distance)
    return item_ids


def _mark_vanished_items(unlisted_ids: Sequence[int], version: int) -> None:
    unlisted = Item.objects.filter(pk__in=ids_subquery(unlisted_ids))
    # Items that vanished before keep the version in which they did.
    unlisted.filter(gone_version=None).update(gone_version=version)


def _mark_returned_items(listed_ids: Sequence[int], version: int) -> None:
    listed = Item.objects.filter(pk__in=ids_subquery(listed_ids))
    returned_items = list(listed.filter(gone_version__isnull=False))
    for item in returned_items:
        # The first version without the item, and the version that lists it again.
        item.absences = [*item.absences, (item.gone_version, version)]
        item.gone_version = None
    columns = ["absences", "gone_version"]
    Item.objects.bulk_update(returned_items, columns, batch_size=QUERY_BATCH_SIZE)


def load_newest_entries_of_confirmed_documents(podcast: Podcast) -> list[EntryData]:
    """Return the newest values of all entries of the show's confirmed documents, except pages of any site.

    Pages of any site are searched for these entries, so they add none.
    """
    documents = Document.objects.confirmed().filter(source__podcast=podcast)
    documents = documents.exclude(source__status=Status.REMOVED)
    # LISTING_KIND reads pages of any site.
    documents = documents.exclude(source__reader=LISTING_KIND)
    revisions = Revision.objects.filter(item__document__in=documents)
    # A post of a blog is no episode. It gives links their titles.
    revisions = revisions.filter(item__is_post=False)
    oldest_first = revisions.order_by("version", "id").values_list("item_id", "payload")
    # The dict keeps the last payload of an item, which is the newest.
    newest_payloads = dict(oldest_first.iterator(2000))
    return [EntryData.from_payload(payload) for payload in newest_payloads.values()]


def listing_pages(podcast: Podcast) -> QuerySet[Document]:
    """Return the show's stored pages of any site. Their entries depend on
    `load_newest_entries_of_confirmed_documents`."""
    return (
        Document.objects.stored()
        .filter(source__podcast=podcast, source__reader=LISTING_KIND, kind="listing")
        .select_related("source__podcast")
    )


class _StoredParse(NamedTuple):
    """The result of the last parse of a version, and the fingerprint of its inputs."""

    # Unlike any result, so that the first parse counts as a change.
    parsed: ParsedPage = ParsedPage(foreign=-1)
    fingerprint: str = ""


def reparse_if_outdated_and_detect_change(
    document: Document, parse: Callable[[FetchedDocument], ParsedPage], input_fingerprint: str
) -> bool:
    """Parse the stored versions of a page of any site again, and store its items anew if an entry changed.
    Return True if one changed.

    `input_fingerprint` stands for all inputs of `parse`, such as the known episodes. If it is as before,
    nothing is parsed. Entries keep their keys. An entry with a decision stays, even if no longer listed.
    """
    captures = list(_stored_versions(document))  # a capture is the row of a version, oldest first
    # Never empty, because a page without a version is none of `listing_pages`.
    old_parses = [_load_stored_parse_or_empty(capture) for capture in captures]
    # The newest version is parsed each time, so its fingerprint is of the last inputs.
    if old_parses[-1].fingerprint == input_fingerprint:
        return False
    for capture in _versions_to_parse_again(captures):
        parsed = parse(stored_page(document, capture))
        capture.reading = _pack_parse(parsed, input_fingerprint)  # for the next comparison
        capture.foreign = parsed.foreign  # the number of entries of other shows
    Capture.objects.bulk_update(captures, ("reading", "foreign"), batch_size=QUERY_BATCH_SIZE)
    old_results = [stored.parsed for stored in old_parses]
    # Unpacked again, so that both are compared as they are stored.
    new_results = [_load_stored_parse_or_empty(capture).parsed for capture in captures]
    if new_results == old_results:
        return False
    _rebuild_items_from_versions(document, captures, new_results)
    return True


def _versions_to_parse_again(captures: Sequence[Capture]) -> list[Capture]:
    """Return the versions of the last month, and those that were never parsed.

    All versions of a page that is imported daily take long to parse. Older ones keep the result of their
    first parse.
    """
    month_before_newest = captures[-1].taken_at - timedelta(days=30)
    return [
        capture
        for capture in captures
        if capture.reading is None or capture.taken_at >= month_before_newest
    ]


def _rebuild_items_from_versions(
    document: Document, captures: Sequence[Capture], parsed_pages: Sequence[ParsedPage]
) -> None:
    """Delete the items of a document, and store them anew from the parsed pages of its versions, oldest
    first. Entries keep the keys that they had, as decisions refer to these."""
    former_entries = current_entries(document)
    Revision.objects.filter(item__document=document).delete()
    Item.objects.filter(document=document).delete()
    for capture, parsed in zip(captures, parsed_pages, strict=True):
        previous = current_entries(document)  # of the version before, which was just stored
        keys_of_version, last_values = _choose_keys_and_load_last_values(document, parsed, previous)
        # The former entries were parsed from the same bytes by an older parser.
        keys = restore_former_keys(
            keys_of_version, parsed.entries, former_entries, is_parser_new=True
        )
        entries = dict(zip(keys, parsed.entries, strict=True))
        is_newest = capture == captures[-1]
        if is_newest:
            # These entries stay, as the decisions would be about no entry otherwise.
            entries |= _unlisted_entries_with_decision_by_key(document, former_entries, entries)
        version = cast(int, capture.version)
        _store_items_and_count_unchanged(
            document, entries, last_values, version, capture.taken_at, are_posts=parsed.posts
        )


def _load_stored_parse_or_empty(capture: Capture) -> _StoredParse:
    if capture.reading is None:
        return _StoredParse()
    payload = json.loads(zlib.decompress(capture.reading))
    entries = tuple(map(EntryData.from_payload, payload["entries"]))
    parsed = ParsedPage(entries, **payload["said"])
    return _StoredParse(parsed, fingerprint=payload["known"])


def _pack_parse(parsed: ParsedPage, fingerprint: str) -> bytes:
    # Stored columns have these keys, so the keys stay.
    payload = {
        "known": fingerprint,
        "entries": [entry.payload() for entry in parsed.entries],
        "said": {"show": parsed.show, "foreign": parsed.foreign, "posts": parsed.posts},
    }
    return zlib.compress(json.dumps(payload).encode())


def _unlisted_entries_with_decision_by_key(
    document: Document, former_entries: EntriesByKey, listed_entries: EntriesByKey
) -> dict[str, EntryData]:
    """Return the former entries that the new parse no longer lists, but that a decision in force is about."""
    slug = document.source.slug
    decisions_in_force = Decision.objects.filter(podcast=document.source.podcast, ended_at=None)
    # A decision is about one entry, or about two ("these are not the same episode").
    about_first = decisions_in_force.filter(source=slug)
    about_second = decisions_in_force.filter(other_source=slug)
    decided_keys = set(about_first.values_list("item_key", flat=True))
    decided_keys.update(about_second.values_list("other_key", flat=True))
    unlisted = {}
    for key, entry in former_entries.items():
        if key in decided_keys and key not in listed_entries:
            unlisted[key] = entry
    return unlisted


def stored_page(document: Document, capture: Capture) -> FetchedDocument:
    return FetchedDocument(
        capture.body, document.url, capture.content_type, document.address.removeprefix("file:")
    )


def _choose_keys_and_load_last_values(
    document: Document, parsed: ParsedPage, previous_entries: EntriesByKey
) -> tuple[list[str], dict[str, EntryData]]:
    """Choose a key for each parsed entry, which identifies it in all versions. Return the keys in the order of
    the entries, and by key the last stored values of previous entries and of entries that came back.

    `previous_entries` are of the version before.
    """
    keys = choose_entry_keys(parsed.entries, previous_entries)
    # 1. An entry with a new key may have been in an earlier version, and come back.
    new_keys = set(keys) - previous_entries.keys()
    vanished_entries = _vanished_entries_by_key(document, new_keys)
    if vanished_entries:
        # Or the feed gives the GUID of a vanished entry to another entry, which then needs another key.
        keys = choose_entry_keys(parsed.entries, previous_entries, vanished_entries)
    # 2. An entry that would get another key, as a new parser reads another GUID or page, keeps its former
    # key, because decisions refer to it.
    last_fingerprint = _stored_versions(document).values_list("fingerprint", flat=True).last()
    is_parser_new = last_fingerprint != parsed.fingerprint
    stable_keys = restore_former_keys(
        keys, parsed.entries, previous_entries, is_parser_new=is_parser_new
    )
    last_values = {**vanished_entries, **previous_entries}
    return stable_keys, last_values


def _vanished_entries_by_key(document: Document, keys: Set[str]) -> dict[str, EntryData]:
    entries: dict[str, EntryData] = {}
    for batch in batches(sorted(keys)):
        vanished_items = document.items.filter(gone_version__isnull=False, key__in=batch)
        entries |= _last_entries(vanished_items)
    return entries


def move_documents(source: Source, old_address: str, new_address: str) -> None:
    """Store a document of a source under another address. Do nothing if a document is there already."""
    documents = Document.objects.filter(source=source)
    # Two documents at one address would each be taken for the other's next version.
    if not documents.filter(address=new_address).exists():
        documents.filter(address=old_address).update(address=new_address, etag="", last_modified="")


def store_confirmation_of_show_and_document(
    document: Document, page: FetchedDocument, *, is_document_confirmed: bool
) -> None:
    """Store that a person named the document's show, and perhaps that the document is confirmed.

    A document that was confirmed before stays so. A confirmed saved file is identified by its name from
    now on.
    """
    document.show_confirmed = True
    document.vouched = is_document_confirmed or document.vouched
    document.save(update_fields=["show_confirmed", "vouched"])
    if is_document_confirmed:
        address = page.address or f"file:{page.name}"
        move_documents(document.source, document.address, address)


def store_refused_copy_unless_repeated(
    document: Document, page: FetchedDocument, reason: str, now: datetime
) -> None:
    """Store the bytes of a refused document, for a person to look at. The same bytes, refused again
    for the same reason, are stored once a day."""
    newest_first = Capture.objects.filter(document=document).order_by("-taken_at", "-pk")
    last_copy = newest_first.values_list("sha256", "refused", "taken_at__date").first()
    is_repeated = last_copy == (stable_hash(page.body), reason, now.date())
    if not is_repeated:
        _store_capture(document, page, now, version=None, refused=reason)


def store_response_state(
    document: Document, page: FetchedDocument | None = None, *, not_before: datetime | None
) -> None:
    """Store the validators of a response for the next conditional request, and the time before which
    the server wants no request. Without a page the validators stay."""
    validators = {"etag": page.etag, "last_modified": page.last_modified} if page else {}
    Document.objects.filter(pk=document.pk).update(not_before=not_before, **validators)


def create_missing_companion_documents(source: Source, addresses: Set[str]) -> None:
    """Create a document for each transcript and chapters file that a feed offers, so that it can be
    fetched, or recognised when a person imports it."""
    stored = set(Document.objects.filter(source=source).values_list("address", flat=True))
    documents = []
    for address in addresses:
        if address not in stored:
            documents.append(Document(source=source, address=address, kind="companion"))
    Document.objects.bulk_create(documents, batch_size=500)


def store_companion_file_and_detect_change(
    document: Document,
    page: FetchedDocument,
    now: datetime,
    entries: EntriesByKey = MappingProxyType({}),
) -> bool:
    """Store a transcript or chapters as the next version of their document. Return False if nothing changed.

    `entries` has the entry of a transcript that a person imported.
    """
    previous = current_entries(document)
    if previous == entries and newest_version_if_unchanged(document, page):
        return False
    version = _next_version_number(document)
    _store_capture(document, page, now, version=version)
    _store_items_and_count_unchanged(document, entries, previous, version, now, are_posts=False)
    return True


def store_transcript_and_detect_change(
    source: Source, page: FetchedDocument, entry: EntryData, now: datetime
) -> bool:
    """Store a transcript that a person imported as the next version of the document at its address,
    with one entry. Return False if nothing changed."""
    document, _ = Document.objects.get_or_create(
        source=source, address=page.address, defaults={"kind": "companion"}
    )
    return store_companion_file_and_detect_change(document, page, now, {page.name: entry})


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


# -- deleting what nothing needs -------------------------------------------------------------------

WITHOUT_CAPTURE = ~Exists(Capture.objects.filter(sha256=OuterRef("sha256")))


@dataclass
class TidyResult:
    """Numbers of deleted rows and bytes."""

    runs: int = 0
    captures: int = 0
    contents: int = 0
    bytes: int = 0
    revisions: int = 0


def delete_unneeded_evidence(now: datetime) -> TidyResult:
    """Delete evidence that nothing needs. Return the numbers of deleted rows by kind.

    Each batch is a transaction of its own, so that imports go on.
    """
    deleted = TidyResult()
    # Days are whole, as the last run and the last change of each stay.
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    keep_runs_since = midnight - timedelta(days=30)
    keep_revisions_since = midnight - timedelta(days=90)
    for source in Source.objects.order_by("pk"):
        deleted.runs += _delete_and_count_spare_runs(source, keep_runs_since)
        deleted.revisions += _delete_and_count_spare_revisions(source, keep_revisions_since)
    # A capture is a version or a refused copy. A version is spare once no revision needs it.
    deleted.captures = _delete_and_count_spare_captures()
    # Last come bytes that no capture has any more.
    content_ids = Content.objects.filter(WITHOUT_CAPTURE).values_list("pk", flat=True)
    for batch in batches(content_ids):
        count, byte_count = _delete_contents_and_return_count_and_bytes(batch)
        deleted.contents += count
        deleted.bytes += byte_count
    return deleted


def _delete_and_count_spare_runs(source: Source, before: datetime) -> int:
    """Delete the import runs of a source before a day, but for the last run of a document, outcome and
    day. Return their number."""
    runs = IngestRun.objects.filter(source=source, started_at__lt=before).order_by()
    days = runs.annotate(day=TruncDate("started_at")).values("document", "outcome", "day")
    last_of_each = days.annotate(last=Max("pk")).values("last")
    count, _ = runs.exclude(pk__in=last_of_each).delete()
    return count


def evidence_size_in_bytes(source: Source) -> int:
    """Return the bytes of all revisions and stored copies. Copies count compressed."""
    payloads = Revision.objects.filter(item__document__source=source).annotate(
        size=Length(Cast("payload", TextField()))
    )
    copies = Capture.objects.filter(document__source=source).values("sha256")
    contents = Content.objects.filter(pk__in=copies).annotate(packed_size=Length("packed"))
    revision_bytes = payloads.aggregate(total=Sum("size", default=0))["total"]
    content_bytes = contents.aggregate(total=Sum("packed_size", default=0))["total"]
    return int(revision_bytes + content_bytes)


def _delete_and_count_spare_revisions(source: Source, before: datetime) -> int:
    """Delete revisions recorded before an instant, except the revisions that a decision, file or transcript depends
    on, and the latest changes (`thin_revisions.py`). Return how many were deleted."""
    spare_ids: list[int] = []
    for item_ids in batches(_ids_of_items_to_thin(source, before)):
        dependents = _revision_dependents_by_item_id(source, item_ids)
        for item_id, revisions in _iterate_item_ids_with_revisions(item_ids):
            spare_ids += find_spare_revision_ids(revisions, before, dependents[item_id])
    for revision_ids in batches(spare_ids):
        Revision.objects.filter(pk__in=revision_ids).delete()
    return len(spare_ids)


def _ids_of_items_to_thin(source: Source, before: datetime) -> list[int]:
    old_revisions = Revision.objects.filter(item=OuterRef("pk"), recorded_at__lt=before)
    items = Item.objects.filter(Exists(old_revisions), document__source=source)
    # The first and the last revision of an item always stay.
    with_many = items.annotate(count=Count("revisions")).filter(count__gt=2)
    return list(with_many.order_by("pk").values_list("pk", flat=True))


def _iterate_item_ids_with_revisions(
    item_ids: Sequence[int],
) -> Iterator[tuple[int, list[StoredRevision]]]:
    revisions = Revision.objects.filter(item__in=item_ids).order_by("item", "version")
    by_item_id = attrgetter("item_id")
    for item_id, revisions_of_item in groupby(revisions.iterator(2000), by_item_id):
        stored_revisions = [
            StoredRevision(revision.pk, revision.recorded_at, revision.values)
            for revision in revisions_of_item
        ]
        yield item_id, stored_revisions


def _revision_dependents_by_item_id(
    source: Source, item_ids: Sequence[int]
) -> dict[int, Dependents]:
    """Return, by item id, the decisions, files and transcripts that need old revisions of the items."""
    fetched_files = _addresses_of_fetched_companions(source)
    times_by_entry = _current_decision_times_by_entry(source.podcast)
    # All entries of the items' episodes, also of other sources.
    episode_entries = Attachment.objects.filter(episode__attachments__item__in=item_ids).distinct()
    times_by_episode = _decision_times_by_episode(episode_entries, times_by_entry)
    transcripts = episode_entries.filter(item__document__source__reader=TRANSCRIPTS_SLUG)
    episodes_with_transcript = set(transcripts.values_list("episode", flat=True))
    items = Item.objects.filter(pk__in=item_ids)
    dependents = {}
    for item_id, key, episode_id in items.values_list("pk", "key", "attachment__episode"):
        # All episodes of the items are keys, also those without decisions.
        has_episode = episode_id in times_by_episode
        if has_episode:
            decided_at = times_by_episode[episode_id]
        else:
            decided_at = times_by_entry.get((source.slug, key), [])
        has_transcript = episode_id in episodes_with_transcript
        # Of `fetched_files`, an item needs only the files that its revisions offer.
        dependents[item_id] = Dependents(decided_at, fetched_files, has_transcript)
    return dependents


def _addresses_of_fetched_companions(source: Source) -> frozenset[str]:
    # A companion is a file of a transcript or of chapters that an entry offers.
    fetched = Capture.objects.filter(document__source=source, document__kind="companion")
    return frozenset(fetched.values_list("document__address", flat=True))


def _decision_times_by_episode(
    episode_entries: QuerySet[Attachment], times_by_entry: Mapping[tuple[str, str], list[datetime]]
) -> dict[int, list[datetime]]:
    """Return the times of the decisions about any entry of an episode, as such a decision concerns all of
    its entries. `times_by_entry` goes from source and key of an entry."""
    times_by_episode: dict[int, list[datetime]] = defaultdict(list)
    columns = ("episode", "item__document__source__slug", "item__key")
    for episode_id, slug, key in episode_entries.values_list(*columns):
        times_by_episode[episode_id] += times_by_entry.get((slug, key), [])
    return times_by_episode


def _current_decision_times_by_entry(podcast: Podcast) -> dict[tuple[str, str], list[datetime]]:
    times: dict[tuple[str, str], list[datetime]] = defaultdict(list)  # by source and key
    decisions_in_force = Decision.objects.filter(podcast=podcast, ended_at=None)
    for slug, item_key, made_at in decisions_in_force.values_list("source", "item_key", "made_at"):
        times[slug, item_key].append(made_at)
    return times


def _delete_and_count_spare_captures() -> int:
    deleted_count = 0
    # All ids are read before the first row is deleted.
    spare_ids = list(_ids_of_spare_captures())
    for capture_ids in batches(spare_ids):
        count, _ = Capture.objects.filter(pk__in=capture_ids).delete()
        deleted_count += count
    return deleted_count


def _ids_of_spare_captures() -> Iterator[int]:
    # A listing is a document that lists episodes. A refused copy is no version.
    listings = Capture.objects.filter(document__kind="listing").order_by("pk")
    yield from _ids_of_versions_without_changes(listings.versions())
    yield from _ids_of_spare_refused_copies(listings.filter(version=None))


def _ids_of_versions_without_changes(versions: QuerySet[Capture]) -> Iterator[int]:
    """Yield the ids of the versions that changed no entry and can go. These versions stay:

        the newest version of a document
        the first and the last version with an item, and the first without it
        a version with a new revision

    With them the history of each entry is complete.
    """
    document = OuterRef("document")
    version: Any = OuterRef("version")
    later = Capture.objects.filter(document=document, version__gt=version)
    revisions = Revision.objects.filter(item__document=document, version=version)
    # `gone_version` is the first version without the item, so the version before it is the last with it.
    is_first_with_item = Q(first_version=version)
    is_last_with_item = Q(gone_version=version + 1)
    is_first_without_item = Q(gone_version=version)
    edge_items = Item.objects.filter(
        is_first_with_item | is_last_with_item | is_first_without_item, document=document
    )
    spare = versions.filter(Exists(later)).exclude(Exists(revisions) | Exists(edge_items))
    yield from spare.values_list("pk", flat=True)


def _ids_of_spare_refused_copies(captures: QuerySet[Capture]) -> Iterator[int]:
    """Yield the ids of the refused copies that can go. The last copy of a day stays, of the last three days on
    which a document has copies. `ingest/plausibility.py` compares these."""
    days_by_document: dict[int, set[date]] = defaultdict(set)  # with a copy that stays
    rows = captures.order_by("-taken_at", "-pk").values_list("pk", "document", "taken_at")
    for pk, document_id, taken_at in rows.iterator(2000):
        days = days_by_document[document_id]
        # The newest copy comes first, so that it is the last one of its day.
        is_earlier_on_day = taken_at.date() in days
        if is_earlier_on_day or len(days) >= 3:
            yield pk
        else:
            days.add(taken_at.date())


@transaction.atomic
def _delete_contents_and_return_count_and_bytes(candidate_ids: Sequence[str]) -> tuple[int, int]:
    """Delete the contents that still have no capture. Return the number of deleted rows and their size."""
    # They are locked and looked at again: an import may have stored the same bytes meanwhile.
    candidates = Content.objects.select_for_update().filter(pk__in=candidate_ids).defer("packed")
    locked_ids = [content.pk for content in candidates]
    contents = Content.objects.filter(WITHOUT_CAPTURE, pk__in=locked_ids)
    byte_count = contents.aggregate(total=Sum(Length("packed"), default=0))["total"]
    count, _ = contents.delete()
    return count, byte_count
