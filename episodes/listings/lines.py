"""Lists in the layout of one site: the lines that begin or end an entry, in saved text, and in HTML
read line by line."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise, takewhile
from typing import NamedTuple

from ..dates import is_relative_date, printed_length_seconds_range, read_date, read_feed_date
from ..records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from ..text.normalize import strip_cut_marks
from .document import PageDocument
from .rows import Row, highest_headings
from .show_names import contains_name, has_show_name_as_part, is_name_of_show

MAX_LAYOUT_LINE = 1_000  # characters of lines that begin an entry, or are noise


class _ListedEntry(NamedTuple):
    position: int  # of its first row, or of the first row of its text
    values: EntryData


class _Listing(NamedTuple):
    rows_above: Sequence[Row]  # above the first entry
    entries: list[EntryData]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineLayout:
    r"""The lines that begin an entry, or that end an entry, and how its text is found between them.

    All but numbers and flags are patterns that ignore case. `{name}` in them is the name of the show,
    `{start}` its first words.

    A layout has `begin` or `end`:

        begin   the line that begins an entry, or two with "\n" between, with the groups `title`,
                `show`, `date`, `length` and `rank`, which counts on from 1; the first paragraph below
                is the text
        end     the end of an entry's last line; the last paragraph above is the text, the heading
                above the text is the title

    The other parts:

        noise               lines that say nothing
        min_prose_words     a line with so many words is a paragraph
        all_paragraphs      the text is all rows from the first paragraph on
        title_line          without a heading the line above the text is the title
        site_name           a site with posts instead of episodes, named in the title or the first or
                            last lines of its pages
        show_heading        the line above the list that names the show with further words
        cut_mark            the end of a text that the site cut
        ignored_ending      the end of a text that says nothing
        entry_description   an entry in words, for refusals

    Lines with nothing but a date and a length are read as these.
    """

    begin: str = ""
    end: str = ""
    noise: str = ""
    min_prose_words: int = 4
    all_paragraphs: bool = False
    title_line: bool = False
    site_name: str = ""
    show_heading: str = "(?!)"
    cut_mark: str = "(?!)"
    ignored_ending: str = "(?!)"
    entry_description: str = "entry in the layout that its reader expects"

    def recognises(self, page: FetchedDocument) -> bool:
        """Return True if a page is of the site, and has two entries of the layout."""
        # Only patterns with `{name}` or `{start}` need the show. These match "" then.
        show_without_name = Show("", "")
        document = PageDocument.from_fetched(page)
        try:
            listing = self._find_entries_and_rows_above(document, show_without_name)
        except DocumentRejected:
            return False
        return len(listing.entries) > 1

    def parse_page_of_show(self, page: FetchedDocument, show: Show) -> ParsedPage:
        """Return the entries of the show in the order of the page. Entries of other shows are counted and
        left out.

        Raises:
            DocumentRejected: the page is no text, or has no entry of the layout.
            WrongShow: the entries or the page are not the show's.
        """
        document = PageDocument.from_fetched(page)
        listing = self._find_entries_and_rows_above(document, show)
        if not listing.entries:
            raise DocumentRejected(f"no {self.entry_description} found")
        # A directory of many shows prints the show in each entry. Any other page names it once.
        has_show_in_each_entry = "(?P<show>" in self.begin
        # The call above has refused a page of posts that does not name its site.
        if not (has_show_in_each_entry or self.has_posts):
            self._require_page_names_show(document.head.title, listing.rows_above, show)
        show_entries = []
        left_out = []  # titles with reasons
        for entry in listing.entries:
            is_foreign = has_show_in_each_entry and not is_name_of_show(entry.show, show.title)
            if is_foreign:
                left_out.append((entry.title, f"it names {entry.show}"))
            else:
                show_entries.append(entry)
        if not show_entries:
            raise WrongShow(f"none of its {len(listing.entries)} entries names {show.title}")
        return ParsedPage(
            entries=tuple(show_entries),
            show=show.title,
            foreign=len(left_out),
            left_out=tuple(left_out),
            posts=self.has_posts,
        )

    @property
    def has_posts(self) -> bool:  # in place of episodes
        return self.site_name != ""

    def _require_page_names_show(self, title: str, rows_above: Sequence[Row], show: Show) -> None:
        """Refuse a page that does not name the show above its entries.

        One of the highest headings, or the title of the page, has to be of the show. Other rows do not count, as a
        page of another show may mention this one in a menu. Without a heading every row counts.
        """
        names = [*highest_headings(rows_above), title]
        show_heading = _pattern_for_show(self.show_heading, show)
        for name in names:
            if has_show_name_as_part(name, show) or show_heading.fullmatch(name):
                return
        # The first name that is not empty.
        other_show = next(filter(None, names), "none is named")
        raise WrongShow(f"it is about another show: {other_show}, not {show.title}")

    def _find_entries_and_rows_above(self, document: PageDocument, show: Show) -> _Listing:
        """Return the entries of the page in the layout, at most 20,000, and the rows above the first entry.

        Raises:
            DocumentRejected: the page cannot be read, or is not of the site.
        """
        if self.has_posts:
            self._require_page_names_site(document)
        rows = self._headings_and_rows_without_noise(document, show)
        if self.begin:
            entries = self._iterate_entries_from_begin_lines(rows, show)
        else:
            entries = self._iterate_entries_split_at_end_lines(rows, show)
        max_entries = 20_000
        listed = list(islice(entries, max_entries))
        position_of_first = min((entry.position for entry in listed), default=0)
        return _Listing(rows[:position_of_first], [entry.values for entry in listed])

    def _headings_and_rows_without_noise(self, document: PageDocument, show: Show) -> list[Row]:
        noise_or_blank = _pattern_for_show(f"(?:{self.noise})?", show)
        rows = []
        for row in document.rows.rows:
            is_noise = row.in_menu or noise_or_blank.fullmatch(row.text[:MAX_LAYOUT_LINE])
            # Any heading ends the entry above it.
            if row.heading or not is_noise:
                rows.append(row)
        return rows

    def _require_page_names_site(self, document: PageDocument) -> None:
        rows = document.rows.rows
        # A site has its name in the header or the footer of its pages.
        header, footer = rows[:40], rows[-40:]
        texts = [document.head.title, *(row.text for row in (*header, *footer))]
        if not any(contains_name(text, self.site_name) for text in texts):
            raise DocumentRejected(f"not a page of {self.site_name}")

    def _iterate_entries_from_begin_lines(
        self, rows: list[Row], show: Show
    ) -> Iterator[_ListedEntry]:
        """Yield the entries, each with the position of its first row. An entry goes from a `begin` line to
        the next."""
        begin_matches = self._begin_matches_by_position(rows, show)
        # The last entry goes on to the end of the page.
        for start, end in pairwise([*begin_matches, len(rows)]):
            entry = self._build_entry_from_begin_line(rows[start:end], begin_matches[start], show)
            yield _ListedEntry(start, entry)

    def _build_entry_from_begin_line(
        self, entry_rows: Sequence[Row], begin_match: re.Match[str], show: Show
    ) -> EntryData:
        title_row = replace(entry_rows[0], text=begin_match["title"] or "")
        rows_below = entry_rows[self._begin_line_count :]
        # The rank may have an element of its own: "1." and "Springs" are two rows.
        if not title_row.text and rows_below:
            title_row, *rows_below = rows_below
        # A heading below begins another part of the page.
        body = list(takewhile(lambda row: not row.heading, rows_below))
        text_rows = self._rows_of_entry_text(body, paragraph_index=0)
        fields = _first_date_and_length_as_printed(body)
        # The show, date and length of the begin line count more than dates and lengths below it. Its title and rank
        # are not read from `fields`.
        for name, value in begin_match.groupdict().items():
            if value:
                fields[name] = value
        return self._build_entry(title_row, text_rows, fields, show)

    @property
    def _begin_line_count(self) -> int:
        return self.begin.count(r"\n") + 1

    def _begin_matches_by_position(
        self, rows: Sequence[Row], show: Show
    ) -> dict[int, re.Match[str]]:
        """Return the matches of `begin` by the position of the row that begins an entry.

        If entries have ranks, these count on from 1: between "1) Springs" and "2) Wells", "7) Lids" is a line
        of a text.
        """
        pattern = _pattern_for_show(self.begin, show)
        matches: dict[int, re.Match[str]] = {}
        for position in range(len(rows)):
            begin_rows = rows[position : position + self._begin_line_count]
            lines = "\n".join(row.text for row in begin_rows)
            match = pattern.fullmatch(lines[:MAX_LAYOUT_LINE])
            if match is None:
                continue
            next_rank = str(len(matches) + 1)
            printed_rank = match.groupdict().get("rank", next_rank)  # the group may be missing
            if printed_rank == next_rank:
                matches[position] = match
        return matches

    def _iterate_entries_split_at_end_lines(
        self, rows: list[Row], show: Show
    ) -> Iterator[_ListedEntry]:
        """Yield the entries, each with the position of its text. An entry ends with an `end` line.

        The last line of an entry may be the last line of its text, too.
        """
        first_position = 0  # of the open entry
        entry_rows: list[Row] = []
        for position, row in enumerate(rows):
            # A heading begins an entry, but for the heading of the page, which has level 1.
            if row.heading > 1:
                first_position = position
                entry_rows = []
            text, has_end = _strip_end_if_present(row.text, self.end, show)
            entry_rows.append(replace(row, text=text.rstrip()))
            if has_end:
                yield self._build_listed_entry_of_rows(entry_rows, first_position, show)
                first_position = position + 1
                entry_rows = []

    def _build_listed_entry_of_rows(
        self, entry_rows: Sequence[Row], first_position: int, show: Show
    ) -> _ListedEntry:
        """Return the entry of rows that end with an `end` line. `first_position` is the position of the first row."""
        # The text of an entry is its last paragraph.
        text_rows = self._rows_of_entry_text(entry_rows, paragraph_index=-1)
        text_index = entry_rows.index(text_rows[0]) if text_rows else 0
        title_row = Row("")  # without a title
        # Level 0 is no heading, and level 1 the heading of the page.
        begins_with_entry_heading = entry_rows[0].heading > 1
        if begins_with_entry_heading:
            title_row = entry_rows[0]
        elif self.title_line and text_index > 0:
            # The line above the text.
            title_row = entry_rows[text_index - 1]
        # From the end up: of two dates the lower one counts.
        fields = _first_date_and_length_as_printed(reversed(entry_rows))
        values = self._build_entry(title_row, text_rows, fields, show)
        # The rows of the first entry begin with the top of the page, so only its text shows where the list begins.
        text_position = first_position + text_index
        return _ListedEntry(text_position, values)

    def _rows_of_entry_text(
        self, entry_rows: Sequence[Row], *, paragraph_index: int
    ) -> Sequence[Row]:
        """Return the rows of an entry's text: the paragraph with an index, 0 for the first and -1 for the last.

        A paragraph may have line breaks. With `all_paragraphs` return all rows from the first paragraph on.
        """
        prose = [row for row in entry_rows if self._is_prose(row)]
        if not prose:
            return []
        if self.all_paragraphs:
            return entry_rows[entry_rows.index(prose[0]) :]
        # The lines of a paragraph are in the same blocks.
        blocks_of_paragraph = prose[paragraph_index].path
        return [row for row in entry_rows if row.path == blocks_of_paragraph]

    def _is_prose(self, row: Row) -> bool:
        if row.heading or _date_line_fields_or_none(row.text) is not None:
            return False
        # With `all_paragraphs` the text begins at the first prose, so a title "Why?" is no prose then.
        is_sentence = row.text.endswith((".", "!", "?", "…"))
        if is_sentence and not self.all_paragraphs:
            return True
        # At most one word more is split off: a text may be long.
        words = row.text.split(maxsplit=self.min_prose_words)
        return len(words) >= self.min_prose_words

    def _build_entry(
        self,
        title_row: Row,
        text_rows: Sequence[Row],
        printed_fields: dict[str, str],
        show: Show,
    ) -> EntryData:
        date = printed_fields.get("date", "")
        published = read_feed_date(date)
        length = printed_fields.get("length", "")
        min_seconds, max_seconds = printed_length_seconds_range(length) or (None, None)
        printed_text = "\n".join(row.text for row in text_rows).rstrip()
        text, is_cut = self._text_and_is_cut(printed_text, show)
        # Without a text there is no end to look at, and a site of posts need not mark where it cuts them.
        can_tell_if_cut = printed_text != "" and not self.has_posts
        return EntryData(
            title=title_row.text,
            text=text,
            cut=is_cut if can_tell_if_cut else None,
            show=printed_fields.get("show", ""),
            url=next(iter(title_row.links), ""),
            date_raw=date,
            published=published.isoformat() if published else "",
            length_raw=length,
            seconds_low=min_seconds,
            seconds_high=max_seconds,
        )

    def _text_and_is_cut(self, printed_text: str, show: Show) -> tuple[str, bool]:
        # "Of kettles and… show more" is "Of kettles and" with the end cut off.
        beginning, is_cut = _strip_end_if_present(printed_text, self.cut_mark, show)
        if is_cut:
            return strip_cut_marks(beginning), True
        whole_text, _ = _strip_end_if_present(printed_text, self.ignored_ending, show)
        return whole_text.rstrip(), False


@lru_cache(maxsize=500)
def _pattern_for_show(form: str, show: Show) -> re.Pattern[str]:
    """Return a pattern that ignores case. {name} is the name of the show, {start} its first words."""
    words = [re.escape(word) for word in show.title.split()]
    name = r"\s".join(words)
    # Of the show "A B C": "A B C", "A B" and "A", the longest first.
    starts = [r"\s".join(words[:count]) for count in range(len(words), 0, -1)]
    start = f"(?:{'|'.join(starts)})"
    return re.compile(form.replace("{name}", name).replace("{start}", start), re.I)


def _strip_end_if_present(text: str, end_pattern: str, show: Show) -> tuple[str, bool]:
    """Return a text without the end that the pattern matches, and whether it has the end."""
    # Ends are shorter than this. To search a whole page for a pattern that ends it takes long.
    max_end_length = 200
    search_start = max(0, len(text) - max_end_length)
    match = _pattern_for_show(rf"(?:{end_pattern})\W*$", show).search(text, search_start)
    if match is None:
        return text, False
    return text[: match.start()], True


def _date_line_fields_or_none(line: str) -> dict[str, str] | None:
    """Return the printed `date` and `length` of a line that has nothing else, None for other lines.

    "Aug 4, 2024 • 16:33" gives {"date": "Aug 4, 2024", "length": "16:33"}, and "2y ago" an empty dict, because
    it is no date that is known.
    """
    fields = {}
    max_length = 80  # no such line is longer
    for part in re.split(r"\s{0,9}[•·|]\s{0,9}", line[:max_length]):
        if read_date(part):
            fields["date"] = part
        elif printed_length_seconds_range(part):
            fields["length"] = part
        elif not is_relative_date(part):
            return None
    return fields


def _first_date_and_length_as_printed(rows: Iterable[Row]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for row in rows:
        values = _date_line_fields_or_none(row.text) or {}
        fields = values | fields  # earlier rows count more
    return fields
