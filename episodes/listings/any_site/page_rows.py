"""The rows of a page with what can be read off each by itself: dates, lengths, numbers, the show's
name, addresses."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise

from ...dates import Calendar, Mark, at_time, day_in, marks, month_of, plain_digits
from ...records import Show
from ...text.numbering import SEASON_SIGN
from ..rows import BARE_LINK, NO_COLUMN, PageRows, Row

WORD = re.compile(r"[^\W\d_]+")
WIDEST = 4_000  # characters of a row that are looked at for names and numbers
REST_LENGTH = 1_000  # characters of a row in which the words beside a title are counted
_OF_SEASON = rf"(?i:{SEASON_SIGN})\.?\s?"
_SEASON = rf"(?:{_OF_SEASON}(?P<season>\d{{1,3}})\s{{0,9}}[,:·.|–-]?\s{{0,9}})?"
# The number of a season alone is none of an episode's.
_SIGN = rf"(?!{_OF_SEASON}\d)(?:(?:[^\W\d_]{{1,9}}\.? ?)?[#№]|[^\W\d_]{{1,9}}\.? ?)"
_NUMBER = r" ?(?P<number>\d{1,5})(?!\d|[:/.x×]\d)"
# At a word, and behind the season of "2x06" or "12x06"; "16x16" is a size.
_BEGINS = r"(?:(?<![^\W_])(?<!\.)|(?<=\b\d)(?=x\d\d\b)|(?<=\b\d\d)(?=x0\d\b))"
NUMBER = re.compile(rf"{_BEGINS}(?:{_SEASON}(?:{_SIGN})?{_NUMBER}|{_OF_SEASON}\d)")
CALLED = re.compile(rf"{_BEGINS}{_SEASON}{_SIGN}{_NUMBER}")  # "#12", "Ep. 12"; a rank is not

BESIDE = 12  # words beside which a date is part of a sentence
WORDS = 8  # of a row that reads as a sentence
FEW_WORDS = 5  # of one that ends as a sentence does
# Three signs of a script without blanks are a word.
PROSE_WORD = re.compile(
    r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{3}|[^\s\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2,}"
)
SENTENCE = re.compile(r"(?<!\.)[.!?。]$")


KEPT_SIGNS = "+#"  # which make a name: C++, C#
# Marks on Latin, Greek and Cyrillic letters, which many sites leave out, and those that choose how
# the sign before them is drawn.
LEFT_OUT = dict.fromkeys((*range(0x300, 0x370), *range(0xFE00, 0xFE10)))


class _KeyCharacters(dict[int, str]):
    """The key of every character: nothing for white space and signs, which sites eat, add and
    replace."""

    def __missing__(self, code: int) -> str:
        folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", chr(code)).casefold())
        self[code] = "".join(
            c
            for c in unicodedata.normalize("NFKC", folded.translate(LEFT_OUT))
            if c.isalnum() or c in KEPT_SIGNS or unicodedata.category(c)[0] == "M"
        )
        return self[code]


KEY_CHARACTERS = _KeyCharacters()


def key_of(text: str) -> str:
    """Letters and digits of a text in lower case, in every script."""
    return unicodedata.normalize("NFC", text).translate(KEY_CHARACTERS)


@dataclass(frozen=True, slots=True)
class KeyedText:
    """A text with its key, and for each place in the text the place in its key."""

    text: str
    key: str
    offsets: tuple[int, ...]

    def between(self, start: int, end: int) -> str:
        """Key of a stretch of the text."""
        return self.key[self.offsets[start] : self.offsets[end]]

    def place(self, key_place: int) -> int:
        """Place in the text at which a character of the key stands."""
        return max(0, bisect_right(self.offsets, key_place) - 1)


def keyed(text: str) -> KeyedText:
    parts = [KEY_CHARACTERS[ord(char)] for char in text]
    return KeyedText(text, "".join(parts), tuple(accumulate(map(len, parts), initial=0)))


# "oktober 2026", above days alone.
OF_MONTH = re.compile(r"\W*(?P<month>[^\W\d_]{3,12})\.?\s+(?P<year>(?:19|20)\d\d)\W*")
LONE_DAY = re.compile(r"\W*(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\.?(?=\s|$)")


@dataclass(frozen=True)
class PageRow:
    """A row and what stands in it."""

    place: int
    row: Row
    name: str  # key of the show's name
    language: str
    marks: tuple[Mark, ...] = ()  # dates, lengths and clocks
    above: str = ""  # the heading of its column, in a table

    @property
    def text(self) -> str:
        return self.row.text

    @cached_property
    def keyed(self) -> KeyedText:
        return keyed(self.row.text[:WIDEST])

    @property
    def slot(self) -> tuple[object, ...]:
        """Kind of the row: its innermost elements on an HTML page."""
        return (self.row.shape[-2:], self.row.heading)

    @property
    def kind(self) -> tuple[object, ...]:
        """Its slot, and its column in a table, whose cells are all alike."""
        return (self.slot, self.row.column)

    def is_behind_date(self, mark: Mark) -> bool:
        """True for a clock right behind a date, which is more often a time of day than a length."""
        return any(one.kind == "date" and 0 <= mark.start - one.end <= 2 for one in self.marks)

    @cached_property
    def words(self) -> str:
        """The text with blanks in the place of dates, lengths and the show's name."""
        chars = list(self.text)
        for start, end in (*((mark.start, mark.end) for mark in self.marks), *self.show_names):
            chars[start:end] = " " * (end - start)
        return "".join(chars)

    @cached_property
    def show_names(self) -> tuple[tuple[int, int], ...]:
        """The places of the show's name."""
        spans, place = [], self.keyed.key.find(self.name) if self.name else -1
        while place >= 0:
            end = self.keyed.place(place + len(self.name) - 1) + 1
            spans.append((self.keyed.place(place), end))
            place = self.keyed.key.find(self.name, place + 1)
        return tuple(spans)

    @cached_property
    def unmarked_beginning(self) -> str:
        """The beginning of the text with blanks in the place of dates, lengths, addresses and the
        show's name."""
        chars = list(self.text[:REST_LENGTH])
        marked = ((mark.start, mark.end) for mark in self.marks)
        for start, end in (*marked, *self.show_names, *self.addresses):
            chars[start:end] = " " * (min(end, len(chars)) - start)
        return "".join(chars)

    @cached_property
    def label_spans(self) -> tuple[tuple[int, int], ...]:
        """The elements within the beginning of the text that a site names and that are no links."""
        return tuple(
            (piece.start, piece.end)
            for piece in self.row.pieces
            if piece.names and not piece.href and piece.start < REST_LENGTH
        )

    @cached_property
    def addresses(self) -> tuple[tuple[int, int], ...]:
        return tuple(m.span() for m in BARE_LINK.finditer(self.text)) if "://" in self.text else ()

    def numbers(self, start: int, end: int, pattern: re.Pattern[str] = NUMBER) -> Iterator[int]:
        """The numbers of a form in a stretch of the row that may be the episode's."""
        for match in pattern.finditer(plain_digits(self.text[start:end])):
            place = start + match.start("number")
            if match["number"] and not any(mark.start <= place < mark.end for mark in self.marks):
                yield int(match["number"])


