"""Stems of English words: `batching`, `batched` and `batches` are all `batch` (Porter's rules, by
PyStemmer)."""

from functools import lru_cache

import Stemmer
from rapidfuzz.distance import Prefix

LONGEST_ENDING = 5  # -ation, -izing


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The stem of an English word in lower case; other words and those of two letters are their
    own."""
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    # A stemmer keeps the word that it works on, so threads must not share one.
    return str(Stemmer.Stemmer("porter").stemWord(word))


def same_word(one: str, other: str) -> bool:
    """True for two forms of a word: of one stem, and alike but for an ending.

    The rules take off one ending after the other: `functionalization` is not a form of `function`.
    """
    return stem(one) == stem(other) and Prefix.distance(one, other) <= LONGEST_ENDING


def common_beginning(stemmed: str) -> str:
    """Letters that all words with this stem begin with: the rules may have put the last one
    there."""
    return stemmed[:-1] if stemmed.endswith(("i", "e", "bl")) else stemmed
