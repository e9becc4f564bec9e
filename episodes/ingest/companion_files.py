"""Fetches the transcripts and chapters that a feed offers, each file once, and stores them as evidence."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeAlias

from django.db import transaction
from django.db.models import F

from ..gather import FetchRun, evidence, within_seconds
from ..models import Document, Item, Podcast, Source
from ..records import DocumentRejected, EntryData, FetchedDocument
from ..resolve import update_catalog
from ..transcripts import (
    ChaptersFile,
    LinkedTranscript,
    files_of_rows,
    raise_unless_transcript_or_chapters,
)
from .load_document import ImportOptions, ProgressCallback, fetch_page, is_storable_web_address
from .polling import are_files_paused, pause_files

OfferedFile: TypeAlias = LinkedTranscript | ChaptersFile


def create_documents_and_get_files_by_address(
    source: Source, entries: Iterable[EntryData], failed_addresses: Collection[str] = ()
) -> dict[str, OfferedFile]:
    """Create the missing documents of the best transcript and the best chapters that each entry offers. Return
    these files by address. If an address is in `failed_addresses`, the next best file is one of them, too."""
    files: list[OfferedFile] = []
    for entry in entries:
        files_of_entry = files_of_rows(entry.extras, source.podcast.language)
        files += _files_up_to_first_usable(files_of_entry.transcripts, failed_addresses)
        files += _files_up_to_first_usable(files_of_entry.chapters, failed_addresses)
    file_by_address = {file.address: file for file in files}
    evidence.create_missing_companion_documents(source, file_by_address.keys())
    return file_by_address


def _files_up_to_first_usable(
    files: Sequence[OfferedFile], failed_addresses: Collection[str]
) -> Iterator[OfferedFile]:
    # A failed file is due again later. Meanwhile the next best file replaces it.
    for file in files:
        if is_storable_web_address(file.address):
            yield file
            if file.address not in failed_addresses:
                return


def fetch_due_companion_files_and_summarize(
    source: Source,
    options: ImportOptions,
    clock: Callable[[], datetime],
    on_progress: ProgressCallback,
) -> str:
    """Fetch the files that the source's feed offers and that are not stored yet. Return a note for the
    report, "" if there was none to fetch.

    A failed file is retried after an hour, then less and less often.
    """
    if are_files_paused(source, clock()) and not options.now:
        return ""
    # The first retry is soon: many a transcript follows its episode.
    run = FetchRun(str(source), timedelta(hours=1), clock, on_progress)
    fetched_pages = []
    columns_of_fetch = ("asked_at", "trouble", "not_before", "failures")  # that the run sets
    due_file_by_document = _create_and_find_due_files_by_document(source, clock())
    for document in run.iterate_rows_to_fetch_and_count_attempts(due_file_by_document):
        # Saved before the request too: if the process is killed, other files have their turn first.
        document.save(update_fields=columns_of_fetch)
        fetch_file = partial(
            _fetch_and_check_file, due_file_by_document[document], options, source.login
        )
        page = run.fetch_or_none_and_set_row_outcome(document, fetch_file)
        document.save(update_fields=columns_of_fetch)
        if page:
            fetched_pages.append((document, page))
    if fetched_pages:
        _store_files_and_resolve_show(source, fetched_pages, clock)
    if run.exceeded_limit:
        pause_files(source, clock())
    return run.summary_or_blank(len(fetched_pages), "transcripts and chapters read")


def _store_files_and_resolve_show(
    source: Source,
    fetched_pages: Sequence[tuple[Document, FetchedDocument]],
    clock: Callable[[], datetime],
) -> None:
    # In one transaction, so that the show is resolved once for all files of a run.
    with transaction.atomic():
        podcast = Podcast.objects.select_for_update().get(pk=source.podcast_id)
        for document, page in fetched_pages:
            evidence.store_companion_file_and_detect_change(document, page, clock())
        update_catalog(podcast)


def _create_and_find_due_files_by_document(
    source: Source, now: datetime
) -> dict[Document, OfferedFile]:
    """Return the offered files to fetch now by their document, the least recently requested first. Create
    missing documents."""
    companions = Document.objects.filter(source=source, kind="companion")
    # A document is created when a feed offers its file, and stored once the file is fetched.
    not_stored = companions.exclude(pk__in=companions.stored())
    due_documents = not_stored.exclude(not_before__gt=now)
    # Without a due document no file of the feed is looked up. Mostly all files are stored.
    if not due_documents.exists():
        return {}
    failed_addresses = set(not_stored.exclude(trouble="").values_list("address", flat=True))
    # The import creates the documents of the best files. Here a file that has failed gets a substitute.
    file_by_address = create_documents_and_get_files_by_address(
        source, _newest_entries(source), failed_addresses
    )
    due_file_by_document = {}
    # This query has the created documents, too. `asked_at` is the time of the last request.
    for document in due_documents.order_by(F("asked_at").asc(nulls_first=True), "pk"):
        # The feed may offer the file no longer.
        if document.address in file_by_address:
            due_file_by_document[document] = file_by_address[document.address]
    return due_file_by_document


def _newest_entries(source: Source) -> list[EntryData]:
    items = Item.objects.filter(document__source=source, is_post=False)
    payloads = evidence.current_revisions(items).values_list("payload", flat=True)
    return [EntryData.from_payload(payload) for payload in payloads]


def _fetch_and_check_file(file: OfferedFile, options: ImportOptions, login: str) -> FetchedDocument:
    """Return the file.

    Raises:
        Unreachable: the server does not give it.
        DocumentRejected: it is in another format, or takes too long to parse.
    """
    page = fetch_page(file.address, options, login)
    max_seconds = 20  # of CPU: five times the time for the largest transcript that is accepted
    try:
        # `raise_unless_transcript_or_chapters` raises ValueError for a file in another format.
        within_seconds(
            max_seconds,
            raise_unless_transcript_or_chapters,
            file.role,
            page.body,
            file.content_type,
            page.content_type,
            file.address,
        )
    except ValueError as reason:
        raise DocumentRejected(f"not a {file.role} file: {reason}") from reason
    return page
