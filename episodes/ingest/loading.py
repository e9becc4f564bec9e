"""Loads a document: from a server, politely, or from a file; or not at all, where the server asked to wait."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet

from ..gather import LONGEST_WAIT, Unreachable, fetch, store
from ..models import Document, Source
from ..records import DocumentRejected, FetchedDocument
from .readings import Waiting
from .shapes import Loaded, Options, Target, largest, printable


def conditions(target: Target, now: datetime) -> tuple[str, str, Waiting | None]:
    """ETag, Last-Modified and a reason not to ask at all."""
    if not target.address or target.document:
        return "", "", None
    document = known_at(target.address, target.source).first()
    if document is None:
        return "", "", None
    wait = _left_alone(document.not_before, now)
    # Only a document that is stored can be said to be unchanged.
    stored = document.captures.filter(version__isnull=False).exists()
    return (document.etag, document.last_modified, wait) if stored else ("", "", wait)


def _left_alone(until: datetime | None, now: datetime) -> Waiting | None:
    # An older version kept what servers asked for without a limit.
    if not until or not now < until <= now + LONGEST_WAIT:
        return None
    words = f"the server asked us to wait until {until:%Y-%m-%d %H:%M} UTC; --now asks all the same"
    return Waiting(words, int((until - now).total_seconds()) + 1)


def known_at(address: str, source: Source | None) -> QuerySet[Document]:
    """The documents at an address: of the source, where one is named; another show's may be at the same."""
    found = Document.objects.filter(address=address).order_by("id")
    # A feed may call any address its transcript: that says nothing of the page that is there.
    return found.filter(source=source) if source else found.filter(kind="listing")


def load(plan: tuple[Target, str, str, Waiting | None], options: Options, watch: Callable[[str], None]) -> Loaded:
    target, etag, last_modified, wait = plan
    if target.document:
        return Loaded(target)  # read when its turn comes: what is taken before may change it
    if target.path:
        try:
            if target.path.stat().st_size > largest():
                return Loaded(
                    target, trouble=DocumentRejected(f"it is larger than {settings.DOCUMENT_MB} MB (DOCUMENT_MB)")
                )
            return Loaded(
                target, FetchedDocument(target.path.read_bytes(), options.url, name=printable(target.path.name))
            )
        except OSError as error:
            return Loaded(target, trouble=DocumentRejected(f"cannot be read: {error.strerror}"))
    if wait and not options.now:
        return Loaded(target, trouble=wait)
    watch(f"{target.name}: fetching {target.address}")
    try:
        page = fetch(
            target.address,
            etag=etag,
            last_modified=last_modified,
            allow=options.allow,
            max_bytes=options.largest or largest(),
            max_seconds=options.seconds,
        )
        return Loaded(target, page)
    except Unreachable as trouble:
        return Loaded(target, trouble=trouble)


def stored_page(document: Document) -> FetchedDocument:
    capture = store.newest(document)
    return store.page_of(document, capture) if capture else FetchedDocument(b"", document.url)
