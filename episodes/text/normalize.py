"""Folds text to what is compared: sites differ in white space, case, apostrophes and eaten markup;
stdlib only."""

import re
import unicodedata
from functools import lru_cache
from itertools import filterfalse

# Tag characters, which hide a text from readers but not from assistants, but for those of a flag.
HIDDEN = (
    "(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0000-\U000e007f]+"
    "|(?<=\U0001f3f4)[\U000e0020-\U000e007f]{8,}"
)
# Signs that turn the direction of all that follows.
DIRECTION_MARKS = "\u200e\u200f\u061c"
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
EATEN = re.compile(rf"[_*`'’‘ʼ´\u200b-\u200f{TURNING}\u2060\ufeff\u00ad\u0000]")
WORD = re.compile(r"\w+")  # letters and digits
WORDS_OF_CUT = ("show more", "read more", "continue reading")
SHORTEST_CUT = 80  # characters, as short as sites cut
_DOTS = r"(?:\.{3}|…)"
_ARROW = "[→⇒➔➜➝➞⟶]"
_SAID = rf"\[?(?:{'|'.join(WORDS_OF_CUT)})\W{{0,5}}"
# Words that lead on: behind an ellipsis in any language, else those that are known.
_LEADS_ON = re.compile(rf"(?:{_SAID}|{_DOTS}\]?\s*[^.!?…\n]{{1,40}}{_ARROW})\s*\Z", re.I)
# The marks of a text that a site cut.
TAIL = re.compile(
    rf"(?:\s*(?:[\[(]{_DOTS}[\])]|{_DOTS}|{_SAID}|(?<=[.!?…\])])\s*[^.!?…\n]{{1,40}}{_ARROW}))+\s*\Z",
    re.I,
)
LONGEST_MARK = 80
SHORT = 200  # characters
QUOTES = str.maketrans(
    {
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "–": "-",
        "—": "-",
        "−": "-",
        "‐": "-",
        "‑": "-",
    }
)


def fold(text: str) -> str:
    """`text` in lower case, with single spaces, without apostrophes and the markup characters that
    sites eat. Idempotent."""
    return _known_fold(text) if len(text) <= SHORT else _fold(text)


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = EATEN.sub("", unicodedata.normalize("NFKC", folded)).translate(QUOTES)
    return " ".join(folded.split())


_known_fold = lru_cache(maxsize=65_536)(
    _fold
)  # of titles, names and words; texts would fill memory


def plain_letters(text: str) -> str:
    """`fold(text)` without accents."""
    return "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFD", fold(text))))


def letters(text: str) -> str:
    """The letters and digits of a text, folded and without accents: what the name of a file keeps
    of a title."""
    return "".join(sign for sign in plain_letters(text) if unicodedata.category(sign)[0] in "LMN")


def folded_opening(text: str, length: int) -> str:
    """`fold(text)[:length]`, which depends on what is near the beginning alone."""
    near = fold(text[: 4 * length])
    return (near if len(near) >= 2 * length else fold(text))[:length]


def is_marked(text: str) -> bool:
    """True for a text that ends in a mark of a cut."""
    return TAIL.search(text, max(0, len(text) - LONGEST_MARK)) is not None


def is_cut(text: str) -> bool:
    """True for a text that its own end shows to be cut.

    An ellipsis, or words with an arrow, do so behind one long paragraph: a short text that ends in
    them is whole, and so is one of several paragraphs, which what cuts texts runs together.
    """
    has_words = _LEADS_ON.search(text, max(0, len(text) - LONGEST_MARK)) is not None
    is_excerpt = len(text) >= SHORTEST_CUT and "\n" not in text.strip()
    return has_words or (is_excerpt and is_marked(text))


def without_marks(text: str) -> str:
    """The text without the marks of a cut at its end."""
    mark = TAIL.search(text, max(0, len(text) - LONGEST_MARK))
    return text[: mark.start()].rstrip() if mark else text


def squash(text: str) -> str:
    """`fold` without any white space: list items stick to what stands before them on some sites."""
    return fold(text).replace(" ", "")


def words(text: str) -> list[str]:
    """The folded words of a text: runs of letters and digits."""
    return WORD.findall(fold(text))
