"""Folds text for comparison. Sites differ in white space, case, apostrophes and lost markup."""

import re
import unicodedata
from functools import lru_cache
from itertools import filterfalse

# Tag characters outside a flag, which hide a text from readers but not from assistants.
HIDDEN_CHARACTERS = (
    "(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0000-\U000e007f]+"
    "|(?<=\U0001f3f4)[\U000e0020-\U000e007f]{8,}"
)
# Signs that turn the direction of all that follows.
DIRECTION_MARKS = "\u200e\u200f\u061c"
DIRECTION_OVERRIDES = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
DROPPED_BY_SITES = re.compile(
    rf"[_*`'’‘ʼ´\u200b-\u200f{DIRECTION_OVERRIDES}\u2060\ufeff\u00ad\u0000]"
)
WORD = re.compile(r"\w+")  # letters and digits
WORDS_OF_CUT = ("show more", "read more", "continue reading")
_DOTS = r"(?:\.{3}|…)"
_ARROW = "[→⇒➔➜➝➞⟶]"
_MORE_WORDS = rf"\[?(?:{'|'.join(WORDS_OF_CUT)})\W{{0,5}}"
# Words that lead on: in any language behind an ellipsis, else WORDS_OF_CUT.
_MORE_LINK = re.compile(rf"(?:{_MORE_WORDS}|{_DOTS}\]?\s*[^.!?…\n]{{1,40}}{_ARROW})\s*\Z", re.I)
# The marks of a text that a site cut.
CUT_MARK = re.compile(
    rf"(?:\s*(?:[\[(]{_DOTS}[\])]|{_DOTS}|{_MORE_WORDS}|(?<=[.!?…\])])\s*[^.!?…\n]{{1,40}}{_ARROW}))+\s*\Z",
    re.I,
)
MAX_CUT_MARK = 80
QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"') | dict.fromkeys("–—−‐‑", "-"))


def fold(text: str) -> str:
    """Return text in lower case, with single spaces, without apostrophes and markup characters that
    some sites drop. Idempotent."""
    return _cached_fold(text) if len(text) <= 200 else _fold(text)


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = DROPPED_BY_SITES.sub("", unicodedata.normalize("NFKC", folded)).translate(QUOTES)
    return " ".join(folded.split())


# For titles, names and words. Texts would fill the memory.
_cached_fold = lru_cache(maxsize=65_536)(_fold)


def is_visible(line: str) -> bool:
    """Return True if a line has more than spaces and characters that only join, divide or mark others."""
    invisible = " \u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufe0f\ufeff"
    return line.strip(invisible) != ""


def plain_letters(text: str) -> str:
    return "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFD", fold(text))))


def folded_letters(text: str) -> str:
    """Return the letters and digits of a text, folded and without accents, as names of files keep them
    of a title."""
    characters = plain_letters(text)
    return "".join(char for char in characters if unicodedata.category(char)[0] in "LMN")


def folded_opening(text: str, length: int) -> str:
    # A fold drops characters, so more are folded. If it dropped half of them, fold the whole text.
    opening = fold(text[: 4 * length])
    if len(opening) < 2 * length:
        opening = fold(text)
    return opening[:length]


def ends_in_cut_mark(text: str) -> bool:
    return CUT_MARK.search(text, max(0, len(text) - MAX_CUT_MARK)) is not None


def is_truncated(text: str) -> bool:
    """Return whether the end of a text shows that it is cut.

    "Read more" always does. An ellipsis, or words with an arrow, only do behind one long paragraph:
    sites that cut texts join their paragraphs.
    """
    has_words = _MORE_LINK.search(text, max(0, len(text) - MAX_CUT_MARK)) is not None
    shortest_cut = 80  # characters, as short as sites cut
    is_excerpt = len(text) >= shortest_cut and "\n" not in text.strip()
    return has_words or (is_excerpt and ends_in_cut_mark(text))


def strip_cut_marks(text: str) -> str:
    mark = CUT_MARK.search(text, max(0, len(text) - MAX_CUT_MARK))
    return text[: mark.start()].rstrip() if mark else text


def fold_without_spaces(text: str) -> str:
    """Return `fold(text)` without white space. On some sites list items stick to the text before them."""
    return fold(text).replace(" ", "")


def folded_words(text: str) -> list[str]:
    return WORD.findall(fold(text))
