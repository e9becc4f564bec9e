"""The addresses of an entry: its own page, and its audio."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ...records import FetchedDocument
from ...text.urls import host_of
from .page_rows import PageRow
from .seeds import Record
from .texts import is_prose

AUDIO = re.compile(r"\.(?:mp3|m4a|ogg|opus|aac|wav|mp4)(?:$|[?#])", re.I)


def audio_of(record: Record, rows: Sequence[PageRow]) -> str:
    """The one audio file that the entry's rows play or offer; "" where there is none, or
    several."""
    found: set[str] = set()
    for one in record.of(rows):
        found |= {*one.row.media, *filter(AUDIO.search, one.row.links)}
    return found.pop() if len(found) == 1 else ""


def pages_of(found: Sequence[Record], rows: Sequence[PageRow], page: FetchedDocument) -> list[str]:
    """Each entry's own page: the link of its title; the page itself for the episode that is its
    heading; its first link on the same site that no other entry has."""
    links = [list(_links(record, rows)) for record in found]
    often = Counter(address for addresses in links for address in set(addresses))
    host = host_of(page.address)
    pages = []
    for record, addresses in zip(found, links, strict=True):
        title = record.title
        own = [page.address] * bool(title and rows[title.row].row.heading == 1)
        alone = (a for a in addresses if often[a] == 1 and host_of(a) == host)
        likely = (*_title_links(record, rows), *own, *alone)
        pages.append(next((a for a in likely if not AUDIO.search(a)), ""))
    return [page.address] if pages == [""] else pages


def _title_links(record: Record, rows: Sequence[PageRow]) -> Iterator[str]:
    """The targets of the titles of an entry."""
    for hit in record.hits:
        for piece in rows[hit.row].row.pieces if hit.kind != "text" else ():
            if piece.href and piece.start < max(hit.end, hit.start + 1) and hit.start <= piece.end:
                yield piece.href


def _links(record: Record, rows: Sequence[PageRow]) -> Iterator[str]:
    """The links of the entry's rows that are no sentences."""
    for row in record.of(rows):
        if not is_prose(row.text):
            yield from row.row.links
