"""Whose page it is, and whose each entry: what names the show on the page, above a part of it, or in an entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from ...records import Show
from ..rows import PageRows
from ..show_names import is_show, normalize_show_name
from .page_rows import PageRow
from .records import Record
from .texts import is_prose, without_fields

WORDS = Path(__file__).parents[1] / "words"
PARTS = re.compile(r"(\s*[|·•»«›‹→>]\s*|\s+/\s+|\s+[-–—]+\s+|[–—]|\s?[:：]\s?)")
TOP = 40  # rows above the first entry in which saved text names its show
SHORT = 8  # words of a row that is a name


def _around(part: str, show: Show) -> bool:
    """True for a phrase that is the show's name among words that make no other name of it."""
    words, name = normalize_show_name(part).split(), normalize_show_name(show.title).split()
    if not name or len(words) > len(name) + 8:
        return False
    beside = around_names() | set(normalize_show_name(show.author).split())
    for place in range(len(words) - len(name) + 1):
        if words[place : place + len(name)] == name:
            others = [*words[:place], *words[place + len(name) :]]
            return all(word in beside or word.isdecimal() for word in others)
    return False


@cache
def around_names() -> frozenset[str]:
    """Words beside a show's name that make no other name of it: "all episodes of …"."""
    lines = (WORDS / "around_names.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def names_show(text: str, show: Show) -> bool:
    """True for a title or heading that is the show's name, alone or beside its site and words that any page has.

    What follows the name and a colon in capitals makes another show: "NAME: Reloaded".
    """
    pieces = PARTS.split(text[:500])
    for place in range(0, len(pieces), 2):
        behind = pieces[place + 1].strip() if place + 1 < len(pieces) else ""
        after = pieces[place + 2].strip() if behind in (":", "：") else ""
        subtitle = bool(after) and after[0].isupper() and not _around(after, show)
        if not subtitle and (is_show(pieces[place], show.title) or _around(pieces[place], show)):
            return True
    return False


def page_is_ours(
    page: PageRows, rows: Sequence[PageRow], found: Sequence[Record], series: Sequence[str], show: Show
) -> bool:
    """True where the page's data, title or headings name the show; on a page without any, a row above a list of which
    most is known."""
    first = min((record.first for record in found), default=len(rows))
    known = sum(bool(record.seed.episodes) for record in found)
    if any(is_show(name, show.title) for name in series):
        return True
    head = page.head
    headings = [row.text for row in rows[: max(first, 1)] if row.row.heading]
    titled = [text for text in (head.title, *head.names, *head.pictures, *headings) if text]
    if any(names_show(text, show) for text in titled):
        return True
    if series or (titled and page.markup):
        return False
    dated = sum(any(mark.kind == "date" for mark in row.marks) for row in rows[first:])
    if known * 2 < dated:
        return False
    above = rows[max(0, first - TOP) : first]
    if any(is_show(row.text, show.title) for row in above):
        return True
    above = [row for row in above if row.row.gap or row.place < 4]
    return any(names_show(row.text, show) for row in above if len(row.text.split()) <= SHORT + len(show.title.split()))


@dataclass(frozen=True, slots=True)
class Label:
    """What stands where other entries name their show."""

    column: Hashable
    ours: bool
    text: str


def labels(record: Record, rows: Sequence[PageRow], show: Show) -> list[Label]:
    """Short pieces of an entry that may name a show, each with its column."""
    found = []
    for place in record.rows():
        row = rows[place]
        below = (place > record.seed.place) - (place < record.seed.place)
        if is_prose(without_fields(row)) and not any(hit.row == place for hit in record.seed.hits):
            continue
        for name, text in _pieces(row, record):
            found.append(Label((below, name, row.slot), is_show(text, show.title), text))
    return found


def _pieces(row: PageRow, record: Record) -> list[tuple[str, str]]:
    """Stretches of a row between title, marks and the seams of its elements."""
    cuts = {0, len(row.text)}
    taken = [(hit.start, hit.end) for hit in record.seed.hits if hit.row == row.place]
    taken += [(mark.start, mark.end) for mark in row.marks]
    for start, end in (*taken, *row.show_names, *((p.start, p.end) for p in row.row.pieces)):
        cuts |= {start, end}
    edges = sorted(cut for cut in cuts if cut <= len(row.text))
    found = []
    title = record.seed.title
    for start, end in pairwise(edges):
        text = row.text[start:end].strip(' -–—|·•:/,()[]<>“”„«»"')
        if not text or any(low <= start and end <= high for low, high in taken) or len(text.split()) > SHORT:
            continue
        side = "row" if not title or title.row != row.place else "before" if end <= title.start else "behind"
        found.append((side, text))
    return found


def owners(records: Sequence[Record], rows: Sequence[PageRow], show: Show) -> list[str]:
    """For each entry "ours" where it or the heading of its part names the show, "other" where another name stands in the
    place where entries name it, else ""."""
    every = [labels(record, rows, show) for record in records]
    columns = Counter(label.column for own in every for label in own if label.ours)
    named = sum(any(label.ours for label in own) for own in every)
    known = sum(bool(record.seed.episodes) for record in records)
    heads = _heads(records, rows, show)
    return [
        _owner(own, columns, head, expected=not record.seed.episodes and named * 2 > known)
        for record, own, head in zip(records, every, heads, strict=True)
    ]


def _owner(own: Sequence[Label], columns: Counter[Hashable], head: str, *, expected: bool) -> str:
    """Whose an entry is by its labels, else by the heading above; `expected`: it would name the show if it were ours."""
    if any(label.ours for label in own):
        return "ours"
    named = any(label.column in columns and any(map(str.isalpha, label.text)) for label in own)
    return "other" if named or expected else head


def _heads(records: Sequence[Record], rows: Sequence[PageRow], show: Show) -> list[str]:
    """What the heading above each entry says: of the headings of the level that names the show once."""
    inside = {place for record in records for place in (record.seed.place, *(hit.row for hit in record.seed.hits))}
    named = [row for row in rows if is_show(row.text, show.title) and row.place not in inside]
    begins = {record.seed.first - 1 for record in records}
    kinds = {_kind(row, rows) for row in named if row.row.heading or row.place in begins}
    found, current, place = [], "", 0
    for record in records:
        while place <= record.seed.place:
            row = rows[place]
            if place not in inside and _kind(row, rows) in kinds and row.text and not row.marks:
                current = "ours" if is_show(row.text, show.title) else "other"
            place += 1
        found.append(current)
    return found


def _kind(row: PageRow, rows: Sequence[PageRow]) -> Hashable:
    following = rows[row.place + 1] if row.place + 1 < len(rows) else None
    tight = bool(following) and following is not None and following.row.gap == 0
    return (
        row.slot,
        bool(row.row.gap) if not row.row.path else None,
        tight if not row.row.path else None,
        len(row.text.split()) <= SHORT,
    )
