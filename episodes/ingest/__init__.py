"""The one way in: takes documents one after another, stores each as evidence, and brings the
catalog up to date."""

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
    move_documents,
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
from .polling import Superseded, pause_host, paused_until, schedule_host
from .transcript_files import TranscriptFile, files_at, transcript_file, uploaded_files
from .transcript_import import TranscriptImportResult, import_transcripts

__all__ = [
    "IMPLAUSIBLE",
    "Loaded",
    "Options",
    "PageDescription",
    "Report",
    "ShowPreview",
    "Subscription",
    "Superseded",
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


def said_by_key(source: Source) -> dict[tuple[str, str], EntryData]:
    """The entries of a source as they are now, by document and key."""
    documents = Document.objects.filter(source=source, kind="listing")
    return {
        (document.address, key): said
        for document in documents
        for key, said in evidence.current_entries(document).items()
    }


def ingest(
    wanted: Sequence[Target],
    options: Options,
    clock: Callable[[], datetime],
    *,
    dry_run: bool = False,
    watch: Watch = unwatched,
) -> Iterator[Report]:
    """Take the targets in turn and report on each. Each is one transaction: all of it is done, or
    nothing.

    `dry_run` does everything but fetching transcripts, chapters and images, and takes it back at
    the end. `watch` is told what is being done.
    """
    # Each is loaded when its turn comes: what is taken before may change what a server is asked for.
    loads = (load(target, options, clock(), watch) for target in wanted)
    if not dry_run:
        yield from (take_or_stop(loaded, options, clock, watch) for loaded in loads)
        return
    loaded_first = list(loads)
    # The transaction locks the database of everybody else: nothing is fetched in it.
    options = replace(options, files=False)
    with transaction.atomic():
        reports = [take(loaded, options, clock, watch) for loaded in loaded_first]
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
    """Read a configured source at its address, or note the `trouble` for which it is not read.

    A fault of ours counts as a failed reading and is logged, so that one source never stops the
    others. A database that does not answer is nobody's reading: that error goes through.

    Raises:
        Superseded: the source's plan has another token meanwhile; nothing is stored.
    """
    name = source.name(several=Podcast.objects.several())
    target = Target(name, source=source, address=source.address, token=token)
    try:
        loaded = (
            Loaded(target, trouble=trouble) if trouble else load(target, options, clock(), watch)
        )
        return take(loaded, options, clock, watch)
    except (OperationalError, InterfaceError, Superseded):
        raise
    except Exception as error:
        about = {"show": source.podcast.slug, "source": source.slug}
        logger.exception("Reading %s failed", name, extra=about)
        # Told as a failure of the source, so that it is read less often and people are told.
        fault = Unreachable(f"internal error ({type(error).__name__}); the log says more")
        return take(Loaded(target, trouble=fault), options, clock, watch)
