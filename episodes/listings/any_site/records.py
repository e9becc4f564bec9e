"""Finds the entries of a page and the rows that belong to each: rows that name one known episode,
and rows that stand like these; an entry is its largest element that holds no other one, in a
list without elements the rows up to the next entry."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from operator import attrgetter

from ...identity import marked
from ..rows import Blocks, PageRows
from .episode_index import BY_SIGNS, DOUBTFUL, OF_SIGNS, UNKNOWN, Hit
from .page_rows import PageRow

BESIDE = 16  # characters on either side of a title
REST = 7  # other words of a row that still is a title
FEW = 4  # episodes with titles at one place, of which each then is what its row is about
BEFORE = 60  # characters of a row, before its title, by which the place is told
NUMBERS = re.compile(r"[\d\s]+")
MOST_OF_LIST = 0.75  # of the rows at one place: so many known titles are a list of the show
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
    def kind(self) -> str:
        """The kind of its title; "" where it has none."""
        return self.title.kind if self.title else ""

    @property
    def is_known(self) -> bool:
        return bool(self.episodes)

    @property
    def is_sure(self) -> bool:
        """True where no other show can have what names its episode."""
        return self.is_known and self.kind not in (BY_SIGNS, DOUBTFUL)

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
        """The places of title and text in a row; of signs nobody knows it."""
        hits = (hit for hit in self.hits if hit.row == place and hit.kind not in OF_SIGNS)
        return [(hit.start, hit.end) for hit in hits]


def seeds(rows: Sequence[PageRow], hits: Sequence[Hit]) -> list[Record]:
    """Entries that known episodes tell, in their order on the page."""
    columns: dict[Hashable, set[tuple[int, ...]]] = defaultdict(set)
    for hit in hits:
        columns[column_of(hit, rows)].add(hit.episodes)
    return [
        joined([hit], frozenset(hit.episodes))
        for hit in hits
        # Not a word in a sentence, but what its row is about.
        if (
            hit.rest <= (QUOTED if hit.kind == "text" else max(REST, hit.words))
            or len(columns[column_of(hit, rows)]) >= FEW
        )
        and not _is_elsewhere(hit, rows[hit.row])
    ]


def column_of(hit: Hit, rows: Sequence[PageRow]) -> tuple[Hashable, str]:
    """The place of a title: the elements of its row, and the words before it, numbers and dates left
    out."""
    row = rows[hit.row]
    return row.kind, _before(row, hit.start)


def _before(row: PageRow, end: int) -> str:
    return NUMBERS.sub(" ", row.words[max(0, end - BEFORE) : end])


def in_own_lists(records: Sequence[Record], rows: Sequence[PageRow]) -> Iterator[Record]:
    """The known entries at places where most rows are titles of the show: there a title is no word
    of something else, as a tag would be."""
    places: dict[tuple[Hashable, str], list[Record]] = defaultdict(list)
    for record in records:
        if record.is_known and record.title:
            places[column_of(record.title, rows)].append(record)
    lengths: dict[Hashable, set[int]] = defaultdict(set)
    for slot, before in places:
        lengths[slot].add(len(before))
    alike: Counter[tuple[Hashable, str]] = Counter()
    for row in rows:
        slot, beginning = row.kind, _before(row, BEFORE)
        alike.update((slot, beginning[:length]) for length in lengths[slot])
    for place, own in places.items():
        if len(own) >= FEW and 0 < alike[place] * MOST_OF_LIST <= len(own):
            yield from own


def _is_elsewhere(hit: Hit, row: PageRow) -> bool:
    """True for a title in a menu, and for one beside a word that makes it another episode:
    "Replay:", "(trailer)"."""
    start, end = max(0, hit.start - BESIDE), hit.end + BESIDE
    beside = f"{row.text[start : hit.start]}\n{row.text[hit.end : end]}"
    return row.row.in_menu or bool(marked(beside))


def joined(group: Sequence[Hit], episodes: frozenset[int]) -> Record:
    """One entry of several hits, in their order on the page."""
    titles = [hit for hit in group if hit.kind != "text"]
    title = min(titles, key=lambda hit: (hit.rest, hit.row), default=None)
    return Record(group[0].row, group[-1].row, title, tuple(sorted(episodes)), tuple(group))


MOST = 0.8  # a date or length that more entries have than this share belongs to every entry
NEAR = 12  # rows between those that name an entry
MOST_UNKNOWN = 2_000  # entries
LONGEST = 60  # rows of an entry that nobody knows, and of the last one of a list in which nothing groups rows


@dataclass(slots=True)
class Element:
    """First and last row of an element, and the kinds of dates and lengths in it."""

    first: int
    last: int
    kinds: set[str]

    @property
    def rows(self) -> range:
        return range(self.first, self.last + 1)


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
            last = found.pop()
            both = joined(
                (*last.hits, *record.hits), frozenset(last.episodes) & frozenset(record.episodes)
            )
            record = replace(
                both,
                first=min(last.first, record.first),
                last=max(last.last, record.last),
                block=record.block if record.block == last.block else 0,
            )
        found.append(record)
    found += _unknown(found, rows, _beside(found, page, elements), elements)
    return _extended(found, rows, page, elements)


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
    often, first = Counter(kind for kind in kinds.values() if kind[2]), attrgetter("first")
    found = []
    for seed in seeds:
        record = seed
        for number in reversed(rows[seed.first].row.path):
            element = elements[number]
            low = bisect_left(seeds, element.first, key=first)
            high = bisect_right(seeds, element.last, key=first)
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
            hit = Hit(title.place, 0, len(title.text), (), UNKNOWN)
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
