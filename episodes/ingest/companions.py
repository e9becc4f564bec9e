"""Fetches what a feed offers beside the audio, transcripts and chapters, each once, and stores them
as evidence."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TypeAlias

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from ..gather import FetchRun, store
from ..models import Capture, Document, Podcast, Source
from ..records import DocumentRejected, EntryData, FetchedDocument
from ..resolve import apply
from ..transcripts import (
    CHAPTERS,
    TRANSCRIPT,
    OfferedChapters,
    OfferedTranscript,
    check_file,
    offer,
)
from .loading import fetch_page
from .shapes import Options, Watch, is_web_address

File: TypeAlias = OfferedTranscript | OfferedChapters
SOON = timedelta(hours=1)  # many a transcript follows its episode


@dataclass(frozen=True, slots=True)
class Promise:
    """A file that a feed names: what it is to be (TRANSCRIPT or CHAPTERS), and of which type."""

    address: str
    role: str
    content_type: str


def promises(
    entries: Iterable[EntryData], language: str, failed: Collection[str] = ()
) -> list[Promise]:
    """The best transcript and the best chapters that each entry offers, each file once; the next
    best, too, of a file whose address has `failed`."""
    wanted: dict[Promise, None] = {}
    for said in entries:
        offered = offer(said.extras, language)
        roles: tuple[tuple[str, Iterable[File]], ...] = (
            (TRANSCRIPT, offered.transcripts),
            (CHAPTERS, offered.chapters),
        )
        for role, files in roles:
            for file in files:
                if is_web_address(file.address):
                    wanted[Promise(file.address, role, file.content_type)] = None
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
    run, pages = FetchRun(str(source), SOON, clock, watch), []
    due = _due(source, clock())
    for document in run.each(due):
        page = run.ask(document, partial(_fetch, due[document], options))
        store.remember_asked(document)
        if page:
            pages.append((document, page))
    if pages:
        # In one transaction, so that a show is made once for all files of a run.
        with transaction.atomic():
            podcast = Podcast.objects.select_for_update().get(pk=source.podcast_id)
            for document, page in pages:
                store.keep_companion(document, page, clock())
            apply(podcast)
    return run.told(len(pages), "transcripts and chapters read")


def _due(source: Source, now: datetime) -> dict[Document, Promise]:
    """The files that are not there and may be asked for now, those asked longest ago first."""
    stored = Capture.objects.filter(document=OuterRef("pk"), version__isnull=False)
    missing = Document.objects.filter(~Exists(stored), source=source, kind="companion")
    due = missing.exclude(not_before__gt=now).order_by(F("asked_at").asc(nulls_first=True), "pk")
    if not due.exists():
        return {}
    # A file that cannot be had must not keep the next best one away for ever.
    failed = set(missing.exclude(trouble="").values_list("address", flat=True))
    named = promises(store.said_by(source), source.podcast.language, failed)
    promise_at = {promise.address: promise for promise in named}
    store.offer_companions(source, [*promise_at])
    return {one: promise_at[one.address] for one in due if one.address in promise_at}


def _fetch(promise: Promise, options: Options) -> FetchedDocument:
    """The file that a feed promises.

    Raises:
        Unreachable: nothing answers.
        DocumentRejected: it is something else; says what.
    """
    page = fetch_page(promise.address, options)
    try:
        check_file(
            promise.role, page.body, promise.content_type, page.content_type, promise.address
        )
    except ValueError as reason:
        raise DocumentRejected(f"not a {promise.role} file: {reason}") from reason
    return page
