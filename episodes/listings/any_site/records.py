"""Gives every entry of a page the rows that belong to it: its element on an HTML page, else the
rows around its title."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from ..rows import PageRows
from .page_rows import PageRow
from .seeds import Seed, joined
from .title_hits import Hit, rest_of

FIELDS = ("date", "length", "clock")
MOST = 0.8  # share of the entries that have what all have
LONGEST = 60  # rows of an entry among rows without elements of their own

Reach = dict[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Record:
    """An entry with its rows, from `first` to `last`; `block` is its element, 0 where it has none
    of its own."""

    seed: Seed
    first: int
    last: int
    block: int = 0

    @property
    def is_known(self) -> bool:
        return bool(self.seed.episodes)

    @property
    def is_titled(self) -> bool:
        return self.seed.title is not None

    @property
    def has_text(self) -> bool:
        """True where the beginning of a known text stands in it."""
        return any(hit.kind == "text" for hit in self.seed.hits)

    def of(self, rows: Sequence[PageRow]) -> Sequence[PageRow]:
        """Its own rows."""
        return rows[self.first : self.last + 1]

    def side(self, place: int) -> int:
        """-1 above the row of the title, 0 in it, 1 below."""
        return (place > self.seed.place) - (place < self.seed.place)

    def places(self) -> set[int]:
        """Rows that name the episode."""
        return {self.seed.place, *(hit.row for hit in self.seed.hits)}

    def names_in(self, place: int) -> bool:
        return place in {hit.row for hit in self.seed.hits}

    def spans_in(self, place: int) -> list[tuple[int, int]]:
        """The places of title and text in a row."""
        return [(hit.start, hit.end) for hit in self.seed.hits if hit.row == place]


def records(seeds: Sequence[Seed], rows: Sequence[PageRow], page: PageRows) -> list[Record]:
    """The entries with their rows, in their order."""
    if not seeds:
        return []
    return _by_elements(seeds, rows, page) if page.markup else _by_rows(seeds, rows)


# -- elements
# --------------------------------------------------------------------------------------------------


def _by_elements(seeds: Sequence[Seed], rows: Sequence[PageRow], page: PageRows) -> list[Record]:
    """Each entry's largest element that holds no other entry, known or not."""
    reach, alike = _reach(rows), _alike(rows, page)
    starts = [seed.first for seed in seeds]
    found: list[Record] = []
    for seed in seeds:
        record = Record(seed, seed.first, seed.last)
        for number in reversed(rows[seed.first].row.path):
            low, high = reach[number]
            inside = seeds[bisect_left(starts, low) : bisect_right(starts, high)]
            if record.block in alike or any(_is_another(seed, other, rows) for other in inside):
                break
            record = Record(seed, low, high, number)
        found.append(record)
    usual = _usual_shape(found, page)
    parents = {
        page.parents[record.block] for record in found if page.shapes.get(record.block) == usual
    }
    beside = [
        (number, *span)
        for number, span in reach.items()
        if page.shapes[number] == usual and page.parents[number] in parents
    ]
    return _with_unknown(_merged(found), beside, rows)


def _alike(rows: Sequence[PageRow], page: PageRows) -> set[int]:
    """Elements beside which two more stand that have their shape and their kinds of fields: entries
    of a list."""
    fields: dict[int, set[str]] = defaultdict(set)
    for row in rows:
        for number in row.row.path if row.marks else ():
            fields[number] |= {mark.kind for mark in row.marks}
    kinds = {
        number: (page.parents[number], page.shapes[number], frozenset(own))
        for number, own in fields.items()
    }
    often = Counter(kinds.values())
    return {number for number, kind in kinds.items() if often[kind] > 2}


def _usual_shape(found: Sequence[Record], page: PageRows) -> str:
    """Tag and classes of most entries' elements; "" where they have none in common."""
    shapes = Counter(page.shapes.get(record.block, "") for record in found)
    count, shape = max((count, shape) for shape, count in shapes.items())
    return shape if max(2, len(found) / 2) <= count else ""


def _merged(found: Sequence[Record]) -> list[Record]:
    """The entries, those of one episode that follow each other as one: its title and its text in
    elements of their own."""
    merged = list(found[:1])
    for record in found[1:]:
        last = merged[-1]
        joint = last.block == record.block or last.is_titled != record.is_titled
        same = joint and set(last.seed.episodes) & set(record.seed.episodes)
        if same and record.first - last.last <= 2:
            merged[-1] = _both(last, record)
        else:
            merged.append(record)
    return merged


def _with_unknown(
    known: Sequence[Record],
    spans: Sequence[tuple[int, int, int]],
    rows: Sequence[PageRow],
    offset: int = 0,
) -> list[Record]:
    """The known entries, and others: rows that hold no known one, with a row of the kind that known
    titles are, so many rows below the first."""
    slots = {rows[record.seed.place].slot for record in known if record.is_titled}
    taken = {row.place for record in known for row in record.of(rows)}
    found = list(known)
    for block, first, last in spans:
        below = rows[first + offset : last + 1] if taken.isdisjoint(range(first, last + 1)) else ()
        titles = (row for row in below if row.slot in slots and rest_of(row, 0, 0))
        for title in islice(titles, 1):
            hit = Hit(title.place, 0, len(title.text), (), "unknown")
            seed = Seed(title.place, title.place, hit)
            found.append(Record(seed, first, last, block))
    return sorted(found, key=lambda record: record.first)


