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
from .add_show import ShowPreview, add_shows, find_feed, preview
from .find_source import (
    PageDescription,
    by_hand,
    describe,
    feed_columns,
    feed_row,
    show_row,
)
from .importer import parse_stored_pages, take, take_or_stop
from .load_document import (
    Loaded,
    Options,
    Report,
    Target,
    Unknown,
    Watch,
    fetch_page,
    import_options,
    is_web_address,
    largest,
    load,
    reader_titles,
    same_address,
    show_named,
    targets,
    unwatched,
)
from .plausibility import IMPLAUSIBLE, read_again
from .polling import LostClaim, pause_host, paused_until, schedule_host
from .transcript_files import TranscriptFile, files_at, transcript_file, uploaded_files
from .transcript_import import TranscriptImportResult, import_transcripts

__all__ = [
    "IMPLAUSIBLE",
    "Loaded",
    "LostClaim",
    "Options",
    "PageDescription",
    "Report",
    "ShowPreview",
    "Subscription",
    "Target",
    "TranscriptFile",
    "TranscriptImportResult",
    "Unknown",
    "Unreachable",
    "add_shows",
    "by_hand",
    "describe",
    "feed_columns",
    "feed_row",
    "fetch_page",
    "files_at",
    "find_feed",
    "import_options",
    "import_transcripts",
    "ingest",
    "is_web_address",
    "largest",
    "load",
    "move_documents",
    "parse_stored_pages",
    "parse_subscriptions",
    "pause_host",
    "paused_until",
    "preview",
    "read_again",
    "read_source",
    "reader_titles",
    "said_by_key",
    "same_address",
    "schedule_host",
    "show_named",
    "show_row",
    "take",
    "targets",
    "transcript_file",
    "uploaded_files",
]

logger = logging.getLogger(__name__)

move_documents = evidence.move_documents


def said_by_key(source: Source) -> dict[tuple[str, str], EntryData]:
    """Return the current entries of a source by the address of their document and their key."""
    entries = {}
    for document in Document.objects.filter(source=source, kind="listing"):
        for key, entry in evidence.current_entries(document).items():
            entries[document.address, key] = entry
    return entries


def ingest(
    import_targets: Sequence[Target],
    options: Options,
    clock: Callable[[], datetime],
    *,
    dry_run: bool = False,
    watch: Watch = unwatched,
) -> Iterator[Report]:
    """Import the targets in turn, and report on each. Each is one transaction.

    `dry_run` does everything but fetching transcripts, chapters and images, and rolls it back at the
    end. `watch` is called with messages about the progress.
    """
    if not dry_run:
        for target in import_targets:
            # Loaded in its turn: an import before it may change what is requested from a server.
            loaded = load(target, options, clock(), watch)
            yield take_or_stop(loaded, options, clock, watch)
        return
    # The transaction locks the database of everybody else, so nothing is fetched in it.
    loaded_targets = [load(target, options, clock(), watch) for target in import_targets]
    options = replace(options, files=False)
    with transaction.atomic():
        reports = [take(loaded, options, clock, watch) for loaded in loaded_targets]
        transaction.set_rollback(True)
    yield from reports


def read_source(
    source: Source,
    options: Options,
    clock: Callable[[], datetime],
    watch: Watch = unwatched,
    *,
    token: str = "",
    trouble: Unreachable | None = None,
) -> Report:
    """Import a configured source from its address, or record the `trouble` why it is not fetched.

    An error of the program is logged and counts as a failed poll, so that one source never stops the
    others. An error of the database is raised: it is no failure of the source.

    Raises:
        LostClaim: the source's plan has another token meanwhile. Nothing is stored.
    """
    name = source.name(several=Podcast.objects.several())
    target = Target(name, source=source, address=source.address, token=token)
    try:
        if trouble:
            loaded = Loaded(target, trouble=trouble)
        else:
            loaded = load(target, options, clock(), watch)
        return take(loaded, options, clock, watch)
    except (OperationalError, InterfaceError, LostClaim):
        raise
    except Exception as error:
        log_values = {"show": source.podcast.slug, "source": source.slug}
        logger.exception("Reading %s failed", name, extra=log_values)
        # As a failure of the source, so that it is polled less often and people are notified.
        failure = Unreachable(f"internal error ({type(error).__name__}); the log says more")
        return take(Loaded(target, trouble=failure), options, clock, watch)
