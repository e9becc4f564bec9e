"""Reads title, date, length, number, text and addresses of the entries of a page, each believed by
its column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, takewhile
from typing import Any

from ...identity import bare_title
from ...records import EntryData, FetchedDocument
from ...text.urls import host_of, page_key
from ..rows import Piece
from . import columns
from .columns import MarkedValue
from .episode_index import EpisodeIndex, KnownEpisode
from .page_rows import PageRow, is_prose, key_of
from .records import Record

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


SIGNS = " ·|•-–—"  # around a text
LEADS_ON = (*"→⇒➔➜➝➞⟶»›>…", "...")  # signs that end the words of a link to the rest
END = re.compile(
    r"(?:\s{0,9}(?:\[(?:…|\.{3})\]|\((?:…|\.{3})\)|…{1,9}|\.{3,9}))\s{0,9}[^.!?…]{0,30}$"
)
TextAndCut = tuple[str, bool | None]


def texts_of(
    found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex, pages: Sequence[str]
) -> list[TextAndCut]:
    """Each entry's text and whether the site cut it, None where nothing tells.

    What several entries say is none's own. `pages` are the entries' own addresses.
    """
    often = Counter(text for record in found for text in {row.text for row in record.of(rows)})
    repeated = {text for text, count in often.items() if count > 1}
    printed = [
        _text(record, rows, repeated, page) for record, page in zip(found, pages, strict=True)
    ]
    return [
        _without_cut(
            *own, set().union(*(index.episodes[name].openings for name in record.episodes))
        )
        for own, record in zip(printed, found, strict=True)
    ]


def _begins(
    record: Record, rows: Sequence[PageRow], repeated: Collection[str]
) -> list[tuple[int, int]]:
    """The rows, and the places in them, at which the text of an entry can begin."""
    known = [(hit.row, hit.start) for hit in record.hits if hit.kind == "text"]
    return known or [
        (row.place, 0)
        for row in record.of(rows)
        if not (record.names_in(row.place) or row.row.heading or row.text in repeated)
        and is_prose(row.words)
    ]


def _text(
    record: Record, rows: Sequence[PageRow], repeated: Collection[str], page: str
) -> tuple[str, bool]:
    """The entry's text as the page prints it, a line for each row, and whether a link below leads
    to its rest: from where a known text begins, else from the first sentence."""
    begins = _begins(record, rows, repeated)
    if not begins:
        return "", False
    first, start = begins[0]
    below = rows[first + 1 : record.last + 1]
    links = [row for row in below if _leads_on(row, page, repeated)]
    more = list(
        takewhile(
            lambda row: row.text not in repeated and is_prose(row.text) and row not in links, below
        )
    )
    lines = [rows[first].text[start:], *(row.text for row in more)]
    goes_on = below[len(more) : len(more) + 1] == links[:1] != []
    if rest := _link_to_rest((rows[first], *more)[-1], page):
        lines[-1], goes_on = lines[-1].removesuffix(rest), True
    return "\n".join(filter(None, (line.strip(SIGNS) for line in lines))), goes_on


def _link_to_rest(row: PageRow, page: str) -> str:
    """The words of a link to the entry's own page behind the last sentence of a row; "" where it
    ends in none."""
    link = next(reversed(row.row.pieces), Piece(0, 0))
    own = link.href and page_key(link.href) == page_key(page) and is_prose(row.text[: link.start])
    return row.text[link.start :] if own else ""


def _leads_on(row: PageRow, page: str, repeated: Collection[str]) -> bool:
    """True for a row below a text that ends in the sign of a link which leads on.

    It leads to the entry's own page; in saved text, without links, it stands in several entries.
    """
    links = row.row.links
    own = page_key(page) in map(page_key, links) if links else row.text in repeated
    return own and row.text.endswith(LEADS_ON)


def _without_cut(text: str, goes_on: bool, openings: Collection[str]) -> TextAndCut:
    """The text without the mark of a cut, and whether it is cut; one that is known whole is not."""
    match = END.search(text)
    bare = text[: match.start()] if match else text
    if key_of(bare) in openings:
        return bare, False
    return bare, True if match or goes_on else None


BEFORE = re.compile(r"^(?:(?![.(]\w)[^\w#@¿¡])+")
BEHIND = re.compile(r"[^\w?!)+#.%]+$")
UNCUT_SIGNS = re.compile(r"(?:(?!…|\.{3})\W)*")  # but what marks a cut title
CUT = re.compile(r"(?:…|\.{3})\W*$")


@dataclass(frozen=True, slots=True)
class TitleContext:
    """The words before and behind the title in most rows with a known one."""

    before: re.Pattern[str] | None = None
    behind: str = ""

    @classmethod
    def of(cls, records: Sequence[Record], rows: Sequence[PageRow]) -> TitleContext:
        hits = [record.title for record in records if record.episodes and record.title]
        before = _usual(re.sub(r"\d+", "0", rows[hit.row].text[: hit.start]) for hit in hits)
        behind = _usual(UNCUT_SIGNS.match(rows[hit.row].text, hit.end)[0] for hit in hits)  # type: ignore[index]
        return cls(re.compile(re.escape(before).replace("0", r"\d+")) if before else None, behind)

    def title(self, row: PageRow) -> str:
        """The title in a row that holds an unknown one; "" where it is cut."""
        start, end = 0, len(row.text)
        if self.before and (match := self.before.match(row.text)):
            start = max(start, match.end())
        if self.behind.strip() and (place := row.text.find(self.behind, start)) > start:
            end = place
        part = _longest_part(row, start, end)
        # Signs part it from what stands beside it.
        return "" if CUT.search(part) else BEHIND.sub("", BEFORE.sub("", part))


def _usual(texts: Iterable[str]) -> str:
    found = Counter(texts)
    text, count = max(found.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))
    return text if count * 2 > found.total() else ""


def _longest_part(row: PageRow, start: int, end: int) -> str:
    """The part of a row with most letters that is no date, length, address or name of the show."""
    marks = ((mark.start, mark.end) for mark in row.marks)
    taken = [*marks, *row.show_names, *row.addresses]
    pieces = ((piece.start, piece.end) for piece in row.row.pieces)
    cuts = {start, end, *chain.from_iterable([*taken, *pieces])}
    parts = [
        row.text[low:high]
        for low, high in pairwise(sorted(cut for cut in cuts if start <= cut <= end))
        if not any(first <= low and high <= last for first, last in taken)
    ]
    return max(parts, key=lambda part: sum(map(str.isalpha, part)), default="")


HARDLY_EVER_WRONG = 8  # times that a column of numbers is right for each time that it is not


def entries_of(
    page: FetchedDocument,
    rows: Sequence[PageRow],
    index: EpisodeIndex,
    found: Sequence[Record],
) -> list[EntryData]:
    """The values of each entry, of the columns that are believed."""
    episodes = index.episodes
    marked = [list(columns.marked(record, rows, episodes)) for record in found]
    dates = columns.believed([[one for one in own if one.mark.kind == "date"] for own in marked])
    lengths = columns.believed([[one for one in own if one.mark.span] for own in marked])
    numbers = columns.believed(
        [list(columns.numbers(record, rows, episodes)) for record in found], HARDLY_EVER_WRONG
    )
    context = TitleContext.of(found, rows)
    pages = pages_of(found, rows, page)
    notes = texts_of(found, rows, index, pages)
    return [
        EntryData(
            title=_title(record, rows, episodes, context),
            text=text,
            cut=cut,
            url=url,
            audio_url=audio_of(record, rows),
            number=int(number.raw) if number else _number(record, rows, index),
            **_printed(date, length),
        )
        for record, (text, cut), url, date, length, number in zip(
            found, notes, pages, dates, lengths, numbers, strict=True
        )
    ]


def _printed(date: MarkedValue | None, length: MarkedValue | None) -> dict[str, Any]:
    """The date and the length of an entry."""
    fields: dict[str, Any] = {}
    if date:
        at = date.mark.at
        fields |= {"date_raw": date.raw, "published": at.isoformat() if at else ""}
    if length and length.mark.span:
        low, high = length.mark.span
        fields |= {"length_raw": length.raw, "seconds_low": low, "seconds_high": high}
    return fields


def _number(record: Record, rows: Sequence[PageRow], index: EpisodeIndex) -> int | None:
    """The number in the title as it is printed, where it is known to be the episode's."""
    hit, episodes = record.title, index.episodes
    known = set().union(*(episodes[name].numbers for name in record.episodes))
    printed = rows[hit.row].text[hit.start : hit.end] if hit else ""
    number = bare_title(printed, index.show.title)[2]
    return number if number in known else None


def _title(
    record: Record,
    rows: Sequence[PageRow],
    episodes: Sequence[KnownEpisode],
    context: TitleContext,
) -> str:
    """The title of the known episode; an unknown one stays as it is printed."""
    hit = record.title
    if hit is None:
        return ""
    known = record.episodes
    return episodes[known[0]].title if known else context.title(rows[hit.row])
