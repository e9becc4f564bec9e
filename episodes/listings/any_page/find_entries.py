"""Finds the entry of each title on a page: the repeated element around it, or, if nothing groups the
lines of an entry, the lines up to the next title. Collects the values in it."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from ...dates import TimeMention, find_time_mentions
from ...records import DurationRange
from ...text.numbering import SEASON_AND_NUMBER, season_and_number_of_match
from ...text.urls import enclosure_key, page_key
from ..declared_data import SHOW_NAME
from ..rows import Blocks, PageRows
from ..show_names import normalize_show_name
from .find_titles import TitleMatch
from .page_lines import PageLine

AUDIO = re.compile(r"\.(?:mp3|m4a|ogg|opus|aac|wav|mp4)(?:$|[?#])", re.I)
MIXED = ("several",)  # the owner of a block with lines of several episodes, see EntryFinder
KindAndBlock = tuple[Hashable, int]
# The episodes of a title, or ("unknown", 12) of the unknown title in line 12, or MIXED
BlockOwner = Hashable


class PrintedDate(NamedTuple):
    """A date, and how the page prints it."""

    text: str
    mention: TimeMention


class PrintedLength(NamedTuple):
    """A length, and how the page prints it."""

    text: str
    length: DurationRange


@dataclass(slots=True)
class EntryValues:
    """The values that stand in the lines of an entry."""

    days: set[date] = field(default_factory=set)
    dates: list[PrintedDate] = field(default_factory=list)  # outside of sentences
    lengths: list[PrintedLength] = field(default_factory=list)
    numbers: set[int] = field(default_factory=set)  # that stand alone: "#12", "Episode 12"
    openings: set[str] = field(default_factory=set)  # keys of the lines, see `PageLine.opening`
    links: dict[str, None] = field(default_factory=dict)
    audio: dict[str, None] = field(default_factory=dict)
    addresses: set[str] = field(default_factory=set)  # keys of links and audio
    short_texts: set[str] = field(default_factory=set)  # folded as names of shows
    declared_shows: set[str] = field(default_factory=set)
    has_show_name: bool = False

    def add_line(self, line: PageLine) -> None:
        """Add the values of a line. A sentence gives only the days in it, and its opening: it may mention
        another show, and lead to other pages."""
        # A text may begin with the title. The title alone is no opening.
        if line.is_prose or not line.titles:
            self.openings.add(line.opening)
        self._add_dates_and_lengths(line)
        if not line.is_prose:
            self._add_names_numbers_and_addresses(line)

    @property
    def days_outside_sentences(self) -> set[date]:
        days: set[date] = set()
        for printed_date in self.dates:
            days.update(printed_date.mention.days)
        return days

    def _add_dates_and_lengths(self, line: PageLine) -> None:
        for text, mention in _iterate_texts_and_time_mentions(line):
            # Days of sentences count only as a sign that it is a known episode's entry.
            self.days.update(mention.days)
            # A sentence may tell of other days and lengths.
            if not line.is_prose:
                self._add_date_or_length(text, mention)

    def _add_names_numbers_and_addresses(self, line: PageLine) -> None:
        self.has_show_name |= line.has_show_name
        # The page's data name the show under a key of its own: {"podcastName": "Bee Talk"}.
        is_declared_show = SHOW_NAME in line.row.shape
        if is_declared_show:
            self.declared_shows.add(line.text)
        self._add_possible_name_and_number(line.text)
        for piece in line.row.pieces:
            self._add_possible_name_and_number(line.text[piece.start : piece.end])
        for address in (*line.row.links, *line.row.media):
            self._add_link_or_audio(address)

    def _add_date_or_length(self, text: str, mention: TimeMention) -> None:
        if mention.kind == "date":
            self.dates.append(PrintedDate(text, mention))
        elif mention.seconds_range:
            self.lengths.append(PrintedLength(text, DurationRange(*mention.seconds_range)))

    def _add_possible_name_and_number(self, text: str) -> None:
        """Add a text that may be the name of a show, or an episode's number: "#12", "Episode 12", "S1 E12"."""
        max_length = 100  # characters, more than such a name or number has
        short_text = text[:max_length]
        self.short_texts.add(normalize_show_name(short_text))
        number = re.fullmatch(r"\W*(?:[^\W\d_]{1,12}\W{0,2})?(?P<number>\d{1,5})\W*", short_text)
        if number:
            self.numbers.add(int(number["number"]))
        season_and_number = SEASON_AND_NUMBER.fullmatch(short_text)
        if season_and_number:
            _season, episode_number = season_and_number_of_match(season_and_number)
            self.numbers.add(episode_number)

    def _add_link_or_audio(self, address: str) -> None:
        if AUDIO.search(address):
            self.audio[address] = None
            self.addresses.add(enclosure_key(address))
        else:
            self.links[address] = None
            self.addresses.add(page_key(address))


