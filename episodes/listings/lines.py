"""Layouts by lines, for saved text, and for HTML whose elements have no telling names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, takewhile

from ..records import Show
from .document import PageDocument
from .layout import LONGEST, MOST, FoundEntry, Layout, entry_of
from .patterns import SIGN, SignedLine, pattern_of, without
from .rows import Row

LONGEST_TITLE, LONGEST_FACT = 200, 80
SENTENCE = (".", "!", "?", "…")


@dataclass(frozen=True, slots=True)
class _Block:
    """The title, the text, and the other fields of an entry."""

    title: Row | None
    text: str
    fields: dict[str, str]

    def without_line_as_title(self) -> _Block:
        return self if self.title and self.title.heading else replace(self, title=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines(Layout):
    r"""The lines that begin an entry, or end it, for saved text and for HTML read line by line.

    `begin`: the pattern of a line that begins an entry, or of two with "\n" between; the first
    paragraph below is its text. `end`: what stands at the end of an entry's last line; the last
    paragraph above is its text, or all from the first on (`whole`), and what stands above that is
    its title; where not every entry has one (`titled`), only if all but the first have. Lines that
    only say when and how long are read. `prose`: words of a line that is a paragraph; `noise`:
    lines that say nothing.
    """

    begin: str = ""
    end: str = ""
    noise: str = "(?!)"
    prose: int = 4
    whole: bool = False
    titled: bool = True

    def find(self, document: PageDocument, show: Show) -> tuple[list[FoundEntry], Sequence[Row]]:
        rows, language = list(self._rows(document, show)), document.head.language
        find = self._begun if self.begin else self._ended
        blocks, above = find(rows, show, language)
        return [
            self._entry(block, show, language) for block in blocks if block.title or block.text
        ], above

    def _rows(self, document: PageDocument, show: Show) -> Iterator[Row]:
        """The rows of the list, and the page's heading."""
        noise = pattern_of(self.noise, show)
        tags = {number: shape.split()[0] for number, shape in document.rows.shapes.items()}
        for row in document.rows.rows:
            within = {tags[number] for number in row.path}
            silent = noise.fullmatch(row.text[:LONGEST]) is not None and not row.heading
            if row.heading == 1 or not (
                silent or row.in_menu or self._is_beside(row, within, show)
            ):
                yield row

    def _is_beside(self, row: Row, within: set[str], show: Show) -> bool:
        """True for what is no part of a list; a button is one where it says that a text ends."""
        return (
            not row.text
            or "aside" in within
            or ("button" in within and not self._is_end(row, show))
        )

    def _is_end(self, row: Row, show: Show) -> bool:
        return any(
            without(row.text, end, show) is not None for end in (self.cut, self.ends, self.end)
        )

    def _is_prose(self, row: Row, language: str) -> bool:
        """True for a line that can be a text, as a heading, a caption or a copyright line
        cannot."""
        if row.heading or row.text.startswith("©") or _is_fact(row, language):
            return False
        sentence = not self.whole and (row.text.endswith(SENTENCE) or "://" in row.text)
        return sentence or len(row.text.split(None, self.prose)) >= self.prose

    def _entry(self, block: _Block, show: Show, language: str) -> FoundEntry:
        title = {"title": block.title.text} if block.title else {}
        links = block.title.links if block.title else ()
        return entry_of(
            block.fields | title, language, "".join(links[:1]), *self.text_of(block.text, show)
        )

    def _begun(
        self, rows: list[Row], show: Show, language: str
    ) -> tuple[list[_Block], Sequence[Row]]:
        pattern, height = pattern_of(self.begin, show), self.begin.count(r"\n") + 1
        starts: list[tuple[int, dict[str, str]]] = []
        for place in range(len(rows)):
            lines = "\n".join(row.text for row in rows[place : place + height])
            fields = SignedLine(lines, language).match(pattern) if len(lines) <= LONGEST else None
            if fields and int(fields.get("rank", len(starts) + 1)) == len(starts) + 1:
                starts.append((place, fields))
        places = [*(place for place, _ in starts), len(rows)]
        found = (
            (rows[start:end], fields)
            for (start, end), (_, fields) in zip(pairwise(places), starts, strict=True)
        )
        blocks = [
            self._from_beginning(own, height, fields, show, language)
            for own, fields in islice(found, MOST)
        ]
        return blocks, rows[: places[0]]

    def _from_beginning(
        self, rows: list[Row], height: int, fields: dict[str, str], show: Show, language: str
    ) -> _Block:
        title, rest = replace(rows[0], text=fields.get("title", "")), rows[height:]
        if not title.text and rest:  # its rank stands in an element of its own
            title, rest = rest[0], rest[1:]
        body = list(takewhile(lambda row: not row.heading, rest))
        first = next((n for n, row in enumerate(body) if self._is_prose(row, language)), len(body))
        last = next((n for n in range(first, len(body)) if self._is_end(body[n], show)), first)
        text = "\n".join(
            row.text for row in body[_paragraph(body, first)[0] : _paragraph(body, last)[1]]
        )
        return _Block(title, text, _facts(body, language) | fields)

    def _ended(
        self, rows: list[Row], show: Show, language: str
    ) -> tuple[list[_Block], Sequence[Row]]:
        groups = islice(filter(None, self._groups(rows, show)), MOST)
        blocks = [self._up_to_end(group, language) for group in groups]
        if not self.titled and not all(
            block.title for block in blocks[1:] or [_Block(None, "", {})]
        ):
            blocks = [block.without_line_as_title() for block in blocks]
        first = {
            block.title.text if block.title else block.text.split("\n")[0] for block in blocks[:1]
        }
        return blocks, list(takewhile(lambda row: row.text not in first, rows))

    def _groups(self, rows: list[Row], show: Show) -> Iterator[list[Row]]:
        """The rows of each entry, up to what ends it, which may stand in the last line of a
        text."""
        group: list[Row] = []
        for row in rows:
            rest = without(row.text, self.end, show)
            if rest is None:
                group.append(row)
            else:
                yield [*group, replace(row, text=rest.rstrip())] if rest.strip() else group
                group = []

    def _up_to_end(self, rows: list[Row], language: str) -> _Block:
        """The entry of these rows; a heading below the page's own is its title, else the line above
        its text."""
        top = max((n + 1 for n, row in enumerate(rows) if row.heading > 1), default=0)
        first, end = self._text_in(rows, top, language)
        above = [
            n
            for n in range(first)
            if len(rows[n].text) <= LONGEST_TITLE and not _is_fact(rows[n], language)
        ]
        title = top - 1 if top else max(above[-1:] if first < end else [], default=first)
        facts = _facts([*rows[title:first], *rows[end:]], language)
        text = "\n".join(row.text for row in rows[first:end])
        return _Block(rows[title] if title < first else None, text, facts)

    def _text_in(self, rows: list[Row], top: int, language: str) -> tuple[int, int]:
        """Where the text of an entry begins and ends, below its heading."""
        prose = [n for n in range(top, len(rows)) if self._is_prose(rows[n], language)]
        if not prose:
            return len(rows), len(rows)
        return (prose[0], len(rows)) if self.whole else _paragraph(rows, prose[-1])


def _paragraph(rows: Sequence[Row], place: int) -> tuple[int, int]:
    """Where the paragraph of a row begins and ends: its rows stand in one block, parted by line
    breaks."""
    start, end = place, min(place + 1, len(rows))
    while 0 < start < len(rows) and rows[start].path and rows[start - 1].path == rows[start].path:
        start -= 1
    while 0 < end < len(rows) and rows[end].path and rows[end - 1].path == rows[end].path:
        end += 1
    return start, end


def _is_fact(row: Row, language: str) -> bool:
    """True for a line that only says when or how long: "16:33", "2y ago", "Aug 4, 2024 • 16:33"."""
    if len(row.text) > LONGEST_FACT:
        return False
    signed = SignedLine(row.text, language)
    return bool(signed.marks) and not any(c.isalnum() for c in SIGN.sub("", signed.signed))


def _facts(rows: Sequence[Row], language: str) -> dict[str, str]:
    """Date and length of an entry: the first that stand on lines of their own."""
    found: dict[str, str] = {}
    for row in rows:
        if _is_fact(row, language):
            found = SignedLine(row.text, language).fields() | found
    return found
