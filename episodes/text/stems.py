"""What words of English have in common: `batching`, `batched` and `batches` are all `batch` (M. F. Porter, 1980); stdlib only."""

from __future__ import annotations

import re
from functools import lru_cache

CONSONANT = "(?:[^aeiouy]|(?<=[aeiou])y|^y)"
VOWEL = "(?:[aeiou]|(?<![aeiou])(?<!^)y)"
# How often a consonant follows on a vowel: Porter's m.
MEASURED = re.compile(f"{VOWEL}+{CONSONANT}+")
HAS_VOWEL = re.compile(VOWEL)
DOUBLED = re.compile(r"([^aeioulsz])\1$")
SHORT = re.compile(f"{CONSONANT}[aeiouy](?![wxy]){CONSONANT}$")

LONG_ENDINGS = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
ENDINGS = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
LAST = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "sion", "tion", "ism", "ate", "iti", "ous", "ive",
    "ize", "al", "er", "ic", "ou",
)  # fmt: skip


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The stem of a word in lower case; other words and short ones are their own."""
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    word = _without_past(_without_plural(word))
    if word.endswith("y") and HAS_VOWEL.search(word[:-1]):
        word = f"{word[:-1]}i"
    word = _with_ending(_with_ending(word, LONG_ENDINGS), ENDINGS)
    word = _without_last(word)
    if word.endswith("e") and (_measure(word[:-1]) > 1 or (_measure(word[:-1]) == 1 and not SHORT.search(word[:-1]))):
        word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def common_beginning(stemmed: str) -> str:
    """What all words with this stem begin with: its last letter may be put there by the rules."""
    return stemmed[:-1] if stemmed.endswith(("i", "e", "bl")) else stemmed


def _measure(part: str) -> int:
    return len(MEASURED.findall(part))


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word:
            return _mended(rest) if HAS_VOWEL.search(rest) else word
    return word


def _mended(word: str) -> str:
    if word.endswith(("at", "bl", "iz")):
        return f"{word}e"
    if DOUBLED.search(word):
        return word[:-1]
    return f"{word}e" if _measure(word) == 1 and SHORT.search(word) else word


def _with_ending(word: str, endings: dict[str, str]) -> str:
    for ending in sorted(endings, key=len, reverse=True):
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            return f"{rest}{endings[ending]}" if _measure(rest) else word
    return word


def _without_last(word: str) -> str:
    for ending in LAST:
        if word.endswith(ending):
            rest = word.removesuffix(ending) + ending[0] * (ending in ("sion", "tion"))
            return rest if _measure(rest) > 1 else word
    return word