def _iterate_texts_and_time_mentions(line: PageLine) -> Iterator[tuple[str, TimeMention]]:
    for mention in line.date_and_length_mentions:
        yield line.text[mention.start : mention.end], mention
    # For machines: <time datetime="2024-08-04">.
    for stamp in line.row.stamps:
        for mention in find_time_mentions(stamp):
            yield stamp, mention


@dataclass(slots=True)
class PageEntry:
    """A title on a page, with its lines and values."""

    match: TitleMatch
    lines: Sequence[PageLine]
    values: EntryValues
    is_row: bool  # its element is one of several siblings of one shape

    @property
    def title_line(self) -> PageLine:
        return self.lines[self.match.line_index - self.lines[0].index]

    @property
    def position(self) -> tuple[int, int]:
        """Return the line and the offset of the title, for sorting."""
        return (self.match.line_index, self.match.start)


class LineRange(NamedTuple):
    """Lines of a page, by the indexes of the first and the last one."""

    first: int
    last: int


class EntryFinder:
    """Finds the entries of the matches on a page.

    Lines of one kind, such as all headings in cards, compete for the blocks around them. The owner of
    a block is the episode, or the set of episodes, that all its lines of the kind name, else MIXED.
    """

    def __init__(
        self, page: PageRows, lines: Sequence[PageLine], matches: Sequence[TitleMatch]
    ) -> None:
        self.lines = lines
        self.line_ranges = _line_ranges_by_block(lines)
        self.blocks = page.blocks
        self.sibling_counts = _block_counts_by_parent_and_shape(
            page.blocks, self.line_ranges.keys()
        )
        # The owner of a block is the only episode that its lines of a kind name, or their only unknown title. With
        # several it is MIXED. In the first dictionary unknown titles do not count.
        self.known_title_owners: dict[KindAndBlock, BlockOwner] = {}
        self.all_title_owners: dict[KindAndBlock, BlockOwner] = {}
        self.title_line_indexes: dict[Hashable, list[int]] = defaultdict(list)  # by kind
        self._values_by_line_range: dict[LineRange, EntryValues] = {}  # a cache
        episodes_by_line: dict[int, frozenset[int]] = defaultdict(frozenset)
        for match in matches:
            episodes_by_line[match.line_index] |= match.episode_indexes
        for line in lines:
            episodes_of_line = episodes_by_line[line.index]
            # A line that is no title, known or unknown, begins no entry.
            if episodes_of_line or line.may_be_title:
                self.title_line_indexes[line.kind].append(line.index)
                self._add_owner_of_blocks_around(line, episodes_of_line)

    def _add_owner_of_blocks_around(self, line: PageLine, episodes_of_line: frozenset[int]) -> None:
        """Make the title in a line an owner of each block around it. A second owner makes a block MIXED.

        In a list of cards the card of "Springs" is owned by this episode, and the list itself is MIXED.
        """
        owner: BlockOwner = episodes_of_line or ("unknown", line.index)
        for block in line.row.path:
            kind_and_block = (line.kind, block)
            if episodes_of_line:
                _add_owner(self.known_title_owners, kind_and_block, owner)
            _add_owner(self.all_title_owners, kind_and_block, owner)

    def build_entry(self, match: TitleMatch) -> PageEntry:
        """Return the entry of a title: the lines and values of the block that lists its episode."""
        line = self.lines[match.line_index]
        depth = self._depth_of_entry_block(line)
        line_range = self._line_range_of_entry(line, depth)
        return PageEntry(
            match,
            self._lines_of_range(line_range),
            self._cached_values_of_lines(line_range),
            is_row=self._has_siblings(line.row.path[depth]),
        )

    def _line_range_of_entry(self, line: PageLine, block_depth: int) -> LineRange:
        """Return the lines of the block at a depth of the line's path, or, if the title is alone in it, the
        lines up to the titles above and below."""
        path = line.row.path  # the numbers of the blocks around the line, the page (0) first
        line_range = self.line_ranges[path[block_depth]]
        if self.known_title_owners.get((line.kind, path[block_depth])) == MIXED:
            # <p>Springs – 4 August 2024<br>Lids – 11 August 2024</p>: the block has several entries.
            between_titles = self._line_range_between_titles(line, path[block_depth])
            if line.date_and_length_mentions:
                return LineRange(line.index, between_titles.last)
            return between_titles
        is_single_line = line_range.first == line_range.last
        has_only_title = is_single_line and not line.date_and_length_mentions
        if has_only_title and block_depth > 0:
            # <h3>Springs</h3><p>4 August 2024</p>: the rest stands beside the title, in the block around.
            return self._line_range_between_titles(line, path[block_depth - 1])
        return line_range

    def _has_siblings(self, block: int) -> bool:
        parent_and_shape = (self.blocks.parents[block], self.blocks.shapes[block])
        return self.sibling_counts[parent_and_shape] > 1

    def _lines_of_range(self, line_range: LineRange) -> Sequence[PageLine]:
        return self.lines[line_range.first : line_range.last + 1]

    def _cached_values_of_lines(self, line_range: LineRange) -> EntryValues:
        if line_range not in self._values_by_line_range:
            values = EntryValues()
            for line in self._lines_of_range(line_range):
                values.add_line(line)
            self._values_by_line_range[line_range] = values
        return self._values_by_line_range[line_range]

    def _depth_of_entry_block(self, line: PageLine) -> int:
        """Return the index in the line's path of the block that holds its entry. In the examples Springs is a known
        episode, and Guests and Lids are unknown titles."""
        path = line.row.path  # the numbers of the blocks around the line, the page (0) first
        # Usually the outermost block without another title, known or unknown, is around the title:
        # the first <li> of <ul> <li><h3>Springs</h3> <p>…</p></li> <li><h3>Lids</h3>.
        depth_of_title = _depth_of_unmixed_block(self.all_title_owners, line)
        innermost = len(path) - 1
        if depth_of_title < innermost:
            return depth_of_title
        # Else the title may be in a card with other headings, but without another known episode:
        # the first <li> of <ul> <li><h3>Springs</h3> <h3>Guests</h3></li> <li><h3>Lids</h3>.
        depth_of_episode = _depth_of_unmixed_block(self.known_title_owners, line)
        for depth in range(innermost - 1, depth_of_episode, -1):
            if self._has_siblings(path[depth]):
                return depth
        # A list without a block around each entry: the <h3> of <div> <h3>Springs</h3> <h3>Lids</h3>.
        return innermost

    def _line_range_between_titles(self, line: PageLine, block: int) -> LineRange:
        """Return the lines of a block from the title above to the title below, without these two.

        With titles in lines 5, 9 and 14, the entry of line 9 has the lines 6 to 13.
        """
        first, last = self.line_ranges[block]
        title_lines = self.title_line_indexes[line.kind]  # sorted, with this line
        # The positions in this list of the titles above and below, if there are any.
        position_above = bisect_left(title_lines, line.index) - 1
        position_below = bisect_right(title_lines, line.index)
        if position_above >= 0:
            first = max(first, title_lines[position_above] + 1)
        if position_below < len(title_lines):
            last = min(last, title_lines[position_below] - 1)
        return LineRange(first, last)


