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
    position: int  # of its first row
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
        any_show = Show("", "")
        try:
            listing = self._find_entries_and_rows_above(PageDocument.from_fetched(page), any_show)
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
        # A layout with a site's name is for posts in place of episodes. The call above has refused any
        # page that does not name this site.
        has_posts = self.site_name != ""
        has_show_in_each_entry = "(?P<show>" in self.begin
        if not (has_show_in_each_entry or has_posts):
            self._require_page_names_show(document.head.title, listing.rows_above, show)
        show_entries = []
        left_out = []
        for entry in listing.entries:
            if not has_show_in_each_entry or is_name_of_show(entry.show, show.title):
                show_entries.append(entry)
            else:
                left_out.append((entry.title, f"it names {entry.show}"))
        if not show_entries:
            raise WrongShow(f"none of its {len(listing.entries)} entries names {show.title}")
        return ParsedPage(
            entries=tuple(show_entries),
            show=show.title,
            foreign=len(left_out),
            left_out=tuple(left_out),
            posts=has_posts,
        )

    def _require_page_names_show(self, title: str, rows_above: Sequence[Row], show: Show) -> None:
        """Refuse a page that does not name the show above its entries.

        The page's highest headings decide, or its title, or any row if there is no heading: a page of
        another show may mention this one in a menu.
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
        """Return the entries of the page in the layout, at most 20,000, and the rows above the first.

        Raises:
            DocumentRejected: the page cannot be read, or is not of the site.
        """
        if self.site_name:
            self._require_page_names_site(document)
        noise = _pattern_for_show(f"(?:{self.noise})?", show)  # and rows without text
        rows = []
        for row in document.rows.rows:
            is_noise = row.in_menu or noise.fullmatch(row.text[:MAX_LAYOUT_LINE])
            if row.heading or not is_noise:
                rows.append(row)
        if self.begin:
            entries = self._iterate_entries_from_begin_lines(rows, show)
        else:
            entries = self._iterate_entries_up_to_end_lines(rows, show)
        max_entries = 20_000
        listed = list(islice(entries, max_entries))
        position_of_first = min((entry.position for entry in listed), default=0)
        return _Listing(rows[:position_of_first], [entry.values for entry in listed])

    def _require_page_names_site(self, document: PageDocument) -> None:
        rows = document.rows.rows
        texts = [document.head.title]
        texts += [row.text for row in (*rows[:40], *rows[-40:])]
        if not any(contains_name(text, self.site_name) for text in texts):
            raise DocumentRejected(f"not a page of {self.site_name}")

    def _iterate_entries_from_begin_lines(
        self, rows: list[Row], show: Show
    ) -> Iterator[_ListedEntry]:
        """Yield the entries, each with the position of its first row. An entry goes from a `begin` line to
        the next."""
        matches = self._begin_matches_by_position(rows, show)
        # The last entry goes on to the end of the page.
        for start, end in pairwise([*matches, len(rows)]):
            begin_match = matches[start]
            title_row = replace(rows[start], text=begin_match["title"] or "")
            rows_below = rows[start + self._begin_line_count : end]
            # The rank may have an element of its own. Then the title is the next row.
            if not title_row.text and rows_below:
                title_row, *rows_below = rows_below
            body = list(takewhile(lambda row: not row.heading, rows_below))
            text_rows = self._rows_of_entry_text(body, takes_last_paragraph=False)
            fields = _first_date_and_length_as_printed(body)
            for name, value in begin_match.groupdict().items():
                # The date and length of the begin line count more than dates and lengths below it.
                if value:
                    fields[name] = value
            yield _ListedEntry(start, self._build_entry(title_row, text_rows, fields, show))

    @property
    def _begin_line_count(self) -> int:
        return self.begin.count(r"\n") + 1

    def _begin_matches_by_position(
        self, rows: Sequence[Row], show: Show
    ) -> dict[int, re.Match[str]]:
        """Return the matches of `begin` by the position of the row. Ranks, if it has any, count on from 1."""
        pattern = _pattern_for_show(self.begin, show)
        matches: dict[int, re.Match[str]] = {}
        for position in range(len(rows)):
            first_rows = rows[position : position + self._begin_line_count]
            lines = "\n".join(row.text for row in first_rows)
            match = pattern.fullmatch(lines[:MAX_LAYOUT_LINE])
            if match is None:
                continue
            # Between "1) Springs" and "2) Wells", "7) Lids" is a line of a text.
            next_rank = str(len(matches) + 1)
            printed_rank = match.groupdict().get("rank", next_rank)
            if printed_rank == next_rank:
                matches[position] = match
        return matches

    def _iterate_entries_up_to_end_lines(
        self, rows: list[Row], show: Show
    ) -> Iterator[_ListedEntry]:
        """Yield the entries, each with the position of its first row. An entry ends with an `end` line.

        The last line of an entry may be the last line of its text, too.
        """
        start = 0  # the position of the first row of the entry
        entry_rows: list[Row] = []
        for position, row in enumerate(rows):
            # A heading begins an entry. The highest heading is the page's.
            if row.heading > 1:
                start = position
                entry_rows = []
            text, is_last = _strip_end_and_detect_end(row.text, self.end, show)
            entry_rows.append(replace(row, text=text.rstrip()))
            if is_last:
                yield self._build_entry_up_to_end_line(entry_rows, start, show)
                start = position + 1
                entry_rows = []

    def _build_entry_up_to_end_line(
        self, entry_rows: Sequence[Row], first_position: int, show: Show
    ) -> _ListedEntry:
        """Return the entry of the rows up to an `end` line. `first_position` is the position of the first row."""
        text_rows = self._rows_of_entry_text(entry_rows, takes_last_paragraph=True)
        text_index = entry_rows.index(text_rows[0]) if text_rows else 0
        title_row = Row("")  # without a title
        if entry_rows[0].heading > 1:
            title_row = entry_rows[0]
        elif self.title_line and text_index > 0:
            title_row = entry_rows[text_index - 1]
        # From the end up: of two dates the lower one counts.
        fields = _first_date_and_length_as_printed(reversed(entry_rows))
        values = self._build_entry(title_row, text_rows, fields, show)
        return _ListedEntry(first_position + text_index, values)

    def _rows_of_entry_text(
        self, entry_rows: Sequence[Row], *, takes_last_paragraph: bool
    ) -> Sequence[Row]:
        """Return the rows of an entry's text: the first paragraph, or with `takes_last_paragraph` the last.

        A paragraph may have line breaks. With `all_paragraphs` return all rows from the first paragraph on.
        """
        prose = [row for row in entry_rows if self._is_prose(row)]
        if not prose:
            return []
        if self.all_paragraphs:
            return entry_rows[entry_rows.index(prose[0]) :]
        paragraph = prose[-1] if takes_last_paragraph else prose[0]
        # The lines of a paragraph are in the same blocks.
        return [row for row in entry_rows if row.path == paragraph.path]

    def _is_prose(self, row: Row) -> bool:
        if row.heading or _date_line_fields_or_none(row.text) is not None:
            return False
        # If all rows from the first prose on are text, a short title like "Why?" above must not be prose.
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
        shortest, longest = printed_length_seconds_range(length) or (None, None)
        printed_text = "\n".join(row.text for row in text_rows).rstrip()
        cut_text, is_cut = _strip_end_and_detect_end(printed_text, self.cut_mark, show)
        if is_cut:
            text = strip_cut_marks(cut_text)
        else:
            whole_text, _ = _strip_end_and_detect_end(printed_text, self.ignored_ending, show)
            text = whole_text.rstrip()
        # A missing text is not cut. Whether a site cuts its posts is not known.
        is_cut_known = printed_text != "" and not self.site_name
        return EntryData(
            title=title_row.text,
            text=text,
            cut=is_cut if is_cut_known else None,
            show=printed_fields.get("show", ""),
            url=next(iter(title_row.links), ""),
            date_raw=date,
            published=published.isoformat() if published else "",
            length_raw=length,
            seconds_low=shortest,
            seconds_high=longest,
        )


@lru_cache(maxsize=500)
def _pattern_for_show(form: str, show: Show) -> re.Pattern[str]:
    """Return a pattern that ignores case. {name} is the name of the show, {start} its first words."""
    words = [re.escape(word) for word in show.title.split()]
    name = r"\s".join(words)
    # Of the show "A B C": "A B C", "A B" and "A", the longest first.
    starts = [r"\s".join(words[:count]) for count in range(len(words), 0, -1)]
    start = f"(?:{'|'.join(starts)})"
    return re.compile(form.replace("{name}", name).replace("{start}", start), re.I)


def _strip_end_and_detect_end(text: str, end_pattern: str, show: Show) -> tuple[str, bool]:
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

    Such lines are "16:33", "Aug 4, 2024 • 16:33", and "2y ago", which gives an empty dict.
    """
    fields = {}
    # No such line is longer. The separators are "•", "·" and "|".
    for part in re.split(r"\s{0,9}[•·|]\s{0,9}", line[:80]):
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
