"""Gives every entry of a page the rows that belong to it: its element on an HTML page, else the
rows around its title."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from ..rows import PageRows
from .agreement import agreement
from .episode_index import KnownEpisode
from .page_rows import PageRow
from .seeds import Seed
from .title_hits import Hit, rest_of

FIELDS = ("date", "length", "clock")
MOST = 0.8  # share of the entries that have what all have
LEADS = 5  # rows above a title that may be its entry's
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
    def has_text(self) -> bool:
        """True where the beginning of a known text stands in it."""
        return any(hit.kind == "text" for hit in self.seed.hits)

    @property
    def is_cut(self) -> bool:
        """True where only the beginning of a title stands, which may be that of another episode."""
        return self.seed.title is not None and self.seed.title.kind == "cut"

    def rows(self) -> range:
        return range(self.first, self.last + 1)

    def side(self, place: int) -> int:
        """-1 above the row of the title, 0 in it, 1 below."""
        return (place > self.seed.place) - (place < self.seed.place)

    def places(self) -> set[int]:
        """Rows that name the episode."""
        return {self.seed.place, *(hit.row for hit in self.seed.hits)}

    def names_in(self, place: int) -> bool:
        return any(hit.row == place for hit in self.seed.hits)

    def spans_in(self, place: int) -> list[tuple[int, int]]:
        """Where title and text stand in a row."""
        return [(hit.start, hit.end) for hit in self.seed.hits if hit.row == place]


def records(
    seeds: Sequence[Seed], rows: Sequence[PageRow], page: PageRows, episodes: Sequence[KnownEpisode]
) -> list[Record]:
    """The entries with their rows, in their order."""
    if not seeds:
        return []
    return _by_elements(seeds, rows, page) if page.markup else _by_rows(seeds, rows, episodes)


# -- elements
# ---------------------------------------------------------------------------------------------------------


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
    found = list(_merged(found))
    return sorted(
        [*found, *_siblings(found, usual, rows, page, reach)], key=lambda record: record.first
    )


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
    shape, count = max(shapes.items(), key=lambda pair: (pair[1], pair[0]))
    return shape if count > 1 and count * 2 >= len(found) else ""


def _merged(found: Sequence[Record]) -> Iterator[Record]:
    """The entries, those of one episode that follow each other as one: its title and its text in
    elements of their own."""
    last: Record | None = None
    for record in found:
        same = (
            last
            and set(last.seed.episodes) & set(record.seed.episodes)
            and record.first - last.last <= 2
        )
        if last and same and (last.block == record.block or rows_differ(last, record)):
            last = _both(last, record)
            continue
        if last:
            yield last
        last = record
    if last:
        yield last


def rows_differ(one: Record, other: Record) -> bool:
    """True where one is named by its title and the other by its text."""
    return (one.seed.title is None) != (other.seed.title is None)


def _siblings(
    found: Sequence[Record], usual: str, rows: Sequence[PageRow], page: PageRows, reach: Reach
) -> Iterator[Record]:
    """Elements beside those of known entries, of the same shape, with a row where known titles
    stand: other entries."""
    parents = {
        page.parents[record.block] for record in found if page.shapes.get(record.block) == usual
    }
    slots = {rows[record.seed.place].slot for record in found if record.seed.title}
    taken = {place for record in found for place in record.rows()}
    for number, (first, last) in reach.items():
        if (
            usual == page.shapes[number]
            and page.parents[number] in parents
            and taken.isdisjoint(range(first, last + 1))
        ):
            titles = (
                row for row in rows[first : last + 1] if row.slot in slots and rest_of(row, 0, 0)
            )
            yield from (_unknown(row, first, last, number) for row in islice(titles, 1))


def _unknown(title: PageRow, first: int, last: int, block: int = 0) -> Record:
    """An entry that nobody knows, with its title in a row."""
    hit = Hit(title.place, 0, len(title.text), (), "unknown")
    return Record(Seed(title.place, title.place, hit), first, last, block)


def _is_another(seed: Seed, other: Seed, rows: Sequence[PageRow]) -> bool:
    """True for the seed of another entry: of another episode, or of the same one in another row of
    the same kind."""
    if not set(seed.episodes) & set(other.episodes):
        return seed is not other
    alike = (seed.title is None) == (other.title is None) and rows[seed.place].slot == rows[
        other.place
    ].slot
    return seed.place != other.place and alike


def _both(record: Record, more: Record) -> Record:
    """One entry that two rows name."""
    one, seed = record.seed, more.seed
    titles = [title for title in (one.title, seed.title) if title]
    title = min(titles, key=lambda hit: (hit.kind != "title", hit.rest, hit.row), default=None)
    episodes = tuple(sorted(set(one.episodes) & set(seed.episodes)))
    joined = Seed(
        min(one.first, seed.first),
        max(one.last, seed.last),
        title,
        episodes,
        (*one.hits, *seed.hits),
    )
    block = record.block if record.block == more.block else 0
    return Record(joined, min(record.first, more.first), max(record.last, more.last), block)


def _reach(rows: Sequence[PageRow]) -> Reach:
    """First and last row of every element."""
    found: dict[int, tuple[int, int]] = {}
    for row in rows:
        for number in row.row.path:
            found[number] = (found.get(number, (row.place, 0))[0], row.place)
    return found


# -- rows
# ---------------------------------------------------------------------------------------------


def _by_rows(
    seeds: Sequence[Seed], rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]
) -> list[Record]:
    """Each entry's rows among rows that nothing groups: the way to part them that agrees most with
    what is known."""
    found = [_parted(seeds, rows, lead) for lead in range(LEADS)]
    following = [seed for seed, after in pairwise(seeds) if after.first == seed.last + 1]
    is_dense = len(following) * 2 > len(seeds)  # an entry a line
    starts = [row.place for row in rows if row.row.gap or not row.place or (is_dense and row.marks)]
    blocks = _alone(seeds, starts, len(rows))
    if len({block.seed.episodes for block in blocks}) * 2 >= len({seed.episodes for seed in seeds}):
        found = [blocks] if is_dense else [*found, blocks]
    best = max(found, key=lambda own: (_agreement(own, rows, episodes), _evenness(own, rows)))
    if best is not blocks:
        return best
    return sorted([*best, *_blocks_like(best, rows, starts)], key=lambda record: record.first)


def _alone(seeds: Sequence[Seed], starts: Sequence[int], end: int) -> list[Record]:
    """The entries that share the rows between two blank lines with no other."""
    found = []
    for seed in seeds:
        behind = bisect_right(starts, seed.last)
        last = starts[behind] if behind < len(starts) else end
        found.append(Record(seed, starts[bisect_right(starts, seed.first) - 1], last - 1))
    often = Counter(block.first for block in found)
    return [block for block in found if often[block.first] == 1]


def _blocks_like(
    known: Sequence[Record], rows: Sequence[PageRow], starts: Sequence[int]
) -> Iterator[Record]:
    """Rows between blank lines, near those of known entries, that hold what all of these hold:
    other entries."""
    needed, offset = _usual(known, rows)
    taken = {place for record in known for place in record.rows()}
    often = Counter(row.text for row in rows)
    near = range(known[0].first - LONGEST, known[-1].last + LONGEST)
    for first, behind in pairwise([*starts, len(rows)]) if needed else ():
        title = rows[min(first + offset, behind - 1)]
        is_title = often[title.text] == 1 and rest_of(title, 0, 0)
        if (
            first in near
            and first not in taken
            and is_title
            and needed <= _kinds(rows, first, behind - 1)
        ):
            yield _unknown(title, first, behind - 1)


def _usual(known: Sequence[Record], rows: Sequence[PageRow]) -> tuple[set[str], int]:
    """The kinds of fields that nearly all entries have, and the row of the title in most; none
    where no title is known."""
    kinds = Counter(kind for record in known for kind in _kinds(rows, record.first, record.last))
    offsets = Counter(record.seed.place - record.first for record in known if record.seed.title)
    if not offsets:
        return set(), 0
    return {kind for kind in FIELDS if kinds[kind] > len(known) * MOST}, offsets.most_common(1)[0][
        0
    ]


def _kinds(rows: Sequence[PageRow], first: int, last: int) -> set[str]:
    return {mark.kind for row in rows[first : last + 1] for mark in row.marks}


def _parted(seeds: Sequence[Seed], rows: Sequence[PageRow], lead: int) -> list[Record]:
    """The entries, each from so many rows above its title to where the next one begins."""
    begins: list[int] = []
    low = max(0, seeds[0].first - LONGEST)
    for seed in seeds:
        begins.append(max(seed.first - lead, low))
        low = seed.last + 1
    ends = [*(begin - 1 for begin in begins[1:]), min(len(rows) - 1, seeds[-1].last + LONGEST)]
    sizes = sorted(end - begin for begin, end in pairwise(begins))
    usual = sizes[len(sizes) * 3 // 4] if sizes else LONGEST
    return [
        Record(seed, begin, max(seed.last, min(end, seed.last + usual + 1)))
        for seed, begin, end in zip(seeds, begins, ends, strict=True)
    ]


def _agreement(
    found: Sequence[Record], rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]
) -> int:
    """How many dates and lengths of the entries are those of their episodes, less those that are
    not."""
    total = 0
    for record in found:
        own = [episodes[name] for name in record.seed.episodes]
        votes = [
            agreement(mark, episode)
            for place in record.rows()
            for mark in rows[place].marks
            for episode in own
        ]
        total += min(2, votes.count(1)) - 2 * votes.count(-1)
    return total


def _evenness(found: Sequence[Record], rows: Sequence[PageRow]) -> int:
    """How many entries begin and end at a gap: blank lines are drawn between entries."""
    ends = sum(
        record.last + 1 >= len(rows) or rows[record.last + 1].row.gap > 0 for record in found
    )
    return ends + sum(rows[record.first].row.gap > 0 for record in found)
