"""Loads a document: from a server, politely, or from a file; or not at all, where the server asked to wait."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db.models import QuerySet

from ..gather import Unreachable, fetch, store
from ..models import Document, Source
from ..records import DocumentRejected, FetchedDocument
from .shapes import LARGEST, Loaded, Options, Target, printable


def conditions(target: Target, now: datetime) -> tuple[str, str, str]:
    """ETag, Last-Modified and a reason not to ask at all."""
    if not target.address or target.document:
        return "", "", ""
    document = known_at(target.address, target.source).first()
    if document is None:
        return "", "", ""
    wait = document.not_before
    reason = f"the server asked us to wait until {wait:%Y-%m-%d %H:%M} UTC" if wait and wait > now else ""
    # Only a document that is stored can be said to be unchanged.
    stored = document.captures.filter(version__isnull=False).exists()
    return (document.etag, document.last_modified, reason) if stored else ("", "", reason)


def known_at(address: str, source: Source | None) -> QuerySet[Document]:
    """The documents at an address: of the source, where one is named; another show's may be at the same."""
    found = Document.objects.filter(address=address).order_by("id")
    return found.filter(source=source) if source else found


def load(plan: tuple[Target, str, str, str], options: Options, watch: Callable[[str], None]) -> Loaded:
    target, etag, last_modified, wait = plan
    if target.document:
        return Loaded(target)  # read when its turn comes: what is taken before may change it
    if target.path:
        try:
            if target.path.stat().st_size > LARGEST:
                return Loaded(target, trouble=DocumentRejected(f"it is larger than {LARGEST // 1_000_000} MB"))
            return Loaded(
                target, FetchedDocument(target.path.read_bytes(), options.url, name=printable(target.path.name))
            )
        except OSError as error:
            return Loaded(target, trouble=DocumentRejected(f"cannot be read: {error.strerror}"))
    if wait:
        return Loaded(target, trouble=Unreachable(wait))
    watch(f"{target.name}: fetching {target.address}")
    try:
        return Loaded(target, fetch(target.address, etag=etag, last_modified=last_modified, allow=options.allow))
    except Unreachable as trouble:
        return Loaded(target, trouble=trouble)


def stored_page(document: Document) -> FetchedDocument:
    capture = store.newest(document)
    if capture is None:
        return FetchedDocument(b"", document.url)
    return FetchedDocument(capture.body, document.url, capture.content_type, document.address.removeprefix("file:"))
