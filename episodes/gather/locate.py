"""Finds the source that a document belongs to: by its address or its bytes, or by a layout that
only one site has."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.db.models import QuerySet

from ..models import Document, Source, SourceQuerySet
from ..records import DocumentRejected, FetchedDocument, WrongShow
from ..text.urls import host_of, site_of, split
from . import store
from .reading import read_page
from .sources import Reader, readers


def reader_of(source: Source) -> Reader:
    """The reader of a source's pages.

    Raises:
        DocumentRejected: the source names none that exists.
    """
    try:
        return readers()[source.reader]
    except KeyError:
        raise DocumentRejected(
            f"no reader for its pages ({source.reader!r} is configured)"
        ) from None


def sources_with(page: FetchedDocument, sources: SourceQuerySet) -> Sequence[Source]:
    """The sources that a document is of, whatever it says: those configured with its address, or,
    where it has none, with a shipped file of its bytes; else those of a stored document that has
    them."""
    stored: QuerySet[Document]
    if page.address:
        wanted = same_address(page.address)
        configured = [s for s in sources if same_address(s.address) == wanted]
        stored = Document.objects.filter(
            address=page.address, kind="listing", captures__version__isnull=False
        )
    else:
        fixtures = settings.BASE_DIR / "fixtures"
        shipped = [(s, fixtures / s.shipped_file) for s in sources.exclude(shipped_file="")]
        configured = [s for s, path in shipped if path.is_file() and path.read_bytes() == page.body]
        stored = store.documents_with(page).filter(vouched=True)
    return configured or list(sources.filter(pk__in=stored.values("source")))


def is_of(page: FetchedDocument, source: Source) -> bool:
    """True for a document at the source's address, or at a site that its reader is for; without an
    address, by its bytes."""
    if not page.address:
        return bool(sources_with(page, Source.objects.filter(pk=source.pk)))
    is_there = same_address(page.address) == same_address(source.address)
    return is_there or is_at(site_of(page.address), _hosts(source))


def same_address(address: str) -> str:
    """The part of an address that tells documents apart: http and https serve the same one, and
    hosts ignore case. A feed may call anything an address."""
    parts = split(address)
    return parts.place() if parts else address


def only(page: FetchedDocument, found: Sequence[Source]) -> Source | None:
    """The source that was found, None where none was; of several shows' sources of one kind, the one
    whose show the page is about.

    Raises:
        DocumentRejected: there are several, and the page tells none of them apart.
    """
    if len(found) > 1:
        found = [source for source in found if reads(page, source, any_show=False)] or found
    if len(found) > 1:
        names = ", ".join(f"{source.podcast.slug}/{source.slug}" for source in found)
        raise DocumentRejected(
            f"it could belong to {names}; choose one with --podcast and --source"
        )
    return next(iter(found), None)


def like(page: FetchedDocument, sources: SourceQuerySet) -> Sequence[Source]:
    """The sources that read the pages of this host, or, of a page without an address, those whose
    reader knows its layout: any site can have that. A feed says nothing about the other pages of
    its host."""
    if page.address:
        host = site_of(page.address)
        others = sources.exclude(reader="feed")
        return [s for s in others if is_at(host, [*_hosts(s), host_of(s.address)])]
    names = [name for name, reader in readers().items() if reader.recognises(page)]
    return list(sources.filter(reader__in=names[:1]))


def _hosts(source: Source) -> Sequence[str]:
    """The hosts that the source's reader is for."""
    hosts: Sequence[str] = getattr(readers().get(source.reader), "HOSTS", ())
    return hosts


def is_at(host: str, names: Sequence[str]) -> bool:
    """True for a host of these names, or below one."""
    return f".{host}".endswith(tuple(f".{name.removeprefix('www.')}" for name in names if name))


def reads(page: FetchedDocument, source: Source, *, any_show: bool) -> bool:
    """True where the source's reader finds entries on the page: of its own show, or of any."""
    try:
        read_page(reader_of(source), page, source.podcast.show)
    except WrongShow:
        return any_show
    except DocumentRejected:
        return False
    return True
