"""Gives every entry of a page the rows that belong to it: its element on an HTML page, else the rows around its title."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
    """An entry with its rows, from `first` to `last`; `block` is its element, 0 where it has none of its own."""

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
        """True where only a part of a title stands, which may be that of another episode."""
        return self.seed.title is not None and self.seed.title.kind in ("cut", "part")

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
    if page.markup:
        found = _by_elements(seeds, rows, page)
        if _hold_their_fields(found, rows):
            return found
    return _by_rows(seeds, rows, episodes)


# -- elements ---------------------------------------------------------------------------------------------------------


def _by_elements(seeds: Sequence[Seed], rows: Sequence[PageRow], page: PageRows) -> list[Record]:
    """Each entry's largest element that holds no other entry, known or not."""
    reach = _reach(rows)
    lists = _Lists(rows, page, reach)
    starts = [seed.first for seed in seeds]
    found: list[Record] = []
    for seed in seeds:
        first, last, block = seed.first, seed.last, 0
        for number in reversed(rows[seed.first].row.path):
            low, high = reach[number]
            inside = seeds[bisect_left(starts, low) : bisect_right(starts, high)]
            if lists.is_entry_of(block, number) or any(_is_another(seed, other, rows) for other in inside):
                break
            first, last, block = low, high, number
        found.append(Record(seed, first, last, block))
    usual = _usual_shape(found, page)
    found = [_within(record, usual, rows, page, reach) for record in found]
    found = list(_merged(found))
    return sorted([*found, *_siblings(found, usual, rows, page, reach)], key=lambda record: record.first)


@dataclass(frozen=True)
class _Lists:
    """Which elements hold several that are alike."""

    rows: Sequence[PageRow]
    page: PageRows
    reach: Reach

    def is_entry_of(self, block: int, parent: int) -> bool:
        """True where beside an element stand two more of its shape with all the kinds of fields that it has."""
        if self.page.parents.get(block) != parent:
            return False
        fields = self._fields(block)
        beside = (other for other in self._alike[parent, self.page.shapes[block]] if other != block)
        return bool(fields) and len(list(islice((n for n in beside if fields <= self._fields(n)), 2))) == 2

    @cached_property
    def _alike(self) -> dict[tuple[int, str], list[int]]:
        found: dict[tuple[int, str], list[int]] = defaultdict(list)
        for number in self.reach:
            found[self.page.parents.get(number, 0), self.page.shapes[number]].append(number)
        return found

    def _fields(self, block: int) -> set[str]:
        """Kinds of fields; that it has a link only says something of an element with several rows."""
        first, last = self.reach[block]
        own = self.rows[first : last + 1]
        linked = last > first and any(row.row.links for row in own)
        return {mark.kind for row in own for mark in row.marks} | ({"link"} if linked else set())


def _usual_shape(found: Sequence[Record], page: PageRows) -> str:
    """Tag and classes of most entries' elements; "" where they have none in common."""
    shapes = Counter(page.shapes.get(record.block, "") for record in found)
    shape, count = max(shapes.items(), key=lambda pair: (pair[1], pair[0]))
    return shape if count > 1 and count * 2 >= len(found) else ""


def _within(record: Record, usual: str, rows: Sequence[PageRow], page: PageRows, reach: Reach) -> Record:
    """The entry in an element of the usual shape, where the largest that holds it alone has another."""
    path = rows[record.seed.first].row.path
    inner = [number for number in path if page.shapes.get(number) == usual]
    if not usual or not inner or page.shapes.get(record.block) == usual:
        return record
    place = inner[-1]
    if record.block and place not in path[path.index(record.block) :]:
        return record
    return replace(record, first=reach[place][0], last=reach[place][1], block=place)


