"""Decides whose page it is, by what names the show: data, title, headings, or the row above a list;
and whose each entry is, by the names in it and by the heading of its part of the page."""

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from ...records import Show
from ..rows import Head, PageRows, highest_headings
from ..show_names import PARTS, is_show, is_titled_after, normalize_show_name, says
from . import columns
from .episode_index import CUT, OF_SIGNS, UNNAMED, EpisodeIndex, KnownEpisode
from .page_rows import PageRow, is_prose
from .records import Record

TOP = 40  # rows above the first entry in which saved text names its show
FIRST_ROWS = 4  # rows at the top of a page, which may name its show
FITTING = 4  # entries of which day and length, or the text, agree, before which it may be chance


def page_is_ours(
    page: PageRows,
    rows: Sequence[PageRow],
    found: Sequence[Record],
    series: Sequence[str],
    index: EpisodeIndex,
) -> bool:
    """True where the page's data, title or headings name the show, or its entries fit the show's
    episodes; of saved text, where a row above the list does, and most of the list is known."""
    show = index.show
    first = min((record.first for record in found), default=len(rows))
    titles = _titles(page.head, rows[: max(first, 1)])
    named = any(is_show(name, show.title) for name in series) or any(
        is_titled_after(text, show) for text in titles
    )
    if named or len(series) == 1:
        return named
    is_named_above = not page.markup and _is_named_above(found, rows, first, show)
    return is_named_above or _fits(found, rows, index.episodes)


def says_name(page: PageRows, rows: Sequence[PageRow], show: Show) -> bool:
    """True where the title of the page, a heading, or a row that is no sentence has the show's name,
    or the part of it before a colon or dash: a sentence of another show's page may mention it."""
    name = PARTS.split(show.title)[0]
    texts = (row.text for row in rows if row.row.heading or not is_prose(row.text))
    return any(says(text, name) for text in (page.head.title, *texts))


def _fits(
    found: Sequence[Record], rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]
) -> bool:
    """True where day and length, or the text, of most entries are those of episodes that are surely
    named: whose page could it be else?"""
    agreeing = 0
    for record in found:
        if record.title and record.is_sure:
            values = columns.marked(record, rows, episodes)
            right = {value.mark.kind == "date" for value in values if value.vote > 0}
            agreeing += right == {True, False} or record.has_text
    return agreeing >= FITTING and agreeing * 2 > len(found)


def _titles(head: Head, above: Sequence[PageRow]) -> Iterator[str]:
    """The names that the page gives itself: in its head, and in its highest headings above the list."""
    yield from filter(None, (head.title, *head.names))
    yield from highest_headings(
        [row.row for row in above if row.row.heading and not row.row.in_menu]
    )


def _is_named_above(
    found: Sequence[Record], rows: Sequence[PageRow], first: int, show: Show
) -> bool:
    """True where a row above the list names the show, and titles, texts or lengths to the second
    name at least half of what has a date."""
    dated = sum(any(mark.kind == "date" for mark in row.marks) for row in rows[first:])
    is_known = sum(record.is_sure for record in found) * 2 >= dated
    return is_known and any(
        is_show(row.text, show.title)
        or ((row.row.gap or row.place < FIRST_ROWS) and is_titled_after(row.text, show))
        for row in rows[max(0, first - TOP) : first]
    )


SIGNS = ' -–—|·•:/,()[]<>“”„«»"'  # around a name
BETWEEN = re.compile(r"[^\w\s'’]")  # signs that part words
LONGEST_LINK = 4  # letters of a word that links a name to a title: "in", "from"
SUBTITLE = re.compile(r"\s?[:：]\s?[^\W\d_a-z]")  # behind a name: it is another show's
# The first value of a column: of a name beside the title, and of one below the entry's element.
TITLE_ROW, BEHIND = 0, 2
SHORT = 8  # words of a row that is a name
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Label:
    """The texts at the places where other entries name their show."""

    column: tuple[Hashable, ...]
    ours: bool
    others: bool  # the name of another show of the catalog
    is_name: bool  # it has letters


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
            # What names an episode by signs may be its title.
            is_name = record.kind not in OF_SIGNS and any(map(str.isalpha, text))
            is_others = normalize_show_name(text) in others
            is_ours = _is_name(text, show.title)
            if is_ours is not None:
                found.append(Label(column, is_ours, is_others, is_name))
    return found


