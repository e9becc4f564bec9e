"""Finds the entry of each title on a page: the repeated element around it, or, if nothing groups the
lines of an entry, the lines up to the next title. Collects the values in it."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from ...dates import TimeMention, find_time_mentions
from ...records import DurationRange
from ...text.urls import enclosure_key, page_key
from ..declared_data import SHOW_NAME
from ..rows import Blocks, PageRows
from ..show_names import normalize_show_name
from .find_titles import TitleMatch
from .page_lines import PageLine

AUDIO = re.compile(r"\.(?:mp3|m4a|ogg|opus|aac|wav|mp4)(?:$|[?#])", re.I)
MIXED = ("several",)  # the owner of a block with lines of several episodes, see EntryFinder


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
    numbers: set[int] = field(default_factory=set)
    openings: set[str] = field(default_factory=set)  # keys of the lines, see `PageLine.opening`
    links: dict[str, None] = field(default_factory=dict)
    audio: dict[str, None] = field(default_factory=dict)
    addresses: set[str] = field(default_factory=set)  # keys of links and audio
    short_texts: set[str] = field(default_factory=set)  # folded as names of shows
    declared_shows: set[str] = field(default_factory=set)
    has_show_name: bool = False

    def add_line(self, line: PageLine) -> None:
        """Add the values of a line. A sentence gives only the days in it, and its opening."""
        self.openings.add(line.opening)
        for mention in line.date_and_length_mentions:
            self._add_date_or_length(line.text[mention.start : mention.end], mention, line)
        for stamp in line.row.stamps:
            for mention in find_time_mentions(stamp):
                self._add_date_or_length(stamp, mention, line)
        # A sentence may mention another show, and lead to other pages.
        if line.is_prose:
            return
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

    def _add_date_or_length(self, printed_text: str, mention: TimeMention, line: PageLine) -> None:
        # Days of sentences count only as a sign that it is a known episode's entry.
        self.days.update(mention.days)
        # A sentence may tell of other days and lengths.
        if line.is_prose:
            return
        if mention.kind == "date":
            self.dates.append(PrintedDate(printed_text, mention))
        elif mention.seconds_range:
            self.lengths.append(PrintedLength(printed_text, DurationRange(*mention.seconds_range)))

    def _add_possible_name_and_number(self, text: str) -> None:
        """Add a text that may be the name of a show, or an episode's number: "#12", "Episode 12"."""
        max_length = 100  # of both
        short_text = text[:max_length]
        self.short_texts.add(normalize_show_name(short_text))
        number = re.fullmatch(r"\W*(?:[^\W\d_]{1,12}\W{0,2})?(?P<number>\d{1,5})\W*", short_text)
        if number:
            self.numbers.add(int(number["number"]))

    def _add_link_or_audio(self, address: str) -> None:
        if AUDIO.search(address):
            self.audio[address] = None
            self.addresses.add(enclosure_key(address))
        else:
            self.links[address] = None
            self.addresses.add(page_key(address))


