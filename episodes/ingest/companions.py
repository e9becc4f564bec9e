"""Fetches what a feed offers beside the audio, transcripts and chapters, each once, and stores them
as evidence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from ..gather import FetchRun, Unreachable, patience, store
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
    run, pages = FetchRun(), []
    for document, promise in _waiting(source, clock()):
        if not run.may_ask(promise.address):
            continue
        watch(f"{source}: fetching {promise.address}")
        try:
            page = checked(fetch_page(promise.address, options), promise)
        except (Unreachable, DocumentRejected) as trouble:
            now, wait = clock(), run.failed(promise.address, trouble)
            again = now + max(wait, patience(document.asked_at, document.not_before, SOON))
            store.remember_asked(document, now, str(trouble), again)
        else:
            store.remember_asked(document, clock(), "")
            pages.append((document, page))
    if pages:
        with transaction.atomic():
            podcast = Podcast.objects.select_for_update().get(pk=source.podcast_id)
            for document, page in pages:
                store.keep_companion(document, page, clock())
            apply(podcast)
    return run.told(len(pages), "transcripts and chapters read")


def _waiting(source: Source, now: datetime) -> list[tuple[Document, Promise]]:
    """The files that are not there and may be asked for now, those asked longest ago first."""
    stored = Capture.objects.filter(document=OuterRef("pk"), version__isnull=False)
    documents = Document.objects.filter(~Exists(stored), source=source, kind="companion")
    missing = documents.exclude(not_before__gt=now)
    failed = set(documents.exclude(trouble="").values_list("address", flat=True))
    named = promises(store.said_by(source) if missing else (), source.podcast.language, failed)
    promise_at = {promise.address: promise for promise in named}
    store.offer_companions(source, [*promise_at])
    due = missing.order_by(F("asked_at").asc(nulls_first=True), "pk")
    return [(one, promise_at[one.address]) for one in due if one.address in promise_at]


def checked(page: FetchedDocument, promise: Promise) -> FetchedDocument:
    """The page, if it is what a feed promises.

    Raises:
        DocumentRejected: says why.
    """
    try:
        check_file(
            promise.role, page.body, promise.content_type, page.content_type, promise.address
        )
    except ValueError as reason:
        raise DocumentRejected(f"not a {promise.role} file: {reason}") from reason
    return page
