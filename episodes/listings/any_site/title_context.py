"""Titles of entries that nobody knows: what stands where known titles stand, without what stands around these."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .page_rows import PageRow
from .records import Record
from .title_hits import Hit

CUT = re.compile(r"(?:…|\.{3})\W*$")


@dataclass(frozen=True, slots=True)
class TitleContext:
    """What stands before and behind the title in most rows with a known one."""

    before: re.Pattern[str] | None = None
    behind: str = ""
    piece: int | None = None  # which link of the row the title is

    @classmethod
    def of(cls, records: Sequence[Record], rows: Sequence[PageRow]) -> TitleContext:
        hits = [record.seed.title for record in records if record.seed.episodes and record.seed.title]
        before = _usual(re.sub(r"\d+", "0", rows[hit.row].text[: hit.start]) for hit in hits)
        behind = _usual(_signs(rows[hit.row].text[hit.end :]) for hit in hits)
        pieces = Counter(_piece(rows[hit.row], hit) for hit in hits)
        piece, count = pieces.most_common(1)[0] if pieces else (None, 0)
        before_title = re.compile(re.escape(before).replace("0", r"\d+")) if before else None
        return cls(before_title, behind, piece if count * 2 > pieces.total() else None)

    def title(self, row: PageRow) -> str:
        """The title in a row that holds an unknown one; "" where it is cut."""
        start, end = 0, len(row.text)
        links = [piece for piece in row.row.pieces if piece.href]
        if self.piece is not None and self.piece < len(links):
            start, end = links[self.piece].start, links[self.piece].end
        if self.before and (match := self.before.match(row.text)):
            start = max(start, match.end())
        if self.behind.strip() and (place := row.text.find(self.behind, start)) > start:
            end = place
        return "" if CUT.search(row.text, start, end) else _longest_part(row, start, end)


def _piece(row: PageRow, hit: Hit) -> int | None:
    """Which link of the row a title is, beside other parts."""
    links = [(piece.start, piece.end) for piece in row.row.pieces if piece.href]
    return links.index((hit.start, hit.end)) if (hit.start, hit.end) in links and len(row.row.pieces) > 1 else None


def _usual(texts: Iterable[str]) -> str:
    found = Counter(texts)
    text, count = max(found.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))
    return text if count * 2 > found.total() else ""


def _signs(text: str) -> str:
    match = re.match(r"\W+", text)
    return match[0] if match else ""


def _longest_part(row: PageRow, start: int, end: int) -> str:
    """The part of a row with most letters that is no date, length, address or name of the show."""
    fields = [(mark.start, mark.end) for mark in row.marks if not _in_phrase(row.text, mark.start, mark.end)]
    taken = [*fields, *row.show_names, *row.addresses]
    cuts = {start, end, *(p for piece in row.row.pieces for p in (piece.start, piece.end))}
    cuts |= {place for span in taken for place in span}
    parts = [
        trimmed(row.text[low:high])
        for low, high in pairwise(sorted(cut for cut in cuts if start <= cut <= end))
        if not any(first <= low and high <= last for first, last in taken)
    ]
    return max(parts, key=lambda part: sum(map(str.isalpha, part)), default="")


def _in_phrase(text: str, start: int, end: int) -> bool:
    """True for "90 minutes" in "The 90 minutes that changed bread": words stand on both sides."""
    before, behind = text[:start].rstrip(), text[end:].lstrip()
    apart = len(before) < start and len(behind) < len(text) - end
    return apart and before[-1:].isalpha() and behind[:1].isalpha()


def trimmed(text: str) -> str:
    """A title without the signs that part it from what stands beside it."""
    text = text.strip()
    while text and not text[0].isalnum() and text[0] not in "_#@¿¡" and not (text[0] in ".(" and text[1:2].isalnum()):
        text = text[1:].lstrip()
    while text and not text[-1].isalnum() and text[-1] not in "?!)+#_.%":
        text = text[:-1].rstrip()
    return text
