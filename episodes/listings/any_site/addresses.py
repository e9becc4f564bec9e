"""The addresses of an entry: its own page, and its audio."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ...records import FetchedDocument
from ...text.urls import host_of
from ..keyed import key_of
from ..rows import PageRows, Piece
from ..show_names import PARTS
from .page_rows import PageRow
from .records import Record
from .texts import is_prose
from .title_hits import Hit

AUDIO = re.compile(r"\.(?:mp3|m4a|ogg|opus|aac|wav|mp4)(?:$|[?#])", re.I)


def audio_of(record: Record, rows: Sequence[PageRow]) -> str:
    """The one audio file that the entry's rows play or offer; "" where there is none, or
    several."""
    found: set[str] = set()
    for row in (rows[place].row for place in record.rows()):
        found |= {*row.media, *filter(AUDIO.search, row.links)}
    return next(iter(found)) if len(found) == 1 else ""


def pages_of(
    found: Sequence[Record], rows: Sequence[PageRow], page: FetchedDocument, paper: PageRows
) -> list[str]:
    """Each entry's own page: the page itself for the episode that it is about, else the link of its
    title, else its first link on the same site that no other entry has."""
    own = paper.head.address or page.address
    links = [list(_links(record, rows)) for record in found]
    often = Counter(address for addresses in links for address in set(addresses))
    host = host_of(page.address)
    pages = []
    for record, addresses in zip(found, links, strict=True):
        if _is_subject(record, rows, paper):
            pages.append(own)
            continue
        alone = (
            address for address in addresses if often[address] == 1 and host_of(address) == host
        )
        pages.append(_title_link(record, rows) or next(alone, ""))
    return [own] if pages == [""] else pages


def _is_subject(record: Record, rows: Sequence[PageRow], paper: PageRows) -> bool:
    """True for the episode that the whole page is about: its title is the page's heading or in the
    page's title."""
    hit = record.seed.title
    if hit is None:
        return False
    parts = {key_of(part) for part in PARTS.split(paper.head.title)}
    return (
        rows[hit.row].row.heading == 1 or rows[hit.row].keyed.between(hit.start, hit.end) in parts
    )


def _title_link(record: Record, rows: Sequence[PageRow]) -> str:
    """Where the title leads; "" where it is no link, or one to the audio."""
    titles = [hit for hit in record.seed.hits if hit.kind != "text"]
    linked = (
        piece.href
        for hit in titles
        for piece in rows[hit.row].row.pieces
        if _over(piece, hit) and piece.href
    )
    return next((address for address in linked if not AUDIO.search(address)), "")


def _over(piece: Piece, hit: Hit) -> bool:
    return piece.start < max(hit.end, hit.start + 1) and hit.start <= piece.end


def _links(record: Record, rows: Sequence[PageRow]) -> Iterator[str]:
    """The links of the entry's rows that are no sentences."""
    for row in (rows[place] for place in record.rows()):
        if not is_prose(row.text):
            yield from (address for address in row.row.links if not AUDIO.search(address))
