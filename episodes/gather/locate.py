"""Finds out which source of which show a document belongs to: by its address, its file, or what it says."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from ..models import Document, Source
from ..records import Page, Refused
from .sources import Reader, readers


def reader_of(source: Source) -> Reader:
    """The reader of a source's pages.

    Raises:
        Refused: the source names none that exists.
    """
    try:
        return readers()[source.reader]
    except KeyError:
        raise Refused(f"no reader for its pages ({source.reader or 'none'} configured)") from None


def located(page: Page, sources: Sequence[Source]) -> Source | None:
    """The one of `sources` that the page belongs to; None where there is none.

    Raises:
        Refused: there are several that nothing tells apart.
    """
    found = _by_address(page, sources) or _by_content(page, sources)
    if len(found) > 1:
        found = _that_reads(page, found) or found
    if len(found) > 1:
        names = ", ".join(f"{s.podcast.slug}/{s.slug}" for s in found)
        raise Refused(f"it could belong to {names}; name one with --source or --podcast")
    return found[0] if found else None


def _by_address(page: Page, sources: Sequence[Source]) -> list[Source]:
    if not page.address:
        return []
    exact = [s for s in sources if s.address == page.address]
    known = set(
        Document.objects.filter(address=page.address, captures__version__isnull=False).values_list(
            "source_id", flat=True
        )
    )
    host = (urlsplit(page.address).hostname or "").removeprefix("www.")
    return exact or [s for s in sources if s.pk in known] or [s for s in sources if host and _serves(s, host)]


def _serves(source: Source, host: str) -> bool:
    own = urlsplit(source.address).hostname if source.address else None
    reader = readers().get(source.reader)
    hosts = [*(reader.HOSTS if reader else ()), *([own] if own else [])]
    return any(host == name.removeprefix("www.") or host.endswith(f".{name}") for name in hosts)


def _by_content(page: Page, sources: Sequence[Source]) -> list[Source]:
    """The sources whose reader knows such pages; one that is a site's own does not read what is known to be another's."""
    for name, reader in readers().items():
        if (not page.address or not reader.HOSTS) and reader.recognises(page):
            return [s for s in sources if s.reader == name]
    return []


def _that_reads(page: Page, sources: Sequence[Source]) -> list[Source]:
    """Of several shows' sources of one kind, those whose show the page is about."""
    taken = []
    for source in sources:
        try:
            reader_of(source).read(page, source.podcast.show)
        except Refused:
            continue
        taken.append(source)
    return taken