def _is_name(text: str, name: str) -> bool | None:
    """True for the name, or more than half of it where a site cut it: "Rope Wa…"; None for less,
    which tells nothing."""
    shown, *rest = CUT.split(text)
    if rest == [""] and is_show(shown, name[: len(shown)]):
        return len(shown) * 2 > len(name) or None
    return is_show(text, name)


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
            side = "row"
            if record.title and record.title.row == row.place:
                side = "before" if end <= record.title.start else "behind"
            yield side, text


def _inside(start: int, end: int, taken: Sequence[Span]) -> bool:
    return any(low <= start and end <= high for low, high in taken)


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


NAMED, OURS, OTHER, NOBODY = "named", "ours", "other", ""


def owners(
    records: Sequence[Record], rows: Sequence[PageRow], show: Show, others: Sequence[str]
) -> dict[Record, str]:
    """For each entry NAMED where it names the show in the row of its title, or where another entry
    does, or the heading of one of several parts of the page does; OURS where it or a heading may
    name the show; OTHER where it has the name of one of the `others`, or another name in the place
    where entries name the show; else NOBODY."""
    other_names = frozenset(map(normalize_show_name, others))
    every = [labels(record, rows, show, other_names) for record in records]
    # The columns in which each entry names the show.
    ours = [{label.column for label in own if label.ours} for own in every]
    often = Counter(chain.from_iterable(ours))
    # Where most entries name the show, one of it that no known title tells would name it, too.
    most_name_it = sum(map(bool, ours)) * 2 > sum(record.is_known for record in records)
    first = min((record.first for record in records), default=0)
    unsure = {(BEHIND, row.slot) for row in rows[max(0, first - 1) : first]}
    heads = _heads(records, rows, show)
    found = {}
    for record, own, own_columns in zip(records, every, ours, strict=True):
        if own_columns:
            found[record] = _named(own_columns, often, unsure)
        else:
            expected = most_name_it and record.kind in UNNAMED
            found[record] = _owner(own, often.keys(), heads[record.place], expected=expected)
    return found


def _named(
    columns: Collection[tuple[Hashable, ...]],
    often: Mapping[tuple[Hashable, ...], int],
    unsure: Collection[Hashable],
) -> str:
    """The owner of an entry with the show's name: one name below a title may be of what is next on
    the page, and so may all of a place that is `unsure`, as one like them stands above the first
    entry."""
    is_sure = any(
        side == TITLE_ROW or (often[side, kind, slot] > 1 and (side, slot) not in unsure)
        for side, kind, slot in columns
    )
    return NAMED if is_sure else OURS


def _owner(
    own: Sequence[Label], columns: Collection[Hashable], head: str, *, expected: bool
) -> str:
    """The owner of an entry that does not name the show, by its labels, else by the heading above;
    `expected`: it would name the show if it were ours."""
    named = any(label.others or (label.column in columns and label.is_name) for label in own)
    return OTHER if named or expected else head


def _heads(records: Sequence[Record], rows: Sequence[PageRow], show: Show) -> list[str]:
    """For each row whose part of the page it stands in, by the headings of the kind that names the
    show once."""
    entries = {hit.row for record in records for hit in record.hits}
    entries |= {record.place for record in records}
    heads: dict[int, tuple[Hashable, bool]] = {}
    kinds = set()
    for row in rows:
        if row.place not in entries and row.text and not row.marks:
            ours = is_titled_after(row.text, show)
            heads[row.place] = (_kind(row), ours)
            if ours and row.row.heading:
                kinds.add(_kind(row))
    by_row = list(_by_row(rows, heads, kinds))
    return [NAMED if own == OURS and OTHER in by_row else own for own in by_row]


def _by_row(
    rows: Sequence[PageRow], heads: dict[int, tuple[Hashable, bool]], kinds: Collection[Hashable]
) -> Iterator[str]:
    """A heading of a higher level ends what a lower one began."""
    current, level = NOBODY, 0
    for row in rows:
        kind, ours = heads.get(row.place, (None, False))
        if kind in kinds:
            current, level = OURS if ours else OTHER, row.row.heading
        elif kind and 0 < row.row.heading < level:
            current = NOBODY
        yield current


def _kind(row: PageRow) -> Hashable:
    """Kind of a row: its elements, and whether it is short."""
    return row.slot, len(row.text.split()) <= SHORT
