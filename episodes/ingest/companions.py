"""Fetches what a feed offers beside the audio, transcripts and chapters, each once, and stores them
as evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef

from ..gather import FetchRun, Unreachable, patience, sources_with, store
from ..models import Capture, Document, Podcast, Source
from ..records import DocumentRejected, EntryData, FetchedDocument
from ..resolve import apply
from ..text.urls import host_of
from ..transcripts import (
    CHAPTERS,
    TRANSCRIPT,
    OfferedChapters,
    OfferedTranscript,
    check_file,
    offer,
)
from .loading import fetch_page
from .shapes import LONGEST_ADDRESS, Options, Watch

NEVER = datetime(1, 1, 1, tzinfo=UTC)
SOON = timedelta(hours=1)  # many a transcript follows its episode


@dataclass(frozen=True, slots=True)
class Promise:
    """A file that a feed names: what it is to be (TRANSCRIPT or CHAPTERS), and of which type."""

    address: str
    role: str
    content_type: str


def promises(said: EntryData, language: str) -> list[list[Promise]]:
    """The transcripts and the chapters that an entry offers, each the best first."""
    offered = offer(said.extras, language)
    files_of: Sequence[tuple[str, Sequence[OfferedTranscript | OfferedChapters]]] = (
        (TRANSCRIPT, offered.transcripts),
        (CHAPTERS, offered.chapters),
    )
    return [
        [
            Promise(file.address, role, file.content_type)
            for file in files
            if len(file.address.encode("utf-8", "replace")) <= LONGEST_ADDRESS
        ]
        for role, files in files_of
    ]


def all_promises(entries: Iterable[EntryData], language: str) -> list[Promise]:
    """All files that entries offer, each once."""
    found = (one for said in entries for kind in promises(said, language) for one in kind)
    return list(dict.fromkeys(found))


def fetch_missing(
    source: Source, options: Options, clock: Callable[[], datetime], watch: Watch
) -> str:
    """Fetch what the source's feed names and nobody has yet; what came of it in words, "" where
    there was nothing.

    Of several transcripts of an episode the best is asked for; where it cannot be had, the next run
    asks for the next one. What could not be had is asked for again after an hour, then less and
    less often.
    """
    run, pages = FetchRun(), []
    for document, promise in _waiting(source, clock()):
        if not run.may_ask(promise.address):
            continue
        watch(f"{source}: fetching {promise.address}")
        try:
            page = checked(fetch_page(promise.address, options), [promise])
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
    """The files to ask for now: of each episode and kind the best that is not there and may be
    asked for, unless a better one is there. Those asked longest ago come first."""
    documents = Document.objects.filter(source=source, kind="companion")
    stored = Capture.objects.filter(document=OuterRef("pk"), version__isnull=False)
    there = set(documents.filter(Exists(stored)).values_list("address", flat=True))
    missing = documents.filter(~Exists(stored)).exclude(not_before__gt=now)
    due = {document.address: document for document in missing}
    named = there | due.keys()
    wanted: dict[str, tuple[Document, Promise]] = {}
    for said in store.said_by(source) if due else ():
        for offered in promises(said, source.podcast.language):
            best = next((one for one in offered if one.address in named), None)
            if best and best.address in due:
                wanted.setdefault(best.address, (due[best.address], best))
    return sorted(wanted.values(), key=lambda asked: asked[0].asked_at or NEVER)


def checked(page: FetchedDocument, promised: Sequence[Promise]) -> FetchedDocument:
    """The page, if it is what a feed promises; where nobody knows what it is to be, a transcript or
    chapters.

    Raises:
        DocumentRejected: says why.
    """
    reasons = []
    address = page.address or page.name
    for promise in promised or [Promise(address, role, "") for role in (TRANSCRIPT, CHAPTERS)]:
        try:
            check_file(promise.role, page.body, promise.content_type, page.content_type, address)
        except ValueError as reason:
            reasons.append(f"not a {promise.role} file: {reason}")
        else:
            return page
    raise DocumentRejected("; ".join(dict.fromkeys(reasons)))


def promised_at(document: Document) -> list[Promise]:
    """The uses for which the feed of its source offers a companion."""
    offered = all_promises(store.said_by(document.source), document.source.podcast.language)
    return [promise for promise in offered if promise.address == document.address]


def waits_for(address: str, sources: Sequence[Source]) -> Document | None:
    """The companion that a document at this address is, where a feed named it and no source has it
    as its own page; of several shows' the first show's."""
    if not host_of(address) or sources_with(FetchedDocument(b"", address), sources):
        return None
    found = Document.objects.filter(kind="companion", address=address, source__in=sources)
    return found.select_related("source__podcast").order_by("source__podcast__rank", "pk").first()
