"""Imports documents: loads each, stores it as evidence, and updates the catalog."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import InterfaceError, OperationalError, transaction

from ..gather import Unreachable, evidence, parse_subscriptions
from ..listings import Subscription
from ..models import Document, Podcast, Source
from ..records import EntryData
from .add_show import (
    add_shows_and_yield_reports,
    fetch_feed_or_linked_feed,
    preview_show,
)
from .find_source import (
    PageDescription,
    build_unsaved_podcast,
    describe_source_for_page,
    find_or_create_source,
    podcast_columns_of_channel,
    store_typed_entries_and_get_items,
    unsaved_feed_source,
)
from .importer import (
    import_document,
    import_or_report_outage,
    reparse_pages_and_resolve_changed_shows,
)
from .load_document import (
    ImportOptions,
    ImportReport,
    ImportTarget,
    LoadedDocument,
    ProgressCallback,
    UsageError,
    address_key,
    fetch_page,
    find_selected_or_all_targets,
    find_show_or_only_show,
    ignore_progress,
    import_options,
    is_storable_web_address,
    load_document_or_error,
    max_document_bytes,
    reader_titles,
    sources_of_named_show_or_all,
    unpack_document,
)
from .plausibility import IMPLAUSIBLE_REASON, reparse_listing_pages_and_detect_change
from .polling import LostClaim, pause_host, paused_until, schedule_host
from .transcript_files import (
    TranscriptFile,
    build_transcript_file_or_trouble,
    files_of_upload,
    find_transcript_files,
)
from .transcript_import import TranscriptImportResult, import_transcripts

__all__ = [
    "IMPLAUSIBLE_REASON",
    "ImportOptions",
    "ImportReport",
    "ImportTarget",
    "LoadedDocument",
    "LostClaim",
    "PageDescription",
    "Subscription",
    "TranscriptFile",
    "TranscriptImportResult",
    "Unreachable",
    "UsageError",
    "add_shows_and_yield_reports",
    "address_key",
    "build_transcript_file_or_trouble",
    "build_unsaved_podcast",
    "current_entries_by_address_and_key",
    "describe_source_for_page",
    "fetch_and_import_source",
    "fetch_feed_or_linked_feed",
    "fetch_page",
    "files_of_upload",
    "find_or_create_source",
    "find_selected_or_all_targets",
    "find_show_or_only_show",
    "find_transcript_files",
    "import_document",
    "import_options",
    "import_transcripts",
    "is_storable_web_address",
    "iterate_import_reports",
    "load_document_or_error",
    "max_document_bytes",
    "move_documents",
    "parse_subscriptions",
    "pause_host",
    "paused_until",
    "podcast_columns_of_channel",
    "preview_show",
    "reader_titles",
    "reparse_listing_pages_and_detect_change",
    "reparse_pages_and_resolve_changed_shows",
    "schedule_host",
    "sources_of_named_show_or_all",
    "store_typed_entries_and_get_items",
    "unpack_document",
    "unsaved_feed_source",
]

logger = logging.getLogger(__name__)

move_documents = evidence.move_documents


def current_entries_by_address_and_key(source: Source) -> dict[tuple[str, str], EntryData]:
    entries = {}
    for document in Document.objects.filter(source=source, kind="listing"):
        for key, entry in evidence.current_entries(document).items():
            entries[document.address, key] = entry
    return entries


def iterate_import_reports(
    targets: Sequence[ImportTarget],
    options: ImportOptions,
    clock: Callable[[], datetime],
    *,
    dry_run: bool = False,
    on_progress: ProgressCallback = ignore_progress,
) -> Iterator[ImportReport]:
    """Import the targets in turn, and report on each. Each is one transaction.

    `dry_run` does everything but fetching transcripts, chapters and images, and rolls it back at the
    end. `on_progress` is called with messages about the progress.
    """
    if not dry_run:
        for target in targets:
            # Loaded in its turn: an import before it may change what is requested from a server.
            loaded = load_document_or_error(target, options, clock(), on_progress)
            yield import_or_report_outage(loaded, options, clock, on_progress)
        return
    # The transaction locks the database of everybody else, so nothing is fetched in it.
    loaded_targets = [
        load_document_or_error(target, options, clock(), on_progress) for target in targets
    ]
    options_without_files = replace(options, files=False)
    with transaction.atomic():
        reports = [
            import_document(loaded, options_without_files, clock, on_progress)
            for loaded in loaded_targets
        ]
        transaction.set_rollback(True)
    # A caller takes its time between two reports, and must not hold the transaction open meanwhile.
    yield from reports


def fetch_and_import_source(
    source: Source,
    options: ImportOptions,
    clock: Callable[[], datetime],
    on_progress: ProgressCallback = ignore_progress,
    *,
    token: str = "",
    fetch_error: Unreachable | None = None,
) -> ImportReport:
    """Import a configured source from its address, or record the `fetch_error` why it is not fetched.

    `token` is of the worker's claim on the source, "" without a worker. An error of the program is
    logged and counts as a failed poll, so that one source never stops the others. An error of the
    database is raised: it is no failure of the source.

    Raises:
        LostClaim: the source's plan has another token meanwhile. Nothing is stored.
    """
    name = source.name(several=Podcast.objects.several())
    target = ImportTarget(name, source=source, address=source.address, token=token)
    try:
        if fetch_error:
            loaded = LoadedDocument(target, error=fetch_error)
        else:
            loaded = load_document_or_error(target, options, clock(), on_progress)
        return import_document(loaded, options, clock, on_progress)
    except (OperationalError, InterfaceError, LostClaim):
        raise
    except Exception as error:
        log_values = {"show": source.podcast.slug, "source": source.slug}
        logger.exception("Reading %s failed", name, extra=log_values)
        # Recorded like a server that does not answer: the source is polled less often, and people are
        # notified.
        failure = Unreachable(f"internal error ({type(error).__name__}); the log says more")
        return import_document(LoadedDocument(target, error=failure), options, clock, on_progress)