def page_rows(page: PageRows, show: Show) -> list[PageRow]:
    """Every row of a page."""
    name, language = key_of(show.title), page.head.language or show.language.lower().split("-")[0]
    above, month = {NO_COLUMN: ""}, None
    rows = []
    for place, row in enumerate(page.rows):
        heading = above.setdefault(row.column, row.text)
        if of_month := OF_MONTH.fullmatch(row.text):
            number = month_of(of_month["month"], language)
            month = (int(of_month["year"]), number) if number else None
        found = tuple(_marks_of(row, language))
        if month and (lone := LONE_DAY.match(row.text)):
            found = (*_day_of_month(lone, month, found), *found)
        rows.append(PageRow(place, row, name, language, found, heading))
    calendar = Calendar(
        mark for row in rows for mark in row.marks if not in_sentence(mark, row.text)
    )
    return [replace(row, marks=tuple(map(calendar.placed, row.marks))) for row in rows]


def _marks_of(row: Row, language: str) -> Iterator[Mark]:
    """Dates, lengths and clocks of a row, none across the seam of two elements that touch."""
    text = row.text
    starts = {
        piece.start for piece in row.pieces if not text[piece.start - 1 : piece.start].isspace()
    }
    for start, end in pairwise(sorted({0, *starts, len(text)})):
        for mark in marks(text[start:end], language):
            yield replace(mark, start=mark.start + start, end=mark.end + start)


def _day_of_month(
    lone: re.Match[str], month: tuple[int, int], found: Sequence[Mark]
) -> Iterator[Mark]:
    """The day at the beginning of a row, below a line with its year and month alone."""
    day = day_in(*month, int(lone["day"]))
    if day and (not found or found[0].start >= lone.end()):
        yield Mark(*lone.span("day"), "date", at_time(day))


def in_sentence(mark: Mark, text: str) -> bool:
    """True for a date or length in the midst of a row's words."""
    # Only near words matter: a row with thousands of dates is not split once for each.
    before = len(text[max(0, mark.start - WIDEST) : mark.start].split())
    behind = len(text[mark.end : mark.end + WIDEST].split())
    return before + behind > BESIDE and min(before, behind) > 2


def is_prose(text: str) -> bool:
    """True for a row that reads as a sentence."""
    words = len(PROSE_WORD.findall(text))
    return words >= WORDS or (words >= FEW_WORDS and bool(SENTENCE.search(text)))
