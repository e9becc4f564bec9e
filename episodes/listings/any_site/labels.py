"""Short pieces of an entry that may name a show, each with the column in which it stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from ...records import Show
from ..show_names import is_show, normalize_show_name
from .page_rows import PageRow
from .seeds import Record
from .texts import is_prose

SIGNS = ' -–—|·•:/,()[]<>“”„«»"'  # around a name
BETWEEN = re.compile(r"[^\w\s'’]")  # signs that part words
LONGEST_LINK = 4  # letters of a word that links a name to a title: "in", "from"
SUBTITLE = re.compile(r"\s?[:：]\s?[^\W\d_a-z]")  # behind a name: it is another show's
# The first value of a column: of a name beside the title, and of one below the entry's element.
TITLE_ROW, BEHIND = 0, 2
NUMBER = re.compile(r"\d+")
SHORT = 8  # words of a row that is a name
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Label:
    """The texts at the places where other entries name their show."""

    column: tuple[Hashable, ...]
    ours: bool
    others: bool  # the name of another show of the catalog
    is_name: bool  # it has letters
    text: str

    @property
    def pattern(self) -> str:
        """Its words, with every number as 0."""
        return NUMBER.sub("0", self.text)


def labels(
    record: Record, rows: Sequence[PageRow], show: Show, others: Collection[str]
) -> list[Label]:
    """Short pieces of an entry that may name a show, each with its column; `others` are the
    normalized names of other shows."""
    found = []
    for row in record.of(rows):
        # Twice as far where it is outside of the entry's element.
        beside = record.side(row.place) * (1 + (record.block not in row.row.path))
        if not _is_field(record, row, beside):
            continue
        pieces = list(_pieces(row, record))
        if row.show_names and not (pieces or record.names_in(row.place)):
            pieces = [("row", row.text)]  # a longer name, that has the show's in it
        for side, text in pieces:
            column = (beside, side, row.slot)
            is_name = any(map(str.isalpha, text)) and not _is_cut_name(text, show.title)
            is_others = normalize_show_name(text) in others
            ours = is_show(text, show.title)
            found.append(Label(column, ours, is_others, is_name, text))
    return found


def _is_cut_name(text: str, title: str) -> bool:
    """True for the beginning of the show's name, where a site cuts it."""
    begins = normalize_show_name(title).startswith(normalize_show_name(text))
    return text.endswith(("…", "...")) and begins


def _is_field(record: Record, row: PageRow, beside: int) -> bool:
    """True for a row that is no sentence, and no heading of what follows; one with the title may
    hold anything."""
    is_heading = beside == BEHIND and row.row.heading
    return record.names_in(row.place) or not (is_heading or is_prose(row.words))


def _pieces(row: PageRow, record: Record) -> Iterator[tuple[str, str]]:
    """Short stretches of a row between title, marks and the seams of its elements, each with its
    side of the title."""
    taken = [*record.spans_in(row.place), *((mark.start, mark.end) for mark in row.marks)]
    spans = [*taken, *row.show_names, *((piece.start, piece.end) for piece in row.row.pieces)]
    cuts = sorted({0, len(row.text), *chain.from_iterable(spans)})
    # Each stretch with where the one before it begins, and the one behind it ends.
    for before, start, end, behind in zip(
        cuts[:1] + cuts, cuts, cuts[1:], cuts[2:] + cuts[-1:], strict=False
    ):
        text = row.text[start:end].strip(SIGNS)
        short = 0 < len(text.split()) <= SHORT
        if (
            short
            and not _inside(start, end, taken)
            and _stands_alone(row.text, (before, start, end, behind), taken)
        ):
            yield _side(record, row, end), text


def _inside(start: int, end: int, taken: Sequence[Span]) -> bool:
    return any(low <= start and end <= high for low, high in taken)


def _side(record: Record, row: PageRow, end: int) -> str:
    title = record.title
    if not title or title.row != row.place:
        return "row"
    return "before" if end <= title.start else "behind"


def _stands_alone(text: str, edges: tuple[int, int, int, int], taken: Sequence[Span]) -> bool:
    """True for a name that is no part of a sentence and of no longer name: "in NAME and", "NAME:
    Reloaded"."""
    before, start, end, behind = edges
    if SUBTITLE.match(text, end) and not any(low <= end + 3 < high for low, high in taken):
        return False
    beside = _beside(text, before, start, taken, place=-1) + _beside(
        text, end, behind, taken, place=0
    )
    return len(beside) < 2 and all(len(word) <= LONGEST_LINK for word in beside)


def _beside(text: str, start: int, end: int, taken: Sequence[Span], *, place: int) -> list[str]:
    """Words between a name and the next sign; a title, a date or a length is none."""
    return [] if _inside(start, end, taken) else BETWEEN.split(text[start:end])[place].split()
