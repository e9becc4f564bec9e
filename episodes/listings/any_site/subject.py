"""Whose page it is, and whose each entry: what names the show on the page, above a part of it, or in an entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...records import Show
from ..rows import PageRows
from ..show_names import is_show, normalize_show_name
from ..words import words
from .page_rows import PageRow
from .records import Record
from .texts import is_prose, without_fields

PARTS = re.compile(r"(\s*[|·•»«›‹→>]\s*|\s+/\s+|\s+[-–—]+\s+|[–—]|\s?[:：]\s?)")
SIGNS = ' -–—|·•:/,()[]<>“”„«»"'  # around a name
WORDS_BETWEEN = re.compile(r"[^\w\s'’]")
LONGEST_LINK = 4  # letters of a word that links a name to a title: "in", "from"
SUBTITLE = re.compile(r"\s?[:：]\s?[^\W\d_a-z]")  # behind a name: it is another show's
TOP = 40  # rows above the first entry in which saved text names its show
SHORT_NAME = 5  # words of a name that another show may have
SHORT = 8  # words of a row that is a name


def _around(part: str, show: Show) -> bool:
    """True for a phrase that is the show's name among words that make no other name of it."""
    own, name = normalize_show_name(part).split(), normalize_show_name(show.title).split()
    if not name or len(own) > len(name) + 8:
        return False
    beside = words("around_names") | set(normalize_show_name(show.author).split())
    for place in range(len(own) - len(name) + 1):
        if own[place : place + len(name)] == name:
            others = [*own[:place], *own[place + len(name) :]]
            return all(word in beside or word.isdecimal() for word in others)
    return False


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
    above = [row for row in rows[: max(first, 1)] if row.row.heading and not row.row.region]
    top = min((row.row.heading for row in above), default=0)
    headings = [row.text for row in above if row.row.heading == top]
    titled = [text for text in (head.title, *head.names, *head.pictures, *headings) if text]
    if any(names_show(text, show) for text in titled):
        return True
    if series or (titled and page.markup):
        return False
    dated = sum(any(mark.kind == "date" for mark in row.marks) for row in rows[first:])
    if known * 2 < dated:
        return False
    near = rows[max(0, first - TOP) : first]
    if any(is_show(row.text, show.title) for row in near):
        return True
    begin = [row for row in near if row.row.gap or row.place < 4]
    return any(names_show(row.text, show) for row in begin if len(row.text.split()) <= SHORT + len(show.title.split()))


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
            ours = bool(row.show_names) and is_show(text, show.title)
            found.append(Label((below, name, row.slot), ours, text))
    return found


def _pieces(row: PageRow, record: Record) -> list[tuple[str, str]]:
    """Short stretches of a row between title, marks and the seams of its elements, each with its side of the title."""
    taken = [(hit.start, hit.end) for hit in record.seed.hits if hit.row == row.place]
    taken += [(mark.start, mark.end) for mark in row.marks]
    spans = [*taken, *row.show_names, *((piece.start, piece.end) for piece in row.row.pieces)]
    cuts = {0, len(row.text), *(place for span in spans for place in span)}
    found = []
    for start, end in pairwise(sorted(cut for cut in cuts if cut <= len(row.text))):
        text = row.text[start:end].strip(SIGNS)
        inside = any(low <= start and end <= high for low, high in taken)
        if text and not inside and len(text.split()) <= SHORT and _stands_alone(row.text, start, end, cuts, taken):
            found.append((_side(record, row, end), text))
    return found


def _side(record: Record, row: PageRow, end: int) -> str:
    title = record.seed.title
    if not title or title.row != row.place:
        return "row"
    return "before" if end <= title.start else "behind"


def _stands_alone(text: str, start: int, end: int, cuts: set[int], taken: Sequence[tuple[int, int]]) -> bool:
    """True for a name that is no part of a sentence and of no longer name: "in NAME and", "NAME: Reloaded"."""
    if SUBTITLE.match(text, end) and not any(low <= end + 3 < high for low, high in taken):
        return False
    before = max((cut for cut in cuts if cut < start), default=start)
    behind = min((cut for cut in cuts if cut > end), default=end)
    beside = [*_beside(text, before, start, taken, place=-1), *_beside(text, end, behind, taken, place=0)]
    return len(beside) < 2 and all(len(word) <= LONGEST_LINK for word in beside)