def _line_ranges_by_block(lines: Sequence[PageLine]) -> dict[int, LineRange]:
    """Return the first and the last line of each block of a page, such as a list or an item of it, by its number."""
    ranges: dict[int, LineRange] = {}
    for line in lines:
        for block in line.row.path:  # from the page down to the innermost block with this line
            single_line = LineRange(line.index, line.index)
            first = ranges.get(block, single_line).first
            # The lines come in order, so this line is the last one of the block so far.
            ranges[block] = LineRange(first, last=line.index)
    return ranges


def _block_counts_by_parent_and_shape(
    blocks: Blocks, blocks_with_lines: Set[int]
) -> Counter[tuple[int, str]]:
    """Return the number of blocks with lines by their parent and shape, without the page itself."""
    page = 0
    return Counter(
        (blocks.parents[block], blocks.shapes[block]) for block in blocks_with_lines - {page}
    )


def _depth_of_unmixed_block(owners: dict[KindAndBlock, BlockOwner], line: PageLine) -> int:
    """Return the index in the line's path of the outermost block with lines of one owner only, else the last."""
    kind = line.kind
    for depth, block in enumerate(line.row.path):
        if owners[kind, block] != MIXED:
            return depth
    return len(line.row.path) - 1


def _add_owner(
    owners: dict[KindAndBlock, BlockOwner], kind_and_block: KindAndBlock, owner: BlockOwner
) -> None:
    first_owner = owners.setdefault(kind_and_block, owner)
    if owner != first_owner:
        owners[kind_and_block] = MIXED
