"""The rows of a page with what can be read off each by itself: dates, lengths, numbers, the show's name, addresses."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from ...dates import (
    SIGNS,
    Mark,
    completed_by,
    day_of,
    key,
    language_of_dates,
    marks,
    month_and_year,
    plain_digits,
    weekdays,
)
from ...records import Show
from ..keyed import KeyedText, key_of, keyed
from ..rows import BARE_LINK, PageRows, Piece, Row
from ..words import phrases

WORD = re.compile(r"[^\W\d_]+")
BARE_DAY = re.compile(r"(?P<day>\d{1,2})\.?\s(?:[-–—:·|]\s)?(?=\D)")
NUMERIC_DAY = re.compile(r"(?P<first>\d{1,2})(?P<sign>[-./])(?P<second>\d{1,2})\.?")  # below a year
HEADING_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
WIDEST_DAY, WIDEST_MONTH = 30, 40  # characters of a cell that is a day, of a heading that is a month
WIDEST = 4_000  # characters of a row that are looked at for names and numbers
NUMBER = re.compile(
    r"(?<![^\W_])(?:s(?:eason|taffel|aison|äsong|ezon)?\.?\s?(?P<season>\d{1,3})\s*[,:·.|-]?\s*)?"
    r"(?:(?:[^\W\d_]{1,9}\.?\s?)?[#№]|[^\W\d_]{1,9}\.?\s?)?\s?(?P<number>\d{1,5})(?!\d|[:/.]\d)"
)


@dataclass(frozen=True)
class PageRow:
    """A row and what stands in it; `under` is the year and month of the heading above, 0 for none."""

    place: int
    row: Row
    names: tuple[str, ...]
    language: str
    under: tuple[int, int] = (0, 0)

    @property
    def text(self) -> str:
        return self.row.text

    @cached_property
    def keyed(self) -> KeyedText:
        return keyed(self.row.text[:WIDEST])

    @cached_property
    def piece_ends(self) -> frozenset[int]:
        """Both ends of the row and of each of its pieces."""
        return frozenset({0, len(self.text), *(end for piece in self.row.pieces for end in (piece.start, piece.end))})

    @property
    def slot(self) -> tuple[object, ...]:
        """Kind of the row: its innermost elements on an HTML page."""
        return (self.row.shape[-2:], self.row.heading)

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """Dates, lengths and clocks; none across the seam of two elements that touch."""
        found = marks(self.text, self.language)
        seams = self._seams()
        if seams:
            found = self._marks_by_piece(seams)
        found = tuple(mark for mark in found if not self._is_reading_time(mark))
        found = tuple(completed_by(mark, self.under) for mark in (*found, *self._bare_days(found)))
        return tuple(sorted(found, key=lambda mark: mark.start))

    def _is_reading_time(self, mark: Mark) -> bool:
        before = self.text[max(0, mark.start - 30) : mark.start].casefold().rstrip(" :–-")
        return mark.kind == "length" and before.endswith(phrases("reading_time"))

    def _bare_days(self, found: Sequence[Mark]) -> Iterator[Mark]:
        """Days without a year that are cells of the row, or begin it below a month: "4 — Strides" below "May 2021"."""
        dated = any(mark.kind in ("date", "ago") for mark in found)
        first = BARE_DAY.match(self.text) if self.under[1] and not dated else None
        if first and 0 < int(first["day"]) < 32:
            yield Mark(first.start("day"), first.end("day"), "ago", partial=(0, int(first["day"])))
        cells = self.row.pieces if len(self.row.pieces) > 1 else [Piece(0, len(self.text))]
        yield from (day for piece in cells if (day := self._day_in(piece, found)))

    def _day_in(self, piece: Piece, found: Sequence[Mark]) -> Mark | None:
        """The day that a cell is and nothing else."""
        if piece.end - piece.start > WIDEST_DAY or any(m.start < piece.end and piece.start < m.end for m in found):
            return None
        text = plain_digits(self.text[piece.start : piece.end].strip(SIGNS))
        if self.under[0] and (day := NUMERIC_DAY.fullmatch(text)):
            numbers = (int(day["first"]), int(day["second"]), self.under[0])
            return Mark(piece.start, piece.end, "date", numbers=numbers, style=day["sign"])
        partial = day_of(text, self.language) if len(self.row.pieces) > 1 else None
        return Mark(piece.start, piece.end, "ago", partial=partial) if partial else None

    def _seams(self) -> list[int]:
        starts = {piece.start for piece in self.row.pieces}
        return sorted(p for p in starts if 0 < p < len(self.text) and not self.text[p - 1].isspace())

    def _marks_by_piece(self, seams: Sequence[int]) -> tuple[Mark, ...]:
        parts = [self.text[a:b] for a, b in pairwise((0, *seams, len(self.text)))]
        found = marks("\n".join(parts), self.language)
        edges = [cut + n for n, cut in enumerate(seams)]
        return tuple(
            replace(m, start=m.start - bisect_left(edges, m.start), end=m.end - bisect_left(edges, m.end))
            for m in found
        )

    @cached_property
    def show_names(self) -> tuple[tuple[int, int], ...]:
        """Where the show's name stands as words of its own."""
        return tuple(span for name in self.names for span in self._every(name))

    def _every(self, name: str) -> Iterator[tuple[int, int]]:
        letters, place = self.keyed.key, -1
        while name and (place := letters.find(name, place + 1)) >= 0:
            start, end = self.keyed.place(place), self.keyed.place(place + len(name) - 1) + 1
            if self._parts(start) and self._parts(end):
                yield start, end

    def _parts(self, place: int) -> bool:
        """True where a name can begin or end."""
        beside_mark = any(place in (mark.start, mark.end) for mark in self.marks)
        weekday = WORD.match(self.text, place)
        beside_mark = beside_mark or (weekday is not None and key(weekday[0]) in weekdays())
        return beside_mark or _is_edge(self.text, place) or any(place in (p.start, p.end) for p in self.row.pieces)

    @cached_property
    def addresses(self) -> tuple[tuple[int, int], ...]:
        return tuple(m.span() for m in BARE_LINK.finditer(self.text)) if "://" in self.text else ()

    def numbers(self, start: int, end: int) -> Iterator[tuple[int | None, int]]:
        """Season and number of what may be an episode's number in a stretch of the row."""
        chars = list(plain_digits(self.text[start:end]))
        for mark in self.marks:
            for place in range(max(mark.start, start), min(mark.end, end)):
                chars[place - start] = "\n"
        for match in NUMBER.finditer("".join(chars)):
            yield (int(match["season"]) if match["season"] else None), int(match["number"])


