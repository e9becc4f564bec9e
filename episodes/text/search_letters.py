"""The fold of search: words of a query and of the index in the letters that they are compared by, and the places of folded
words in the text that they come from; pure. The database folds the index alike (`migrations/_search.py`)."""

import re
import unicodedata
from bisect import bisect
from dataclasses import dataclass
from functools import cache, lru_cache

# Signs that are said as words, letters that nothing takes apart, and letters that people write without their marks.
SPELLED = (
    ("+", " plus "), ("C#", "c sharp "), ("c#", "c sharp "), ("F#", "f sharp "), ("f#", "f sharp "),
    ("ß", "ss"), ("ẞ", "ss"), ("æ", "ae"), ("Æ", "ae"), ("œ", "oe"), ("Œ", "oe"), ("ø", "o"), ("Ø", "o"),
    ("đ", "d"), ("Đ", "d"), ("ł", "l"), ("Ł", "l"), ("ı", "i"), ("ё", "е"), ("Ё", "е"), ("ٱ", "ا"),
)  # fmt: skip
# Ranges of signs that stand for letters or digits ("№", "™", "㈱") and of points of Arabic and Hebrew, each with its ends.
SIGNS_OF_LETTERS = (
    (0x20A8, 0x20A8), (0x2100, 0x2101), (0x2103, 0x2103), (0x2105, 0x2106), (0x2109, 0x2109), (0x2116, 0x2116),
    (0x2120, 0x2122), (0x213B, 0x213B), (0x249C, 0x24E9), (0x2E9F, 0x2E9F), (0x2EF3, 0x2EF3), (0x2F00, 0x2FD5),
    (0x3196, 0x319F), (0x3200, 0x321E), (0x322A, 0x3247), (0x3250, 0x3250), (0x3260, 0x327E), (0x328A, 0x32B0),
    (0x32C0, 0x33FF), (0xFDFC, 0xFDFC), (0x1F110, 0x1F12E), (0x1F130, 0x1F14F), (0x1F16A, 0x1F16C), (0x1F190, 0x1F190),
    (0x1F200, 0x1F202), (0x1F210, 0x1F23B), (0x1F240, 0x1F248), (0x1F250, 0x1F251),
)  # fmt: skip
POINTS = (
    (0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5), (0x05C7, 0x05C7),
    (0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06DC), (0x06DF, 0x06E4),
    (0x06E7, 0x06E8), (0x06EA, 0x06ED),
)  # fmt: skip
# Scripts without spaces between words, of which engines take a whole sentence for one word: Thai and its neighbours,
# Japanese, Chinese.
UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x3098), (0x309B, 0x30FF), (0x3400, 0x9FFF),
    (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
# Folded letters and digits of other scripts, which are words of their own beside them: "AIと船".
SPACED = (
    (0x30, 0x39), (0x61, 0x7A), (0xDF, 0x2AF), (0x370, 0x5EA), (0x620, 0x6FF), (0x900, 0xDFF), (0x10A0, 0x10FF),
    (0x1E00, 0x1FFF), (0xAC00, 0xD7A3),
)  # fmt: skip
ACCENTS = "\u0300-\u036f"
# Accents of these letters do not count.
ACCENTED = "A-Za-z\u0370-\u03ff"


def character_ranges(ranges: tuple[tuple[int, int], ...]) -> str:
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


_SIGN_OF_LETTERS = re.compile(f"(?P<sign>[{character_ranges(SIGNS_OF_LETTERS)}])")
_ACCENTS = re.compile(f"(?P<letter>[{ACCENTED}])[{ACCENTS}]+")
_POINTS = re.compile(f"[{character_ranges(POINTS)}]+")
UNSPACED_LETTER = re.compile(f"[{character_ranges(UNSPACED)}]")
_BETWEEN_SCRIPTS = re.compile(
    f"(?<=[{character_ranges(UNSPACED)}])(?=[{character_ranges(SPACED)}])|(?<=[{character_ranges(SPACED)}])(?=[{character_ranges(UNSPACED)}])"
)


# Made at their first use: to go through all characters takes long, and most commands search nothing.


@cache
def folded_word() -> re.Pattern[str]:
    # PostgreSQL takes a mark in front of them for a part of the word, too.
    return re.compile(f"(?<![{_marks()}])[{_marks()}]*[^\\W_]+(?:[{_marks()}]+[^\\W_]*)*")


@cache
def folded_word_start() -> re.Pattern[str]:
    return re.compile(f"(?<![^\\W_])(?<![{_marks()}])[{_marks()}]*[^\\W_]")


@cache
def _joined_letter() -> re.Pattern[str]:
    # Letters that join the letter before them as marks do: the tatweel, the halves of Korean syllables,
    # and the voice marks of narrow katakana.
    joining = ((0x0640, 0x0640), (0x1160, 0x11FF), (0xFF9E, 0xFF9F), (0xFFA0, 0xFFDC))
    return re.compile(f"[{_marks()}{character_ranges(joining)}]")


@cache
def _marks() -> str:
    codes = range(0x300, 0x1F000)
    return "".join(chr(code) for code in codes if unicodedata.category(chr(code))[0] == "M")


def fold_for_search(text: str) -> str:
    """Return the text as search compares it: in small letters, compatibility letters as plain ones (NFKC), without accents
    on Latin and Greek letters and without the points of Arabic and Hebrew, and with spaces between scripts that need them."""
    return _BETWEEN_SCRIPTS.sub(" ", _fold_letters(text))


def _fold_letters(text: str) -> str:
    if text.isascii():
        return _spell(text).lower()
    text = _SIGN_OF_LETTERS.sub(r" \g<sign> ", text)
    text = unicodedata.normalize("NFKC", text)  # "№" becomes "No"
    text = _spell(text)
    text = unicodedata.normalize("NFD", text)  # "é" becomes "e" and an accent
    text = _POINTS.sub("", text)
    text = _ACCENTS.sub(r"\g<letter>", text)
    text = unicodedata.normalize("NFC", text.lower())
    return text.replace("ς", "σ")  # the form of sigma at the end of a word


def _spell(text: str) -> str:
    for letter, word in SPELLED:
        text = text.replace(letter, word)
    return text


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text with the places of its parts in the text that it comes from.

    Each part begins at `starts` in `text` without the spaces between scripts, which stand at `spaces`, and at `sources` in
    the source. It has the same length in both, or is one letter that the fold writes with another number of letters:
    "straße!" becomes "strasse!", with parts at the starts (0, 4, 6) and the sources (0, 4, 5).
    """

    text: str
    spaces: tuple[int, ...] = ()
    starts: tuple[int, ...] = (0,)
    sources: tuple[int, ...] = (0,)

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the source of a part of the folded text. A letter of the source is never cut."""
        return self._source_position(start, after=False), self._source_position(end - 1, after=True)

    def _source_position(self, folded_index: int, *, after: bool) -> int:
        """Return the position in the source before a folded letter, or behind it with `after`."""
        spaces_before = bisect(self.spaces, folded_index)
        index = folded_index - spaces_before
        part_index = bisect(self.starts, index) - 1
        start = self.starts[part_index]
        source_start = self.sources[part_index]
        before_letter = source_start + (index - start)
        position = before_letter + 1 if after else before_letter
        is_last_part = part_index + 1 == len(self.starts)
        if is_last_part:
            return position
        source_end = self.sources[part_index + 1]
        has_equal_length = self.starts[part_index + 1] - start == source_end - source_start
        if has_equal_length:
            return position
        # The fold wrote one letter of the source with several, or the other way round.
        return source_end if after else source_start


def fold_with_positions(text: str) -> FoldedText:
    """Return the folded text, with the positions at which it has more or fewer letters than the
    text."""
    parts = _length_changing_pattern(text)
    if parts is None:
        return FoldedText(fold_for_search(text))
    letters = ""  # folded so far
    starts = [0]
    sources = [0]
    for match in parts.finditer(text):
        # Two parts: the text before the match, and the match.
        for end in match.span():
            letters += _fold_letters(text[sources[-1] : end])
            starts.append(len(letters))
            sources.append(end)
    letters += _fold_letters(text[sources[-1] :])
    spaces = []
    for spaces_before, gap in enumerate(_BETWEEN_SCRIPTS.finditer(letters)):
        # The spaces before it move it.
        spaces.append(gap.start() + spaces_before)
    folded = _BETWEEN_SCRIPTS.sub(" ", letters)
    return FoldedText(folded, tuple(spaces), tuple(starts), tuple(sources))


def _length_changing_pattern(text: str) -> re.Pattern[str] | None:
    """Return a pattern for the parts of this text that the fold writes with another number of
    letters, or None if it has no such part."""
    may_be_uneven = re.search(r"[^\x00-\x7f]|[+#]", text)
    if not may_be_uneven:
        return None
    # Marks that join the letter before them, and letters that become several or none.
    joined_letters = sorted(set(_joined_letter().findall(text)))
    uneven_letters = [letter for letter in sorted(set(text)) if len(_folded_letter(letter)) != 1]
    joined = re.escape("".join(joined_letters))
    uneven = re.escape("".join(uneven_letters))
    # "\0" only keeps the sets of letters from being empty.
    sharp = "[cCfFｃＣｆＦ][#＃﹟]"  # of any width
    return re.compile(f"{sharp}|(?s:.)?[\0{joined}]+|[\0{uneven}]")


@lru_cache(maxsize=8_192)
def _folded_letter(letter: str) -> str:
    return _fold_letters(letter)
