"""Gives every entry of a page the rows that belong to it: its largest element that holds no other
entry; in a list without elements, the rows up to the next entry.

    article  Oct 3         the first row of a record
             Rope Walk     its seed: the row that names a known episode
             28 min        the last row
    article  Oct 10        an element beside it, of the same shape, with a date and a length:
             Sail Loft     an entry of no known episode
             31 min
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from ..rows import Blocks, PageRows
from .page_rows import PageRow
from .seeds import Record, joined
from .title_hits import Hit

MOST = 0.8  # a date or length that more entries have than this share belongs to every entry
NEAR = 12  # rows between those that name an entry
MOST_UNKNOWN = 2_000  # entries
LONGEST = 60  # rows of an entry that nobody knows, and of the last one of a list in which nothing groups rows


def records(
    seeds: Sequence[Record],
    rows: Sequence[PageRow],
    page: PageRows,
    elements: dict[int, Element],
) -> list[Record]:
    """The entries with their rows, in their order; those of one episode that follow each other are
    one."""
    found: list[Record] = []
    for record in _in_elements(seeds, rows, page, elements):
        if found and _goes_on(found[-1], record, rows):
            record = _both(found.pop(), record)
        found.append(record)
    found += _unknown(found, rows, _beside(found, page, elements), elements)
    return _extended(found, rows, page, elements)


@dataclass(slots=True)
class Element:
    """First and last row of an element, and the kinds of dates and lengths in it."""

    first: int
    last: int
    kinds: set[str]

    @property
    def rows(self) -> range:
        return range(self.first, self.last + 1)


def elements_of(rows: Sequence[PageRow]) -> dict[int, Element]:
    """Every element by its number; 0 is the whole page."""
    found = {0: Element(0, len(rows) - 1, set())}
    for row in rows:
        for number in row.row.path:
            element = found.setdefault(number, Element(row.place, row.place, set()))
            element.last = row.place
            element.kinds |= {mark.kind for mark in row.marks}
    return found


def _in_elements(
    seeds: Sequence[Record],
    rows: Sequence[PageRow],
    page: PageRows,
    elements: dict[int, Element],
) -> list[Record]:
    """Each entry's largest element that holds no other one, and is none of several alike."""
    blocks = page.blocks
    kinds = {
        number: (blocks.parents[number], blocks.shapes[number], frozenset(element.kinds))
        for number, element in elements.items()
    }
    often = Counter(kind for kind in kinds.values() if kind[2])
    starts = [seed.first for seed in seeds]
    found = []
    for seed in seeds:
        record = seed
        for number in reversed(rows[seed.first].row.path):
            element = elements[number]
            low, high = bisect_left(starts, element.first), bisect_right(starts, element.last)
            if often[kinds[record.block]] > 2 or any(
                _is_another(seed, other, rows) for other in seeds[low:high]
            ):
                break
            record = replace(seed, first=element.first, last=element.last, block=number)
        found.append(record)
    return found


def _is_another(seed: Record, other: Record, rows: Sequence[PageRow]) -> bool:
    """True for the seed of another entry: of another episode, or of the same one in another row of
    the same kind."""
    if not set(seed.episodes) & set(other.episodes):
        return seed is not other
    row, other_row = rows[seed.place], rows[other.place]
    alike = (seed.title is None) == (other.title is None) and row.slot == other_row.slot
    return alike and row is not other_row and row.row.shape != ()


def _goes_on(last: Record, record: Record, rows: Sequence[PageRow]) -> bool:
    """True for an entry that goes on with the one before it: a title and its text in elements of
    their own."""
    joint = last.block == record.block or (last.title is None) != (record.title is None)
    near = record.first - last.last <= NEAR and not _is_another(last, record, rows)
    return near and (joint or (last.first == last.last and not rows[last.first].row.shape))


def _both(record: Record, more: Record) -> Record:
    """One entry that two rows name."""
    episodes = frozenset(record.episodes) & frozenset(more.episodes)
    block = record.block if record.block == more.block else 0
    first, last = min(record.first, more.first), max(record.last, more.last)
    both = joined((*record.hits, *more.hits), episodes)
    return replace(both, first=first, last=last, block=block)


def _beside(known: Sequence[Record], page: PageRows, elements: dict[int, Element]) -> list[int]:
    """Elements beside those of the entries, of the shape that most of these have, that hold the
    kinds of dates and lengths that nearly all have."""
    own = _of_usual_shape(known, page.blocks)
    places = {(page.blocks.shapes[number], page.blocks.parents[number]) for number in own}
    often = Counter(kind for number in own for kind in elements[number].kinds)
    needed = {kind for kind, times in often.items() if times > len(own) * MOST}
    return [
        number
        for number, element in elements.items()
        if (page.blocks.shapes[number], page.blocks.parents[number]) in places
        and needed <= element.kinds
        and element.last - element.first < LONGEST
        and (needed or page.markup)
    ]


def _of_usual_shape(known: Sequence[Record], blocks: Blocks) -> list[int]:
    """The elements of the entries that have the shape of most; none where no shape is usual."""
    shapes = Counter(blocks.shapes[record.block] for record in known)
    usual, count = max(shapes.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))
    is_usual = bool(usual) and count >= max(2, len(known) / 2)
    return [r.block for r in known if is_usual and blocks.shapes[r.block] == usual]


def _unknown(
    known: Sequence[Record],
    rows: Sequence[PageRow],
    beside: Sequence[int],
    elements: dict[int, Element],
) -> list[Record]:
    """Entries of no known episode: elements without a known entry in which a row is like the rows of
    known titles, and at least as far below the element's first row."""
    titled = [record for record in known if record.title]
    kinds = {_kind(rows[record.place]) for record in titled}
    offset = min((record.place - record.first for record in titled), default=0)
    taken = {row.place for record in known for row in record.of(rows)}
    found = []
    for number in beside[:MOST_UNKNOWN]:
        first, last = elements[number].first, elements[number].last
        below = rows[first + offset : last + 1] if taken.isdisjoint(range(first, last + 1)) else ()
        titles = (row for row in below if _kind(row) in kinds)
        for title in islice(titles, 1):
            hit = Hit(title.place, 0, len(title.text), (), "unknown")
            found.append(Record(first, last, hit, block=number))
    return found


def _kind(row: PageRow) -> tuple[object, ...]:
    """The elements of a row, and which dates and lengths it holds."""
    return row.slot, frozenset(mark.kind for mark in row.marks)


def _extended(
    found: Sequence[Record],
    rows: Sequence[PageRow],
    page: PageRows,
    elements: dict[int, Element],
) -> list[Record]:
    """The entries; one in a row that nothing groups with others goes on to the next entry, or
    begins with the date above where most have none in their own."""
    if not found:
        return []
    ordered = sorted(found, key=lambda record: record.first)
    first = ordered[0].first
    plain = sum(record.first == record.last and not rows[record.first].marks for record in found)
    lead = bool(plain * 2 > len(found) and first and rows[first - 1].marks)
    begins = [record.first - lead for record in ordered]
    sizes = sorted(behind - begin for begin, behind in pairwise(begins))
    usual = sizes[len(sizes) * 3 // 4] if sizes else LONGEST
    extended = []
    for record, (begin, behind) in zip(ordered, pairwise([*begins, len(rows)]), strict=True):
        alone = record.first == record.last
        end = elements[page.blocks.parents[record.block]].last
        last = min(behind - 1, record.last + usual, end) if alone else record.last
        last = max(last, record.last)  # another entry may begin in its row
        extended.append(replace(record, first=begin, last=last))
    return extended
