"""Text as it is looked up: lower-case letters and digits alone, with the way back to the places of
the text."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

KEPT_SIGNS = "+#"  # which make a name: C++, C#
VARIATIONS = (0xFE00, 0xFE0F)  # marks that choose how the sign before them is drawn


class _KeyCharacters(dict[int, str]):
    """The key of every character: nothing for white space and signs, which sites eat, add and
    replace."""

    def __missing__(self, code: int) -> str:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", chr(code)).casefold())
        if VARIATIONS[0] <= code <= VARIATIONS[1]:
            folded = ""
        self[code] = "".join(
            c for c in folded if c.isalnum() or c in KEPT_SIGNS or unicodedata.category(c)[0] == "M"
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
