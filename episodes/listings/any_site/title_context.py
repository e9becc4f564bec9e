"""Titles of entries that nobody knows: what stands where known titles stand, without what stands
around these."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .page_rows import PageRow
from .seeds import Record

BEFORE = re.compile(r"^(?:(?![.(]\w)[^\w#@¿¡])+")
BEHIND = re.compile(r"[^\w?!)+#.%]+$")
SIGNS = re.compile(r"(?:(?!…|\.{3})\W)*")  # but what marks a cut title
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
        behind = _usual(SIGNS.match(rows[hit.row].text, hit.end)[0] for hit in hits)  # type: ignore[index]
        before_title = re.compile(re.escape(before).replace("0", r"\d+")) if before else None
        return cls(before_title, behind)

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
    cuts = {start, end, *row.piece_ends, *(place for span in taken for place in span)}
    parts = [
        row.text[low:high]
        for low, high in pairwise(sorted(cut for cut in cuts if start <= cut <= end))
        if not any(first <= low and high <= last for first, last in taken)
    ]
    return max(parts, key=lambda part: sum(map(str.isalpha, part)), default="")
