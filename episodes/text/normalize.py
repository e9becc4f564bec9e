"""Folds text to what is compared: sites differ in white space, case, apostrophes and eaten markup (rules.md 11); stdlib only."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

EATEN = re.compile(r"[_*`'’‘ʼ´\u200b\u200c\u200d\u2060\ufeff\u00ad\u0000]")
TAIL = re.compile(r"(?:\s*(?:\.\.\.|…|show more|read more|continue reading))+\s*$", re.I)  # of a text that a site cut
QUOTES = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"}
)


@lru_cache(maxsize=65_536)
def fold(text: str) -> str:
    """`text` in lower case, with single spaces, without apostrophes and the markup characters that sites eat. Idempotent."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = EATEN.sub("", unicodedata.normalize("NFKC", folded)).translate(QUOTES)
    return " ".join(folded.split())


def squash(text: str) -> str:
    """`fold` without any white space: list items stick to what stands before them on some sites."""
    return fold(text).replace(" ", "")


def words(text: str) -> list[str]:
    """The folded words of a text: runs of letters and digits."""
    return re.findall(r"\w+", fold(text))