def _is_another(seed: Seed, other: Seed, rows: Sequence[PageRow]) -> bool:
    """True for the seed of another entry: of another episode, or of the same one in another row of
    the same kind."""
    if not set(seed.episodes) & set(other.episodes):
        return seed is not other
    alike = (seed.title is None) == (other.title is None)
    slots = {rows[one.place].slot for one in (seed, other)}
    return seed.place != other.place and alike and len(slots) == 1


def _both(record: Record, more: Record) -> Record:
    """One entry that two rows name."""
    hits = (*record.seed.hits, *more.seed.hits)
    episodes = frozenset(record.seed.episodes) & frozenset(more.seed.episodes)
    block = record.block if record.block == more.block else 0
    last = max(record.last, more.last)
    return Record(joined(hits, episodes), min(record.first, more.first), last, block)


def _reach(rows: Sequence[PageRow]) -> Reach:
    """First and last row of every element."""
    found: dict[int, tuple[int, int]] = {}
    for row in rows:
        for number in row.row.path:
            found[number] = (found.get(number, (row.place, 0))[0], row.place)
    return found


# -- rows
# ---------------------------------------------------------------------------------------------


def _by_rows(seeds: Sequence[Seed], rows: Sequence[PageRow]) -> list[Record]:
    """Each entry's rows among rows that nothing groups: those from one start to the next; else from
    its title to the next one, or from the dates above them where the list begins with one."""
    starts = _starts(seeds, rows)
    blocks = _alone(seeds, starts, len(rows))
    alone = {record.seed.episodes for record in blocks}
    if len(alone) * 2 >= max(1, len({seed.episodes for seed in seeds})):
        offsets = Counter(record.seed.place - record.first for record in blocks if record.is_titled)
        offset = max(offsets, key=offsets.__getitem__, default=0)
        return _with_unknown(blocks, _blocks_like(blocks, rows, starts), rows, offset)
    first = seeds[0].first
    return _parted(seeds, rows, lead=int(any(row.marks for row in rows[max(0, first - 1) : first])))


def _starts(seeds: Sequence[Seed], rows: Sequence[PageRow]) -> list[int]:
    """The rows that can begin an entry: the headings where all titles are some, else those below
    blank lines, and those with a date where each entry has a line."""
    if all(rows[seed.place].row.heading for seed in seeds):
        return sorted({0, *(row.place for row in rows if row.row.heading)})
    following = sum(after.first == seed.last + 1 for seed, after in pairwise(seeds))
    is_dense = following * 2 > len(seeds)
    begins = (row.place for row in rows if row.row.gap or (is_dense and row.marks))
    return sorted({0, *begins})


def _alone(seeds: Sequence[Seed], starts: Sequence[int], end: int) -> list[Record]:
    """The entries that share the rows from one start to the next with no other."""
    ends = [*starts[1:], end]
    places = [bisect_right(starts, seed.first) - 1 for seed in seeds]
    often = Counter(places)
    return [
        Record(seed, starts[place], max(seed.last, ends[place] - 1))
        for seed, place in zip(seeds, places, strict=True)
        if often[place] == 1
    ]


def _blocks_like(
    known: Sequence[Record], rows: Sequence[PageRow], starts: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Rows between blank lines that hold what nearly all known entries hold."""
    kinds = Counter(kind for record in known for kind in _kinds(rows, record.first, record.last))
    needed = {kind for kind in FIELDS if kinds[kind] > len(known) * MOST}
    return [
        (0, first, behind - 1)
        for first, behind in pairwise([*starts, len(rows)])
        if needed and needed <= _kinds(rows, first, behind - 1)
    ]


def _kinds(rows: Sequence[PageRow], first: int, last: int) -> set[str]:
    return {mark.kind for row in rows[first : last + 1] for mark in row.marks}


def _parted(seeds: Sequence[Seed], rows: Sequence[PageRow], lead: int) -> list[Record]:
    """The entries, each from so many rows above its title to where the next one begins."""
    lows = [max(0, seeds[0].first - LONGEST), *(seed.last + 1 for seed in seeds)]
    begins = [max(seed.first - lead, low) for seed, low in zip(seeds, lows, strict=False)]
    sizes = sorted(end - begin for begin, end in pairwise(begins))
    usual = sizes[len(sizes) * 3 // 4] if sizes else LONGEST
    ends = [*begins[1:], min(len(rows), seeds[-1].last + LONGEST)]
    return [
        Record(seed, begin, max(seed.last, min(end - 1, seed.last + usual + 1)))
        for seed, begin, end in zip(seeds, begins, ends, strict=True)
    ]