def _beside(text: str, start: int, end: int, taken: Sequence[tuple[int, int]], *, place: int) -> list[str]:
    """Words between a name and the next sign; a title, a date or a length is none."""
    if any(low <= start and end <= high for low, high in taken):
        return []
    return WORDS_BETWEEN.split(text[start:end])[place].split()


def owners(records: Sequence[Record], rows: Sequence[PageRow], show: Show) -> list[str]:
    """For each entry "ours" where it or the heading of its part names the show, "other" where another name stands in the
    place where entries name it, else ""."""
    every = [labels(record, rows, show) for record in records]
    columns = Counter(label.column for own in every for label in own if label.ours)
    named = sum(any(label.ours for label in own) for own in every)
    known = sum(bool(record.seed.episodes) for record in records)
    heads = _heads(records, rows, show)
    found = [
        _owner(own, columns, head, expected=not record.seed.episodes and named * 2 > known)
        for record, own, head in zip(records, every, heads, strict=True)
    ]
    last = _end_of_list(records, every, rows)
    labelled = [any(label.ours for label in own) for own in every]
    return [owner if place < last or labelled[place] else "other" for place, owner in enumerate(found)]


def _end_of_list(records: Sequence[Record], every: Sequence[Sequence[Label]], rows: Sequence[PageRow]) -> int:
    """How many entries the page's own list has: those behind it, below a heading, carry names that none of these has."""
    often = Counter(column for own in every for column in {label.column for label in own if _is_name(label)})
    rare = {column for column, count in often.items() if count * 2 <= len(records)}
    end = len(records)
    while end > 0 and any(label.column in rare and _is_name(label) for label in every[end - 1]):
        end -= 1
    for place in range(max(end, 1), len(records)):
        between = rows[records[place - 1].seed.place + 1 : records[place].seed.place]
        if any(_heads_part(row, rows) for row in between):
            return place
    return len(records)


def _is_name(label: Label) -> bool:
    return len(label.text.split()) <= SHORT_NAME and any(map(str.isalpha, label.text))


def _heads_part(row: PageRow, rows: Sequence[PageRow]) -> bool:
    """True for a heading, or a short row alone between blank lines."""
    following = rows[row.place + 1].row.gap if row.place + 1 < len(rows) else 1
    alone = not row.row.path and row.row.gap > 0 and following > 0
    return bool(row.row.heading) or (alone and len(row.text.split()) <= SHORT and not row.marks)


def _owner(own: Sequence[Label], columns: Counter[Hashable], head: str, *, expected: bool) -> str:
    """Whose an entry is by its labels, else by the heading above; `expected`: it would name the show if it were ours."""
    if any(label.ours for label in own):
        return "ours"
    named = any(label.column in columns and any(map(str.isalpha, label.text)) for label in own)
    return "other" if named or expected else head


def _heads(records: Sequence[Record], rows: Sequence[PageRow], show: Show) -> list[str]:
    """What the heading above each entry says: of the headings of the level that names the show once."""
    inside = {place for record in records for place in (record.seed.place, *(hit.row for hit in record.seed.hits))}
    named = [row for row in rows if row.show_names and is_show(row.text, show.title) and row.place not in inside]
    begins = {record.seed.first - 1 for record in records}
    kinds = {_kind(row, rows) for row in named if row.row.heading or (row.place in begins and not row.row.path)}
    found, current, level, place = [], "", 0, 0
    for record in records:
        for row in rows[place : record.seed.place + 1]:
            if row.place in inside or not row.text or row.marks:
                continue
            if _kind(row, rows) in kinds:
                current, level = ("ours" if is_show(row.text, show.title) else "other"), row.row.heading
            elif 0 < row.row.heading < level:
                current = ""  # a heading above that level begins another part
        place = record.seed.place + 1
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
