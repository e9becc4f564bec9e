"""Forms of a word: the stem of English ones (`batching`, `batched` and `batches` are all `batch`, by
Porter's rules and PyStemmer), and what an abbreviation is short for: `automatic mixed precision (AMP)`."""

import re
from functools import lru_cache

import Stemmer
from rapidfuzz.distance import Prefix

LONGEST_ENDING = 5  # -ation, -izing
# Letters of an abbreviation; of two, too many words in a row have the initials.
SHORTEST, LONGEST = 3, 6


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


def long_and_short(name: str) -> tuple[str, ...]:
    """The long form and the abbreviation; nothing where a name is no such pair."""
    long, _, short = name.removesuffix(")").rpartition(" (")
    return (long, short) if long and name.endswith(")") else ()


def is_short(word: str) -> bool:
    """True if a word may be an abbreviation of initials."""
    return SHORTEST <= len(word) <= LONGEST and word.isalpha()


def long_forms_in(text: str, short: str) -> set[str]:
    """The long forms that a text gives of an abbreviation of letters, which are its initials:
    `automatic mixed precision (AMP)`, `AMP (automatic mixed precision)`,
    `AMP, automatic mixed precision,`."""
    long = r"[\s-]+".join(rf"{letter}\w*" for letter in short)
    either = rf"\b({long})\s+\({short}\)|\b{short}(?:,\s+|\s+\()({long})(?=[,.;:)])"
    return {before or after for before, after in re.findall(either, text, re.IGNORECASE)}
