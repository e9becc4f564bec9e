"""The fold of search: words of a query and of the index in the letters that they are compared by, and the places of folded
words in the text that they come from; pure. The database folds the index alike (`migrations/_search.py`)."""

import re
import unicodedata
from bisect import bisect
from dataclasses import dataclass, replace
from functools import cache, lru_cache

# Signs that are said as words, letters that nothing takes apart, and letters that people write without their marks.
SPELLED = (
    ("+", " plus "), ("C#", "c sharp "), ("c#", "c sharp "), ("F#", "f sharp "), ("f#", "f sharp "),
    ("ß", "ss"), ("ẞ", "ss"), ("æ", "ae"), ("Æ", "ae"), ("œ", "oe"), ("Œ", "oe"), ("ø", "o"), ("Ø", "o"),
    ("đ", "d"), ("Đ", "d"), ("ł", "l"), ("Ł", "l"), ("ı", "i"), ("ё", "е"), ("Ё", "е"), ("ٱ", "ا"),
)  # fmt: skip
# Ranges, each with its ends: of signs that stand for letters or digits ("№", "™", "㈱"), and of marks that are no part of a
# word: points of Arabic and Hebrew, the joiner of Sinhala and Malayalam, and marks that change how a sign looks ("❤️", "1️⃣").
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
    (0x06E7, 0x06E8), (0x06EA, 0x06ED), (0x200D, 0x200D), (0x20DD, 0x20E0), (0x20E2, 0x20E4), (0xFE00, 0xFE0F),
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


_LETTERLIKE_SIGN = re.compile(f"(?P<sign>[{character_ranges(SIGNS_OF_LETTERS)}])")
_ACCENTS = re.compile(f"(?P<letter>[{ACCENTED}])[{ACCENTS}]+")
_POINTS = re.compile(f"[{character_ranges(POINTS)}]+")
UNSPACED_LETTER = re.compile(f"[{character_ranges(UNSPACED)}]")
_BETWEEN_SCRIPTS = re.compile(
    f"(?<=[{character_ranges(UNSPACED)}])(?=[{character_ranges(SPACED)}])|(?<=[{character_ranges(SPACED)}])(?=[{character_ranges(UNSPACED)}])"
)


# Made at their first use: to go through all characters takes long, and most commands search nothing.


@cache
def folded_word_pattern() -> re.Pattern[str]:
    # PostgreSQL takes a mark in front of them for a part of the word, too.
    return re.compile(
        f"(?<![{_combining_marks()}])[{_combining_marks()}]*[^\\W_]+(?:[{_combining_marks()}]+[^\\W_]*)*"
    )


@cache
def folded_word_start_pattern() -> re.Pattern[str]:
    return re.compile(f"(?<![^\\W_])(?<![{_combining_marks()}])[{_combining_marks()}]*[^\\W_]")


@cache
def _joining_mark() -> re.Pattern[str]:
    # Marks, and letters that join the letter before them as marks do: the tatweel, the halves of Korean syllables,
    # and the voice marks of narrow katakana.
    joining = ((0x0640, 0x0640), (0x1160, 0x11FF), (0xFF9E, 0xFF9F), (0xFFA0, 0xFFDC))
    return re.compile(f"[{_combining_marks()}{character_ranges(joining)}]")


@cache
def _combining_marks() -> str:
    codes = range(0x300, 0x1F000)
    return "".join(chr(code) for code in codes if unicodedata.category(chr(code))[0] == "M")


def fold_for_search(text: str) -> str:
    """Return the text as search compares it: in small letters, compatibility letters as plain ones (NFKC), without accents
    on Latin and Greek letters and without `POINTS`, and with spaces between scripts that need them."""
    folded = _fold_letters_and_spell_signs(text)
    # Most texts have one script. To look for an edge between two takes five times as long as this.
    has_unspaced_letter = not folded.isascii() and UNSPACED_LETTER.search(folded)
    return _BETWEEN_SCRIPTS.sub(" ", folded) if has_unspaced_letter else folded


def _fold_letters_and_spell_signs(text: str) -> str:
    # Two short ways for most texts. The steps below would give the same.
    if _is_folded_by_lower_case(text):
        return text.lower()
    if text.isascii():
        return _spell_out(text).lower()
    text = _LETTERLIKE_SIGN.sub(r" \g<sign> ", text)  # "№12" becomes " № 12"
    text = unicodedata.normalize("NFKC", text)  # "№" becomes "No"
    text = _spell_out(text)  # "C#" becomes "c sharp ", "ß" becomes "ss"
    text = unicodedata.normalize("NFD", text)  # "é" becomes "e" and an accent
    text = _POINTS.sub("", text)  # without the vowels of Hebrew, which are points
    text = _ACCENTS.sub(r"\g<letter>", text)  # "e" and an accent become "e"
    text = unicodedata.normalize("NFC", text.lower())
    return text.replace("ς", "σ")  # the form of sigma at the end of a word


def _is_folded_by_lower_case(text: str) -> bool:
    return text.isascii() and "+" not in text and "#" not in text


