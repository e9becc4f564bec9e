"""Word lists and phrases from data files, and patterns for them."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

# An element of a phrase: "[maybe this]", "<name of a list>", "...", or alternative words.
_ELEMENT = re.compile(r"\[|\]|<[\w-]+>|\.\.\.|[^\s\[\]<>]+")
_ADDRESS_TOKEN = re.compile(
    r"\{(?P<name>\w+)\}|(?P<alternatives>[\w-]+(?:\|[\w-]+)+)"
    r"|\*\*/|\*\*|\*|[\[\]]|\?(?=\w+=)|[^{}*\[\]|?]"
)
_PATTERN_OF_CHARACTER = {"*": r"[\w-]{0,40}", "'": "['’]"}
_PATTERN_OF_TOKEN = {
    "*": "[^/?]+",
    "**/": "(?:[^/?]+/)*?",
    "**": "[^/?]*",
    "[": "(?:",
    "]": ")?",
    "?": r"\?(?:.*&)?",
}
NO_LISTS: Mapping[str, str] = MappingProxyType({})
# Japanese puts no space between words; a particle is the end of one.
_NOT_INSIDE = r"(?<![^\W\u3041-\u3096])"
# Not between two letters. Behind a sign, as in "with:", another word may follow at once.
_END_OF_WORD = r"(?!(?<=\w)\w)"
_PATTERN_OF_SIGN = {
    "[": "(?:",
    "]": ")?",
    "...": r"[^.;:!?\n]{0,60}?",
}


def load_vocabulary(module_path: str, name: str) -> dict[str, Any]:
    """Return the tables of `data/<name>.toml` in the folder of a module."""
    file = Path(module_path).parent / "data" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def pattern_of_words(words: str | Iterable[str]) -> str:
    """Return a pattern for the longest of these words that matches. `*` in a word stands for letters,
    digits and hyphens."""
    if isinstance(words, str):
        words = words.split()
    return _prefix_tree_pattern((word, "") for word in words)


def _prefix_tree_pattern(words_with_next_patterns: Iterable[tuple[str, str]]) -> str:
    """Return a pattern for any of the words, given as (word, pattern behind it).

    Words with the same beginning share it, so that hundreds are as fast as a few.
    """
    # "in" and "is" become `(?:i(?:n(?:)|s(?:)))`.
    tails_by_first_character: dict[str, list[tuple[str, str]]] = defaultdict(list)
    patterns_behind_end: dict[str, None] = {}  # of words that end here, each pattern once
    for word, next_pattern in sorted(words_with_next_patterns):
        if word:
            tail = (word[1:], next_pattern)
            tails_by_first_character[word[0]].append(tail)
        else:
            patterns_behind_end[next_pattern] = None
    branches = []
    for character, tails in tails_by_first_character.items():
        first = _PATTERN_OF_CHARACTER.get(character, re.escape(character))
        rest = _prefix_tree_pattern(tails)
        branches.append(first + rest)
    # Longer words come first, so that the longest matches.
    alternatives = "|".join([*branches, *patterns_behind_end])
    return f"(?:{alternatives})"


def compile_words(words: str | Iterable[str]) -> re.Pattern[str]:
    return re.compile(pattern_of_words(words), re.IGNORECASE)


class Phrases:
    """Phrases in any case, with patterns before and after them. They are compiled at their first use.

    A phrase is words with spaces between them.

        talk/talks       either word
        interview*       a word that begins so
        [very special]   may be missing
        ...              up to 60 characters of the same sentence
        <name>           one of the `lists`
    """

    def __init__(
        self,
        written: Iterable[str],
        lists: Mapping[str, str] = NO_LISTS,
        *,
        before: str = "",
        after: str = "",
    ) -> None:
        self.written, self.lists = tuple(written), lists
        self.before, self.after = before, after

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(
            self.before + pattern_of_phrases(self.written, self.lists) + self.after, re.IGNORECASE
        )


def pattern_of_phrases(written: Sequence[str], lists: Mapping[str, str] = NO_LISTS) -> str:
    """Return a pattern for any of the phrases. They do not begin inside a word."""
    return pattern_of_phrase_beginnings(written, lists) + pattern_of_any_phrase(written, lists)


def pattern_of_any_phrase(written: Iterable[str], lists: Mapping[str, str] = NO_LISTS) -> str:
    """Return a pattern for any of the phrases at a match of `pattern_of_phrase_beginnings`."""
    return f"(?:{'|'.join(_phrase_body_pattern(phrase, lists) for phrase in written)})"


def pattern_of_phrase_beginnings(
    written: Sequence[str], lists: Mapping[str, str] = NO_LISTS
) -> str:
    """Return a pattern for the place where any of the phrases may begin. It is much faster than the phrases: for
    most of them it only has their first words."""
    words_with_next_patterns = []
    for phrase in written:
        first_element = _ELEMENT.findall(phrase)[0]
        if first_element.startswith(("<", "[")):
            # "<roles> of" and "[very] special day" have no first word, so the complete phrase is in the pattern.
            words_with_next_patterns.append(("", _phrase_body_pattern(phrase, lists)))
        else:
            # "talk" and "talks" of "talk/talks about".
            for word in first_element.split("/"):
                words_with_next_patterns.append((word, _END_OF_WORD))
    return rf"{_NOT_INSIDE}(?={_prefix_tree_pattern(words_with_next_patterns)})"


def list_patterns(tables: Mapping[str, Iterable[str]]) -> dict[str, str]:
    patterns: dict[str, str] = {}
    for name, written in tables.items():
        patterns[name] = pattern_of_any_phrase(written, patterns)
    return patterns


def pattern_of_wildcard_address(wildcard_address: str, pattern_by_name: Mapping[str, str]) -> str:
    """Return the text of a regular expression for an address with wildcards, from its host or its path on.

    *        one part
    **/      any number of folders
    [x]      may be missing
    a|b      either
    ?v=      a parameter
    {name}   a pattern in `pattern_by_name`
    """
    pattern = ""
    for token in _ADDRESS_TOKEN.finditer(wildcard_address):
        if token["name"]:  # "{name}"
            pattern += pattern_by_name[token["name"]]
        elif token["alternatives"]:  # "a|b"
            words = token["alternatives"].split("|")
            pattern += f"(?:{pattern_of_words(words)})"
        else:  # another wildcard, or a character that stands for itself
            pattern += _PATTERN_OF_TOKEN.get(token[0], re.escape(token[0]))
    return pattern


def _phrase_body_pattern(phrase: str, lists: Mapping[str, str]) -> str:
    pattern = ""
    spaces = r"\s{0,9}"  # not `\s*`, which takes time with the square of the number of spaces
    for element in _ELEMENT.findall(phrase):
        if element in _PATTERN_OF_SIGN:  # "[", "]" or "..."
            pattern += _PATTERN_OF_SIGN[element]
        elif element.startswith("<"):  # "<roles>", the name of a list
            list_name = element.strip("<>")
            pattern += lists[list_name] + spaces
        else:  # "talk/talks"
            words = "|".join(map(_word_pattern, element.split("/")))
            pattern += f"(?:{words}){_END_OF_WORD}{spaces}"
    return pattern


def _word_pattern(word: str) -> str:
    return re.escape(word).replace(r"\*", r"\w{0,40}").replace("'", "['’]")
