"""The lines of a page with the dates and lengths in them, and keys of their texts for comparison."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise

from ...dates import TimeMention, find_time_mentions
from ...records import Show
from ...text.normalize import ends_in_cut_mark, strip_cut_marks
from ..rows import PageRows, Piece, Row
from ..show_names import ACCENTS, name_pattern

# Three signs of a script without blanks are a word.
PROSE_WORD = re.compile(
    r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{3}|[^\s\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2,}"
)

MAX_TITLE_LINE = 200  # characters of a line that could be a title
# What follows the name of a show in a longer name: " Reloaded", ": Reloaded".
LONGER_NAME = re.compile(r":?\s[A-ZÀ-ÞА-Я]")


class _KeyCharacters(dict[int, str]):
    """The key of every character. White space and signs have none: sites drop and replace them."""

    def __missing__(self, code: int) -> str:
        """Compute the key of a character at its first use, store it, and return it: "é" is "e", "!" is ""."""
        # NFKC makes plain letters of "ﬁ" and "①". NFKD splits "é" into "e" and its accent, which is dropped.
        folded = unicodedata.normalize("NFKC", chr(code)).casefold()
        bare = unicodedata.normalize("NFKD", folded).translate(ACCENTS)
        key = ""
        # NFC joins the marks that are kept with their letters: "か" and its mark are "が".
        for character in unicodedata.normalize("NFC", bare):
            # Vowel signs of many scripts are marks, and make the word. "+" makes a name: C++.
            is_mark = unicodedata.category(character).startswith("M")
            if character.isalnum() or character == "+" or is_mark:
                key += character
        self[code] = key
        return key


KEY_CHARACTERS = _KeyCharacters()


def key_of(text: str) -> str:
    """Return the letters and digits of a text in lower case and without accents."""
    return unicodedata.normalize("NFC", text).translate(KEY_CHARACTERS)


def is_prose(text: str) -> bool:
    """Return True for a text that reads as a sentence: five words with a full stop, or eight words."""
    ends_sentence = re.search(r"(?<!\.)[.!?。]$", text) is not None
    min_words = 5 if ends_sentence else 8
    return len(PROSE_WORD.findall(text)) >= min_words


@dataclass(frozen=True)
class PageLine:
    """A line of a page. `index` is its place among the lines of the page."""

    index: int
    row: Row
    show: Show
    language: str
    titles: tuple[tuple[int, int], ...] = ()  # where titles of known episodes begin and end

    @property
    def kind(self) -> tuple[object, ...]:
        """Return the innermost elements around the line. Titles of one list have the same."""
        return (self.row.shape[-2:], self.row.heading, self.row.column)

    @cached_property
    def text(self) -> str:
        """Return the text of the row. Of a hostile page only the beginning is looked at."""
        return self.row.text[:20_000]

    @cached_property
    def has_show_name(self) -> bool:
        """Return True if the line has the name of the show, and no longer name: "NAME Reloaded"."""
        name = name_pattern(self.show.title).search(self.text)
        return name is not None and not LONGER_NAME.match(self.text, name.end())

    @cached_property
    def date_and_length_mentions(self) -> tuple[TimeMention, ...]:
        """Return the dates and lengths in the line. No mention spans two elements that touch:
        "<b>2024-08-04</b><b>16:33</b>" is a date and a length."""
        mentions = []
        for start, end in pairwise(self._boundaries_of_touching_elements()):
            for mention in find_time_mentions(self.text[start:end], self.language):
                # The mention counts from the start of the stretch.
                in_line = replace(mention, start=mention.start + start, end=mention.end + start)
                mentions.append(in_line)
        return tuple(mentions)

    def _boundaries_of_touching_elements(self) -> list[int]:
        """Return where elements begin without a space before them, and both ends of the line."""
        boundaries = {0, len(self.text)}
        for start in self.piece_starts:
            # Behind a space the element may go on with a date: "4 <b>August</b>".
            is_behind_space = self.text[start - 1 : start].isspace()
            if not is_behind_space:
                boundaries.add(start)
        return sorted(boundaries)

    @cached_property
    def piece_starts(self) -> list[int]:
        # Elements of the row may begin behind the line, see `text`.
        end = len(self.text)
        return [min(piece.start, end) for piece in self.row.pieces]

    def pieces_between(self, start: int, end: int) -> Sequence[Piece]:
        # From the piece that holds the start up to the last piece that begins before the end.
        first = max(0, bisect_right(self.piece_starts, start) - 1)
        first_behind = bisect_left(self.piece_starts, end)
        return self.row.pieces[first : max(first + 1, first_behind)]

    @cached_property
    def seams(self) -> set[int]:
        """Return the offsets at which elements, dates and lengths begin or end."""
        seams = set(self.piece_starts)
        for mention in self.date_and_length_mentions:
            seams.update((mention.start, mention.end))
        return seams - {len(self.text)}

    @cached_property
    def key(self) -> str:
        return "".join(self._parts)

    @cached_property
    def opening(self) -> str:
        """Return the key without the marks of a cut."""
        return key_of(strip_cut_marks(self.text)) if ends_in_cut_mark(self.text) else self.key

    @cached_property
    def _parts(self) -> list[str]:
        return [KEY_CHARACTERS[ord(character)] for character in self.text]

    @cached_property
    def _offsets(self) -> list[int]:
        return list(accumulate(map(len, self._parts), initial=0))

    def key_offset(self, position: int) -> int:
        """Return the offset in the key of a position in the text."""
        return self._offsets[position]

    def position(self, key_offset: int) -> int:
        """Return the position in the text of an offset in the key."""
        return bisect_right(self._offsets, key_offset) - 1

    @cached_property
    def words(self) -> str:
        return self.text_with_blanks_for_dates_and_lengths(0, len(self.text))

    def text_with_blanks_for_dates_and_lengths(self, start: int, end: int) -> str:
        """Return a stretch of the text with blanks in the place of dates and lengths, at the same offsets."""
        characters = list(self.text[start:end])
        for mention in self.date_and_length_mentions:
            # The part of the mention that lies in the stretch.
            first = max(mention.start, start)
            last = min(mention.end, end)
            if first < last:
                characters[first - start : last - start] = " " * (last - first)
        return "".join(characters)

    @cached_property
    def is_prose(self) -> bool:
        """Return True if the words beside titles, dates and lengths read as a sentence."""
        words = self.words
        for start, end in self.titles:
            words = words[:start] + " " * (end - start) + words[end:]
        return is_prose(words)

    @cached_property
    def may_be_title(self) -> bool:
        """Return True for a line that could be the title of an entry, known or unknown."""
        is_short = len(self.text) <= MAX_TITLE_LINE
        has_letters = re.search(r"[^\W\d_]", self.words) is not None
        if self.row.in_menu or not is_short or not has_letters:
            return False
        is_heading_or_link = bool(self.row.heading or self.row.links)
        return is_heading_or_link or not self.is_prose


def page_lines(page: PageRows, show: Show) -> list[PageLine]:
    language = page.head.language or show.language.lower().split("-")[0]
    return [PageLine(index, row, show, language) for index, row in enumerate(page.rows)]
