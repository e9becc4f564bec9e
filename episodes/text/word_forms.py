"""Forms of a word: the stem of English ones (`batching`, `batched` and `batches` are all `batch`, by
Porter's rules and PyStemmer), and long forms of abbreviations: `automatic mixed precision (AMP)`."""

import re
from functools import lru_cache

import Stemmer
from rapidfuzz.distance import Prefix


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the stem of an English word in lower case. Other words, and words of two letters, stay."""
    if not re.fullmatch("[A-Za-z]{3,}", word):
        return word
    # A stemmer keeps the word that it works on, so threads must not share one.
    return str(Stemmer.Stemmer("porter").stemWord(word))


def are_forms_of_one_word(left: str, right: str) -> bool:
    """Return whether two words are forms of one: of the same stem, and alike but for an ending.

    The stemmer removes one ending after the other, but `functionalization` is not a form of `function`.
    """
    longest_ending = 5  # -ation, -izing
    return stem(left) == stem(right) and Prefix.distance(left, right) <= longest_ending


def stem_prefix(stemmed: str) -> str:
    """Return the letters that all words with this stem begin with. The stemmer may have added the
    last one."""
    return re.sub(r"(?:[ie]|(?<=b)l)\Z", "", stemmed)


def long_form_and_abbreviation(name: str) -> tuple[str, ...]:
    """Return ("automatic mixed precision", "AMP") for "automatic mixed precision (AMP)", or () for
    a name of another form."""
    long, _, short = name.removesuffix(")").rpartition(" (")
    return (long, short) if long and name.endswith(")") else ()
