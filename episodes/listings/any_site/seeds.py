"""Finds where entries stand on a page: rows that name one known episode each, and rows that stand
like these."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from ...identity import marked
from .page_rows import PageRow
from .title_hits import SIGNS, Hit

BESIDE = 16  # characters on either side of a title
REST = 7  # other words of a row that still is a title
FEW = 4  # episodes with titles at one place, of which each then is what its row is about
BEFORE = 60  # characters of a row, before its title, by which the place is told
NUMBERS = re.compile(r"[\d\s]+")
MOST = 0.75  # of the rows at one place: so many known titles are a list of the show
QUOTED = 10  # words before a text in whose row it is not quoted


@dataclass(frozen=True, slots=True)
class Record:
    """An entry with its rows, from `first` to `last`, and the titles and texts in them; no episodes
    where it only stands like one that is known. `block` is its element, 0 where it has none of its
    own."""

    first: int
    last: int
    title: Hit | None
    episodes: tuple[int, ...] = ()
    hits: tuple[Hit, ...] = ()
    block: int = 0

    @property
    def place(self) -> int:
        """The row that names it first."""
        return self.title.row if self.title else self.hits[0].row

    @property
    def words(self) -> int:
        """The words of its title as printed."""
        return self.title.words if self.title else 0

    @property
    def is_known(self) -> bool:
        return bool(self.episodes)

    @property
    def is_by_signs(self) -> bool:
        """True where no title names it."""
        return self.title is not None and self.title.kind == SIGNS

    @property
    def has_text(self) -> bool:
        """True where the beginning of a known text stands in it."""
        return any(hit.kind == "text" for hit in self.hits)

    def of(self, rows: Sequence[PageRow]) -> Sequence[PageRow]:
        """Its own rows."""
        return rows[self.first : self.last + 1]

    def side(self, place: int) -> int:
        """-1 above the row of the title, 0 in it, 1 below."""
        return (place > self.place) - (place < self.place)

    def names_in(self, place: int) -> bool:
        return place in {hit.row for hit in self.hits}

    def spans_in(self, place: int) -> list[tuple[int, int]]:
        """The places of title and text in a row."""
        return [(hit.start, hit.end) for hit in self.hits if hit.row == place]


def seeds(rows: Sequence[PageRow], hits: Sequence[Hit]) -> list[Record]:
    """Entries that known episodes tell, in their order on the page."""
    columns: dict[Hashable, set[tuple[int, ...]]] = defaultdict(set)
    for hit in hits:
        columns[_column(hit, rows)].add(hit.episodes)
    return [
        joined([hit], frozenset(hit.episodes))
        for hit in hits
        if (_is_named(hit) or len(columns[_column(hit, rows)]) >= FEW)
        and not _is_elsewhere(hit, rows[hit.row])
    ]


def _column(hit: Hit, rows: Sequence[PageRow]) -> tuple[Hashable, str]:
    """The place of a title: the elements of its row, and the words before it, numbers and dates left
    out."""
    row = rows[hit.row]
    return (row.slot, row.row.column), _before(row, hit.start)


def _before(row: PageRow, end: int) -> str:
    return NUMBERS.sub(" ", row.words[max(0, end - BEFORE) : end])


def in_own_lists(records: Sequence[Record], rows: Sequence[PageRow]) -> Iterator[Record]:
    """The known entries at places where most rows are titles of the show: there a title is no word
    of something else, as a tag would be."""
    places: dict[tuple[Hashable, str], list[Record]] = defaultdict(list)
    for record in records:
        if record.is_known and record.title:
            places[_column(record.title, rows)].append(record)
    lengths: dict[Hashable, set[int]] = defaultdict(set)
    for slot, before in places:
        lengths[slot].add(len(before))
    alike: Counter[tuple[Hashable, str]] = Counter()
    for row in rows:
        slot, beginning = (row.slot, row.row.column), _before(row, BEFORE)
        alike.update((slot, beginning[:length]) for length in lengths[slot])
    for place, own in places.items():
        if len(own) >= FEW and 0 < alike[place] * MOST <= len(own):
            yield from own


def _is_elsewhere(hit: Hit, row: PageRow) -> bool:
    """True for a title in a menu, and for one beside a word that makes it another episode:
    "Replay:", "(trailer)"."""
    start, end = max(0, hit.start - BESIDE), hit.end + BESIDE
    beside = f"{row.text[start : hit.start]}\n{row.text[hit.end : end]}"
    return row.row.in_menu or bool(marked(beside))


def _is_named(hit: Hit) -> bool:
    """True for a hit that is what its row is about, not a word in a sentence."""
    return hit.rest <= (QUOTED if hit.kind == "text" else max(REST, hit.words))


def joined(group: Sequence[Hit], episodes: frozenset[int]) -> Record:
    """One entry of several hits, in their order on the page."""
    titles = [hit for hit in group if hit.kind != "text"]
    title = min(titles, key=lambda hit: (hit.rest, hit.row), default=None)
    return Record(group[0].row, group[-1].row, title, tuple(sorted(episodes)), tuple(group))
