"""Transcripts and chapters that a feed offers beside the audio: fetches each file once, and stores it as
evidence."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeAlias

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from ..gather import FetchRun, evidence, within_seconds
from ..models import Capture, Document, Item, Podcast, Source
from ..records import DocumentRejected, EntryData, FetchedDocument
from ..resolve import apply
from ..transcripts import (
    OfferedChapters,
    OfferedTranscript,
    check_file,
    offer,
)
from .load_document import Options, Watch, fetch_page, is_web_address
from .polling import are_files_paused, pause_files

File: TypeAlias = OfferedTranscript | OfferedChapters
SOON = timedelta(hours=1)  # many a transcript follows its episode
ASKED = (
    "asked_at",
    "trouble",
    "not_before",
    "failures",
)  # columns that say how asking for a file went
MOST_SECONDS = 20  # of CPU for a file: five times what the largest transcript takes that is read


def promises(
    entries: Iterable[EntryData], language: str, failed: Collection[str] = ()
) -> list[File]:
    """The best transcript and the best chapters that each entry offers, each file once; the next
    best, too, of a file whose address has `failed`."""
    wanted: dict[File, None] = {}
    for said in entries:
        offered = offer(said.extras, language)
        files: Sequence[File]
        for files in (offered.transcripts, offered.chapters):
            for file in files:
                if is_web_address(file.address):
                    wanted[file] = None
                    if file.address not in failed:
                        break
    return list(wanted)


def fetch_missing(
    source: Source, options: Options, clock: Callable[[], datetime], watch: Watch
) -> str:
    """Fetch what the source's feed names and nobody has yet; what came of it in words, "" where
    there was nothing.

    What could not be had is asked for again after an hour, then less and less often.
    """
    if are_files_paused(source, clock()) and not options.now:
        return ""
    run, pages = FetchRun(str(source), SOON, clock, watch), []
    due = _due(source, clock())
    for document in run.each(due):
        document.save(update_fields=ASKED)
        page = run.ask(document, partial(_fetch, due[document], options, source.login))
        document.save(update_fields=ASKED)
        if page:
            pages.append((document, page))
    if pages:
        # In one transaction, so that a show is made once for all files of a run.
        with transaction.atomic():
            podcast = Podcast.objects.select_for_update().get(pk=source.podcast_id)
            for document, page in pages:
                evidence.store_companion(document, page, clock())
            apply(podcast)
    if run.took_too_much:
        pause_files(source, clock())
    return run.told(len(pages), "transcripts and chapters read")


def _due(source: Source, now: datetime) -> dict[Document, File]:
    """The files that are not there and may be asked for now, those asked longest ago first."""
    stored = Capture.objects.filter(document=OuterRef("pk"), version__isnull=False)
    missing = Document.objects.filter(~Exists(stored), source=source, kind="companion")
    due = missing.exclude(not_before__gt=now).order_by(F("asked_at").asc(nulls_first=True), "pk")
    if not due.exists():
        return {}
    # A file that cannot be had must not keep the next best one away for ever.
    failed = set(missing.exclude(trouble="").values_list("address", flat=True))
    items = Item.objects.filter(document__source=source, is_post=False)
    # In the order in which the source lists them.
    listed = evidence.current_revisions(items).values_list("payload", flat=True)
    entries = [EntryData.from_payload(payload) for payload in listed]
    named = promises(entries, source.podcast.language, failed)
    promise_at = {promise.address: promise for promise in named}
    evidence.create_companion_documents(source, [*promise_at])
    return {one: promise_at[one.address] for one in due if one.address in promise_at}


def _fetch(promise: File, options: Options, login: str) -> FetchedDocument:
    """The file that a feed promises.

    Raises:
        Unreachable: nothing answers.
        DocumentRejected: it is something else; says what.
    """
    page = fetch_page(promise.address, options, login)
    about = promise.content_type, page.content_type, promise.address
    try:
        within_seconds(MOST_SECONDS, check_file, promise.role, page.body, *about)
    except ValueError as reason:
        raise DocumentRejected(f"not a {promise.role} file: {reason}") from reason
    return page
