"""Loads a document: from a server, politely, or from a file; or not at all, where the server asked
to wait."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from ..gather import Unreachable, fetch, with_older_pages
from ..models import Capture, Document, Source
from ..records import DocumentRejected, FetchedDocument
from .shapes import Loaded, Options, Target, Watch, largest, printable, unwatched


def known_at(address: str, source: Source | None) -> QuerySet[Document]:
    """The stored documents at an address: of the source, where one is named; another show's may be
    at the same. A feed may call any address its transcript: that says nothing of the page there."""
    versions = Capture.objects.filter(document=OuterRef("pk"), version__isnull=False)
    found = Document.objects.filter(Exists(versions), address=address, kind="listing")
    return (found.filter(source_id=source.pk) if source else found).order_by("id")


def load(target: Target, options: Options, watch: Watch = unwatched) -> Loaded:
    """The document that a target names, or why it cannot be had. A server is asked only for what is
    new, but for all of it by a person who accepts a change or wants all pages."""
    if target.document:
        return Loaded(target)  # read when its turn comes: what is taken before may change it
    try:
        if target.path:
            return Loaded(target, in_file(target.path, options))
        watch(f"{target.name}: fetching {target.address}")
        known = known_at(target.address, target.source).first()
        if known and not (options.accept or options.all_pages):
            return Loaded(target, _ask(target.address, options, known))
        fetch_one = partial(fetch_page, options=options)
        return Loaded(target, *with_older_pages(fetch_one(target.address), fetch_one, watch))
    except (DocumentRejected, Unreachable) as trouble:
        return Loaded(target, trouble=trouble)


def in_file(path: Path, options: Options) -> FetchedDocument:
    """A saved document.

    Raises:
        DocumentRejected: it is too large, or cannot be read.
    """
    try:
        if path.stat().st_size > largest():
            raise DocumentRejected(f"it is larger than {settings.DOCUMENT_MB} MB (DOCUMENT_MB)")
        return FetchedDocument(path.read_bytes(), options.url, name=printable(path.name))
    except OSError as error:
        raise DocumentRejected(f"cannot be read: {error.strerror}") from error


def fetch_page(address: str, options: Options) -> FetchedDocument:
    """A document within the limits of the options.

    Raises:
        Unreachable: nothing answers, or it is too large or too slow.
    """
    return _ask(address, options, Document()) or FetchedDocument(b"", address)


def _ask(address: str, options: Options, known: Document) -> FetchedDocument | None:
    """The document at an address; None where it is as the `known` one."""
    return fetch(
        address,
        etag=known.etag,
        last_modified=known.last_modified,
        allow=options.allow,
        max_bytes=largest(),
        max_seconds=options.seconds,
    )
