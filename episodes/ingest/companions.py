"""Fetches what a feed offers beside the audio: transcripts and chapters, each once, and stores them as evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import QuerySet

from ..gather import store
from ..gather.fetch import Unreachable, fetch
from ..models import Capture, Document, Podcast, Source
from ..records import Page, Refused, Said
from ..resolve import chapters
from ..resolve.apply import apply
from ..resolve.companions import offer, transcript
from .shapes import LONGEST_ADDRESS, Options

MOST = 100  # files that one run fetches; the next goes on


def addresses(entries: Iterable[Said], language: str) -> list[str]:
    """The files that are worth having: of each entry the best transcript, and its chapters."""
    found: list[str] = []
    for said in entries:
        offered = offer(said.extras, language)
        found += [address for address, _ in (*offered.transcripts[:1], *offered.chapters[:1])]
    return [a for a in dict.fromkeys(found) if len(a.encode("utf-8", "replace")) <= LONGEST_ADDRESS]


def fetch_missing(source: Source, options: Options, clock: Callable[[], datetime], watch: Callable[[str], None]) -> str:
    """Fetch what the source's feed names and nobody has yet; what came of it in words, "" where there was nothing."""
    waiting = list(missing(source)[: MOST + 1])
    pages: list[tuple[Document, Page]] = []
    troubles: list[str] = []
    for document in waiting[:MOST]:
        watch(f"{source.slug}: asking {document.address}")
        try:
            pages.append((document, check(fetch(document.address, allow=options.allow))))
        except (Unreachable, Refused) as trouble:
            troubles.append(f"{document.address}: {trouble}")
    if pages:
        with transaction.atomic():
            podcast = Podcast.objects.select_for_update().get(pk=source.podcast_id)
            for document, page in pages:
                store.keep_companion(document, page, clock())
            apply(podcast)
    return _told(len(pages), troubles, more=len(waiting) > MOST)


def _told(taken: int, troubles: Sequence[str], *, more: bool) -> str:
    if not taken and not troubles:
        return ""
    words = [f"{taken} transcripts and chapters read"]
    if troubles:
        words.append(f"{len(troubles)} could not be, the first {troubles[0]}")
    if more:
        words.append("the rest next time")
    return "; ".join(words)


def missing(source: Source) -> QuerySet[Document]:
    """What the newest feed names and nobody has, the newest episodes' first."""
    there = Capture.objects.filter(version__isnull=False).values("document")
    return Document.objects.filter(source=source, kind="companion").exclude(pk__in=there).order_by("pk")


def check(page: Page | None) -> Page:
    """The page, if it is a transcript or chapters.

    Raises:
        Refused: says why.
    """
    if page is None:
        raise Refused("the server said that nothing changed, and nothing was stored")
    try:
        transcript(page.body, page.content_type, page.address or page.name)
    except ValueError as reason:
        try:
            chapters.from_json(page.body)
        except ValueError:
            raise Refused(f"no transcript and no chapters: {reason}") from None
    return page


def waits_for(address: str, sources: Sequence[Source]) -> Document | None:
    """The companion that a document at this address is, where a feed named it."""
    if not address or not urlsplit(address).hostname:
        return None
    found = Document.objects.filter(kind="companion", address=address, source__in=sources)
    return found.select_related("source__podcast").order_by("pk").first()