def _spell_out(text: str) -> str:
    for letter, word in SPELLED:
        text = text.replace(letter, word)
    return text


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text with the places of its parts in the text that it comes from.

    Parts in which the fold keeps each letter, and letters (with their marks) of which it makes more or fewer, take turns:
    "straße!" becomes "strasse!", with the parts "stra", "ss" and "e!". Their `folded_starts` are (0, 4, 6), as if there were no
    spaces between scripts, and their `source_starts` are (0, 4, 5). Spaces between scripts are at `script_spaces` in `text`.
    """

    text: str
    script_spaces: tuple[int, ...] = ()
    folded_starts: tuple[int, ...] = (0,)
    source_starts: tuple[int, ...] = (0,)

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the source of a part of the folded text. A letter of the source is never cut."""
        has_equal_positions = len(self.folded_starts) == 1 and not self.script_spaces
        if has_equal_positions:
            return start, end
        return self._source_position(start, after=False), self._source_position(end - 1, after=True)

    def _source_position(self, folded_index: int, *, after: bool) -> int:
        """Return the position in the source before a folded letter, or behind it with `after`: 5 or 6 for the "e" of
        "strasse!", which is "straße!" in the source."""
        # The starts of parts do not count the spaces that the fold puts between scripts.
        spaces_before = bisect(self.script_spaces, folded_index)
        letter_index = folded_index - spaces_before
        part = bisect(self.folded_starts, letter_index) - 1
        source_start = self.source_starts[part]
        # Parts that the fold keeps letter by letter ("stra", "e!") and uneven ones ("ss") take turns.
        is_kept_part = part % 2 == 0
        if is_kept_part:
            letters_before_in_part = letter_index - self.folded_starts[part]
            position = source_start + letters_before_in_part
            return position + 1 if after else position
        # An uneven part is never cut: "ss" is one letter in the source. A kept part follows it, so there is a next start.
        return self.source_starts[part + 1] if after else source_start


def fold_with_positions(text: str) -> FoldedText:
    """Return the folded text, with the positions at which it has more or fewer letters than the
    text."""
    if _is_folded_by_lower_case(text):
        return FoldedText(text.lower())
    folded = _fold_with_part_starts(text)
    if not UNSPACED_LETTER.search(folded.text):
        return folded
    # "aiと船" becomes "ai と船", because letters of scripts without spaces are words of their own.
    script_spaces = []
    for spaces_before, gap in enumerate(_BETWEEN_SCRIPTS.finditer(folded.text)):
        # Each space that is inserted before this one moves it by one.
        script_spaces.append(gap.start() + spaces_before)
    spaced_text = _BETWEEN_SCRIPTS.sub(" ", folded.text)
    return replace(folded, text=spaced_text, script_spaces=tuple(script_spaces))


def _fold_with_part_starts(text: str) -> FoldedText:
    """Return the folded text with the starts of its parts, still without spaces between scripts."""
    # For letters of which the fold makes several or none: "ß" becomes "ss".
    uneven_pattern = _pattern_of_length_changes_or_none(text)
    uneven_parts = uneven_pattern.finditer(text) if uneven_pattern else iter(())
    folded = ""
    folded_starts = [0]
    source_starts = [0]
    for uneven in uneven_parts:
        # Two parts end here: the text before "ß" at the start of the match, "ß" at its end.
        for source_end in uneven.span():
            part = text[source_starts[-1] : source_end]
            folded += _fold_letters_and_spell_signs(part)
            folded_starts.append(len(folded))
            source_starts.append(source_end)
    folded += _fold_letters_and_spell_signs(text[source_starts[-1] :])
    return FoldedText(
        folded, folded_starts=tuple(folded_starts), source_starts=tuple(source_starts)
    )


def _pattern_of_length_changes_or_none(text: str) -> re.Pattern[str] | None:
    """Return a pattern for the parts of this text that the fold writes with another number of
    letters, or None if it has no such part."""
    # The fold writes all other letters as one letter, so only these are looked at, each once.
    letters = {letter for letter in set(text) if letter in "+#" or not letter.isascii()}
    candidates = "".join(sorted(letters))
    alternatives = []
    if not {"#", "＃", "﹟"}.isdisjoint(candidates):
        # "C#" of any width becomes "c sharp ".
        alternatives.append("[cCfFｃＣｆＦ][#＃﹟]")
    joining_marks = "".join(_joining_mark().findall(candidates))
    if joining_marks:
        # A letter and the marks behind it become one letter: "e" and an accent become "e".
        alternatives.append(f"(?s:.)?[{re.escape(joining_marks)}]+")
    # Letters that become several or none: "ß" becomes "ss", "+" becomes " plus ".
    uneven_letters = "".join(letter for letter in candidates if len(_folded_letter(letter)) != 1)
    if uneven_letters:
        alternatives.append(f"[{re.escape(uneven_letters)}]")
    return re.compile("|".join(alternatives)) if alternatives else None


@lru_cache(maxsize=8_192)
def _folded_letter(letter: str) -> str:
    return _fold_letters_and_spell_signs(letter)
