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
        channel = feed.read(page, Show("", "")).channel
        return PageDescription("feed", "feed", "RSS feed", channel)
    parsed = PageDocument.of(page)
    host = site_of(page.address)
    known = readers()
    name = next((name for name in known if is_at(host, known[name].HOSTS)), LISTING)
    if name == LISTING:
        return PageDescription(LISTING, host[:200], (parsed.title or host)[:200])
    return PageDescription(name, name, known[name].TITLE)
