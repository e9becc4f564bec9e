"""Describes a page that may become a source: the reader that knows it, and what it says of
itself."""

from __future__ import annotations

from dataclasses import dataclass

from ..gather import LISTING, feed, is_at, readers
from ..listings import PageDocument
from ..records import Channel, FetchedDocument, Show
from ..text.urls import site_of


@dataclass(frozen=True, slots=True)
class PageDescription:
    """A page in its own words; "" where it says nothing. `channel`: of a feed, what it says of
    its show."""

    reader: str
    slug: str
    title: str
    channel: Channel | None = None

    def of_source(self) -> dict[str, str]:
        """Columns of the source that the page would be."""
        return {"reader": self.reader, "slug": self.slug, "title": self.title}


def describe(page: FetchedDocument) -> PageDescription:
    """A page in its own words, and the reader for it: of its site, or of any site.

    Raises:
        DocumentRejected: it is a feed that cannot be read.
    """
    if feed.recognises(page):
        channel = feed.read(page, Show("", "")).channel or Channel()
        return PageDescription("feed", "feed", "RSS feed", channel)
    parsed = PageDocument.of(page)
    host = site_of(page.address)
    name = next(
        (name for name, reader in readers().items() if _knows(name, reader, parsed, host)), LISTING
    )
    title = readers()[name].TITLE if name in readers() else parsed.title or host
    return PageDescription(name, (name if name != LISTING else host)[:200], title[:200])


def _knows(name: str, reader: object, page: FetchedDocument, host: str) -> bool:
    """True for the reader of a page's host, or of pages of no particular host that look like it."""
    hosts: tuple[str, ...] = getattr(reader, "HOSTS", ())
    if name in ("feed", "by-hand"):
        return False
    return is_at(host, hosts) if hosts and page.address else bool(readers()[name].recognises(page))
