"""Loads a document: from a server, politely, or from a file; or not at all, where the server asked
to wait."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from ..gather import LONGEST_WAIT, Unreachable, fetch, with_older_pages
from ..models import Capture, Document, Source
from ..records import DocumentRejected, FetchedDocument
from .readings import Waiting
from .shapes import Loaded, Options, Target, Watch, largest, printable, unwatched


def known_at(address: str, source: Source | None) -> QuerySet[Document]:
    """The stored documents at an address: of the source, where one is named; another show's may be
    at the same. A feed may call any address its transcript: that says nothing of the page there."""
    versions = Capture.objects.filter(document=OuterRef("pk"), version__isnull=False)
    found = Document.objects.filter(Exists(versions), address=address, kind="listing")
    return (found.filter(source_id=source.pk) if source else found).order_by("id")


def load(target: Target, options: Options, now: datetime, watch: Watch = unwatched) -> Loaded:
    """The document that a target names, or why it cannot be had. A server is asked only for what is
    new, and not at all where it wants to be left alone; a person who accepts a change, or says so,
    has it asked all the same."""
    if target.document:
        return Loaded(target)  # read when its turn comes: what is taken before may change it
    try:
        if target.path:
            return Loaded(target, in_file(target.path, options))
        return _fetched(target, options, now, watch)
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


def _fetched(target: Target, options: Options, now: datetime, watch: Watch) -> Loaded:
    document = known_at(target.address, target.source).first() or Document()
    until = document.not_before
    # An older version kept what servers asked for without a limit.
    if until and now < until <= now + LONGEST_WAIT and not options.now:
        words = (
            f"the server asked us to wait until {until:%Y-%m-%d %H:%M} UTC; --now asks all the same"
        )
        raise Waiting(words, int((until - now).total_seconds()))
    watch(f"{target.name}: fetching {target.address}")
    if options.accept or options.all_pages:
        document = Document()  # the whole of it is wanted
    page = _ask(target.address, options, document)
    if page and not document.pk:
        return Loaded(target, *with_older_pages(page, partial(fetch_page, options=options), watch))
    return Loaded(target, page)


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