@dataclass(slots=True)
class PageEntry:
    """A title on a page, with its lines and values."""

    match: TitleMatch
    lines: Sequence[PageLine]
    values: EntryValues
    is_row: bool  # its element is one of several siblings of one shape

    @property
    def title_line(self) -> PageLine:
        return self.lines[self.match.line - self.lines[0].index]

    @property
    def position(self) -> tuple[int, int]:
        """Return the line and the offset of the title, for sorting."""
        return (self.match.line, self.match.start)


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
        # The owners by kind and block: in `known_owners` of lines that name known episodes, in
        # `title_owners` of all lines that may be titles.
        self.known_owners: dict[Hashable, Hashable] = {}
        self.title_owners: dict[Hashable, Hashable] = {}
        self.title_lines: dict[Hashable, list[int]] = defaultdict(list)  # by kind
        episodes_by_line: dict[int, frozenset[int]] = defaultdict(frozenset)
        for match in matches:
            episodes_by_line[match.line] |= match.episodes
        for line in lines:
            self._make_line_owner_of_its_blocks(line, episodes_by_line[line.index])
        self._values: dict[LineRange, EntryValues] = {}  # of entries, each computed once

    def _make_line_owner_of_its_blocks(
        self, line: PageLine, episodes_of_line: frozenset[int]
    ) -> None:
        """Make the episodes of a line an owner of each block around it. A second owner makes a block MIXED.

        The entry of an episode is a block that the episode alone owns, among lines of one kind.
        """
        # A line that is no title, known or unknown, begins no entry.
        if not episodes_of_line and not line.may_be_title:
            return
        self.title_lines[line.kind].append(line.index)
        # Each unknown title is an owner of its own.
        owner: Hashable = episodes_of_line or ("unknown", line.index)
        for block in line.row.path:
            kind_in_block = (line.kind, block)
            if episodes_of_line:
                _add_owner(self.known_owners, kind_in_block, owner)
            _add_owner(self.title_owners, kind_in_block, owner)

    def build_entry(self, match: TitleMatch) -> PageEntry:
        line = self.lines[match.line]
        path = line.row.path  # the blocks around the line, the outermost first
        depth = self._depth_of_entry_block(line, path)
        line_range = self.line_ranges[path[depth]]
        is_single_line = line_range.first == line_range.last
        has_only_title = is_single_line and not line.date_and_length_mentions
        if has_only_title and depth > 0:
            # The other lines of the entry stand beside its title in the block around it.
            line_range = self._line_range_between_titles(line, path[depth - 1])
        is_row = self._has_siblings(path[depth])
        entry_lines = self.lines[line_range.first : line_range.last + 1]
        return PageEntry(match, entry_lines, self._cached_values_of_lines(line_range), is_row)

    def _has_siblings(self, block: int) -> bool:
        parent_and_shape = (self.blocks.parents[block], self.blocks.shapes[block])
        return self.sibling_counts[parent_and_shape] > 1

    def _cached_values_of_lines(self, line_range: LineRange) -> EntryValues:
        if line_range not in self._values:
            values = EntryValues()
            for line in self.lines[line_range.first : line_range.last + 1]:
                values.add_line(line)
            self._values[line_range] = values
        return self._values[line_range]

    def _depth_of_entry_block(self, line: PageLine, path: Sequence[int]) -> int:
        """Return the index in the path of the element that holds the entry of a line.

        The owner of an element is the episode that its lines of this kind name, or MIXED if they name
        several: in `known_owners` among known episodes, in `title_owners` among all titles.
        """
        # The outermost element in which no line of the kind names another known episode.
        depth_with_one_episode = _outermost_unmixed(self.known_owners, line.kind, path)
        block_with_one_episode = path[depth_with_one_episode]
        has_further_titles = self.title_owners[line.kind, block_with_one_episode] == MIXED
        if not has_further_titles:
            return depth_with_one_episode
        # Titles of unknown episodes are in it as well, so the entry is in a smaller element.
        depth_with_one_title = _outermost_unmixed(self.title_owners, line.kind, path)
        innermost = len(path) - 1
        if depth_with_one_title < innermost:
            return depth_with_one_title
        # The line is alone in its innermost element, and further titles stand beside it. They are parts of
        # its entry if an element around them is one of several siblings. Else they are a list.
        for depth in range(innermost - 1, depth_with_one_episode, -1):
            if self._has_siblings(path[depth]):
                return depth
        return innermost

    def _line_range_between_titles(self, line: PageLine, block: int) -> LineRange:
        """Return the lines of a block from the title above to the title below, without these two."""
        first, last = self.line_ranges[block]
        title_lines = self.title_lines[line.kind]  # sorted
        # The line is in this list itself, so its neighbours are the titles above and below.
        index_above = bisect_left(title_lines, line.index) - 1
        index_below = bisect_right(title_lines, line.index)
        if index_above >= 0:
            first = max(first, title_lines[index_above] + 1)
        if index_below < len(title_lines):
            last = min(last, title_lines[index_below] - 1)
        return LineRange(first, last)


def _line_ranges_by_block(lines: Sequence[PageLine]) -> dict[int, LineRange]:
    ranges: dict[int, LineRange] = {}
    for line in lines:
        for block in line.row.path:
            single_line = LineRange(line.index, line.index)
            first = ranges.get(block, single_line).first
            # The lines come in order, so this line is the last one of the block so far.
            ranges[block] = LineRange(first, last=line.index)
    return ranges


def _block_counts_by_parent_and_shape(
    blocks: Blocks, blocks_with_lines: Set[int]
) -> Counter[tuple[int, str]]:
    """Return the number of blocks with lines by their parent and shape, without the page itself."""
    counts: Counter[tuple[int, str]] = Counter()
    page = 0
    for block in blocks_with_lines - {page}:
        counts[blocks.parents[block], blocks.shapes[block]] += 1
    return counts


def _outermost_unmixed(
    owners: dict[Hashable, Hashable], kind: Hashable, path: Sequence[int]
) -> int:
    """Return the index in the path of the outermost element with lines of one owner only, else the last."""
    for depth, block in enumerate(path):
        if owners[kind, block] != MIXED:
            return depth
    return len(path) - 1


def _add_owner(owners: dict[Hashable, Hashable], kind_in_block: Hashable, owner: Hashable) -> None:
    first_owner = owners.setdefault(kind_in_block, owner)
    if first_owner != owner:
        owners[kind_in_block] = MIXED