def _merged(found: Sequence[Record]) -> Iterator[Record]:
    """The entries, those of one episode that follow each other as one: its title and its text in elements of their own."""
    last: Record | None = None
    for record in found:
        same = last and set(last.seed.episodes) & set(record.seed.episodes) and record.first - last.last <= 2
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
    """Elements beside those of known entries, of the same shape, with a row where known titles stand: other entries."""
    parents = _parents_of_lists(found, usual, page)
    slots = {rows[record.seed.place].slot for record in found if record.seed.title}
    taken = {place for record in found for place in record.rows()}
    for number, (first, last) in reach.items():
        if (
            page.shapes[number] == usual
            and page.parents[number] in parents
            and taken.isdisjoint(range(first, last + 1))
        ):
            titles = (row for row in rows[first : last + 1] if row.slot in slots and rest_of(row, 0, 0))
            yield from (_unknown(row, first, last, number) for row in islice(titles, 1))


def _parents_of_lists(found: Sequence[Record], usual: str, page: PageRows) -> set[int]:
    """Elements that hold several known entries of the usual shape, or one each of many: they are lists."""
    alike = [record for record in found if usual and page.shapes.get(record.block) == usual]
    often = Counter(page.parents.get(record.block, 0) for record in alike)
    return {parent for parent, count in often.items() if count > 1 or len(often) > 2}


def _unknown(title: PageRow, first: int, last: int, block: int = 0) -> Record:
    """An entry that nobody knows, with its title in a row."""
    hit = Hit(title.place, 0, len(title.text), (), "unknown")
    return Record(Seed(title.place, title.place, hit), first, last, block)


def _is_another(seed: Seed, other: Seed, rows: Sequence[PageRow]) -> bool:
    """True for the seed of another entry: of another episode, or of the same one in another row of the same kind."""
    if not set(seed.episodes) & set(other.episodes):
        return seed is not other
    alike = (seed.title is None) == (other.title is None) and rows[seed.place].slot == rows[other.place].slot
    return seed.place != other.place and alike


def _both(record: Record, more: Record) -> Record:
    """One entry that two rows name."""
    one, seed = record.seed, more.seed
    titles = [title for title in (one.title, seed.title) if title]
    title = min(titles, key=lambda hit: (hit.kind != "title", hit.rest, hit.row), default=None)
    episodes = tuple(sorted(set(one.episodes) & set(seed.episodes)))
    joined = Seed(min(one.first, seed.first), max(one.last, seed.last), title, episodes, (*one.hits, *seed.hits))
    block = record.block if record.block == more.block else 0
    return Record(joined, min(record.first, more.first), max(record.last, more.last), block)


def _reach(rows: Sequence[PageRow]) -> Reach:
    """First and last row of every element."""
    found: dict[int, tuple[int, int]] = {}
    for row in rows:
        for number in row.row.path:
            found[number] = (found.get(number, (row.place, 0))[0], row.place)
    return found


def _hold_their_fields(found: Sequence[Record], rows: Sequence[PageRow]) -> bool:
    """True unless rows with dates, lengths or texts stand between the elements of entries, outside of them."""
    loose = sum(
        any(rows[place].marks or len(rows[place].text) > 100 for place in range(one.last + 1, other.first))
        for one, other in pairwise(found)
    )
    return loose * 3 <= len(found)


# -- rows -------------------------------------------------------------------------------------------------------------


def _by_rows(seeds: Sequence[Seed], rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]) -> list[Record]:
    """Each entry's rows among rows that nothing groups: the way to part them that agrees most with what is known."""
    ways = [_lead(count) for count in range(LEADS)] + [_at_widest_gap, _behind_last]
    parted = [_parted(seeds, rows, way) for way in ways]
    blocks = _alone(_by_gaps(seeds, rows))
    if len(_episodes(blocks)) * 2 >= len({seed.episodes for seed in seeds}):
        parted.append(blocks)
    best = max(parted, key=lambda found: (_agreement(found, rows, episodes), _evenness(found, rows)))
    return sorted([*best, *_blocks_like(best, rows)], key=lambda record: record.first) if best is blocks else best


def _alone(blocks: Sequence[Record]) -> list[Record]:
    """The entries that share their rows with no other."""
    often = Counter(block.first for block in blocks)
    return [block for block in blocks if often[block.first] == 1]


def _episodes(found: Sequence[Record]) -> set[tuple[int, ...]]:
    return {record.seed.episodes for record in found}