def _is_edge(text: str, place: int) -> bool:
    """A place at which a name can begin or end: beside a sign, or where the case or the script changes."""
    if place <= 0 or place >= len(text):
        return True
    before, behind = text[place - 1], text[place]
    if not (before.isalnum() and behind.isalnum()):
        return True
    return (
        (before.islower() and behind.isupper()) or before.isdecimal() != behind.isdecimal() or _is_wide(before, behind)
    )


def _is_wide(before: str, behind: str) -> bool:
    return before > "\u2e80" or behind > "\u2e80"


def page_rows(page: PageRows, show: Show) -> list[PageRow]:
    """Every row of a page, each with the month and year of the heading above it."""
    language = page.head.language or language_of_dates("\n".join(row.text for row in page.rows))
    names = tuple(filter(None, [key_of(show.title)]))
    under, rows = (0, 0), []
    for place, row in enumerate(page.rows):
        under = _under(row, under, language)
        rows.append(PageRow(place, row, names, language, under))
    return rows


def _under(row: Row, under: tuple[int, int], language: str) -> tuple[int, int]:
    """Year and month that hold from this row on: those that it is, or a heading among few words names; none below a
    high heading without any."""
    if len(row.text) < WIDEST_MONTH and (found := month_and_year(row.text, language)):
        return (found[0] or under[0], found[1])
    if year := _heading_year(row):
        return (year, 0)
    return (0, 0) if 0 < row.heading < 3 else under


def _heading_year(row: Row) -> int:
    """The year in a heading of few words: "2021, second quarter"; 0 where there is none."""
    years = HEADING_YEAR.findall(row.text) if len(row.text) < 30 and (row.heading or row.gap) else []
    return int(years[0]) if len(years) == 1 and len(HEADING_YEAR.sub("", row.text).split()) < 3 else 0