def _blocks_like(known: Sequence[Record], rows: Sequence[PageRow]) -> Iterator[Record]:
    """Rows between blank lines, among those of known entries, that hold what all of these hold: other entries."""
    kinds = Counter(kind for record in known for kind in _kinds(record, rows))
    needed = {kind for kind in FIELDS if kinds[kind] > len(known) * MOST}
    offsets = Counter(record.seed.title.row - record.first for record in known if record.seed.title)
    if not needed or not offsets:
        return
    (offset, _), *_ = offsets.most_common(1)
    taken = {place for record in known for place in record.rows()}
    often = Counter(row.text for row in rows)
    for block in _free_blocks(known, taken, rows):
        title = rows[min(block.first + offset, block.last)]
        if often[title.text] == 1 and needed <= _kinds(block, rows) and rest_of(title, 0, 0):
            yield _unknown(title, block.first, block.last)


def _free_blocks(known: Sequence[Record], taken: Collection[int], rows: Sequence[PageRow]) -> Iterator[Record]:
    """Rows between blank lines that are no known entry's, from somewhat above the first of these to below the last."""
    for row in rows[max(0, known[0].first - LONGEST) : known[-1].last + LONGEST]:
        if row.row.gap and row.place not in taken:
            yield from _by_gaps([Seed(row.place, row.place, None)], rows)


def _kinds(record: Record, rows: Sequence[PageRow]) -> set[str]:
    return {mark.kind for place in record.rows() for mark in rows[place].marks}


def _by_gaps(seeds: Sequence[Seed], rows: Sequence[PageRow]) -> list[Record]:
    """Each entry's rows between two blank lines."""
    found = []
    for seed in seeds:
        first, last = seed.first, seed.last
        while first > 0 and not rows[first].row.gap:
            first -= 1
        while last + 1 < len(rows) and not rows[last + 1].row.gap:
            last += 1
        found.append(Record(seed, first, last))
    return found


Way = Callable[[Seed, int, Sequence[PageRow]], int]


def _lead(count: int) -> Way:
    return lambda seed, low, rows: max(low, seed.first - count)


def _at_widest_gap(seed: Seed, low: int, rows: Sequence[PageRow]) -> int:
    """The entry begins behind the widest gap above its title."""
    places = range(low, seed.first + 1)
    return max(places, key=lambda place: (rows[place].row.gap, place)) if places else seed.first


def _behind_last(seed: Seed, low: int, rows: Sequence[PageRow]) -> int:
    return low


def _parted(seeds: Sequence[Seed], rows: Sequence[PageRow], way: Way) -> list[Record]:
    begins: list[int] = []
    low = max(0, seeds[0].first - LONGEST)
    for seed in seeds:
        begins.append(max(way(seed, low, rows), low))
        low = seed.last + 1
    ends = [*(begin - 1 for begin in begins[1:]), min(len(rows) - 1, seeds[-1].last + LONGEST)]
    sizes = sorted(end - begin for begin, end in pairwise(begins))
    usual = sizes[len(sizes) * 3 // 4] if sizes else LONGEST
    found = []
    for seed, begin, end in zip(seeds, begins, ends, strict=True):
        end = min(end, seed.last + usual + 1)
        begin = max(begin, seed.first - usual)
        found.append(Record(seed, begin, max(end, seed.last)))
    return found


def _agreement(found: Sequence[Record], rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]) -> int:
    """How many dates and lengths of the entries are those of their episodes, less those that are not."""
    total = 0
    for record in found:
        own = [episodes[name] for name in record.seed.episodes]
        votes = [agreement(mark, episode) for place in record.rows() for mark in rows[place].marks for episode in own]
        total += min(2, votes.count(1)) - 2 * votes.count(-1)
    return total


def _evenness(found: Sequence[Record], rows: Sequence[PageRow]) -> int:
    """How many entries begin and end at a gap: blank lines are drawn between entries."""
    ends = sum(record.last + 1 >= len(rows) or rows[record.last + 1].row.gap > 0 for record in found)
    return ends + sum(rows[record.first].row.gap > 0 for record in found)
