"""Word lists and phrases from data files, and the patterns made of them."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

# An element of a phrase: "[maybe this]", "<name of a list>", "...", or words of which one stands
# there.
_ELEMENT = re.compile(r"\[|\]|<[\w-]+>|\.\.\.|[^\s\[\]<>]+")
_PLACE = re.compile(r"\{(\w+)\}|([\w-]+(?:\|[\w-]+)+)|\*\*/|\*\*|\*|[\[\]]|\?(?=\w+=)|[^{}*\[\]|?]")
_SIGN_OF_WORD = {"*": r"[\w-]{0,40}", "'": "['’]"}
_SIGNS = {
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
_FIXED = {
    "[": "(?:",
    "]": ")?",
    "...": r"[^.;:!?\n]{0,60}?",
    "^": r"(?:\A|(?<=[.?!…]\s)|(?<=\n))\s{0,9}",
}


def load(beside: str, name: str) -> dict[str, Any]:
    """The tables of `data/<name>.toml` in the folder of the module `beside`."""
    return tomllib.loads(
        (Path(beside).parent / "data" / f"{name}.toml").read_text(encoding="utf-8")
    )


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def alternatives(words: str | Iterable[str]) -> str:
    """A pattern for any of the words, the longest that fits; `*` in one stands for letters, digits
    and signs that names have."""
    return _shared((word, "") for word in (words.split() if isinstance(words, str) else words))


def _shared(words: Iterable[tuple[str, str]]) -> str:
    """A pattern for any of the words, each with the pattern behind it. Words that begin alike share
    that, so that hundreds are tried like a few."""
    tails: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for word, behind in sorted(words):
        tails[word[:1]].append((word[1:], behind))
    ends = dict.fromkeys(behind for _, behind in tails.pop("", []))
    branches = (
        _SIGN_OF_WORD.get(sign, re.escape(sign)) + _shared(rest) for sign, rest in tails.items()
    )
    return f"(?:{'|'.join((*branches, *ends))})"


def any_word(words: str | Iterable[str]) -> re.Pattern[str]:
    """A pattern that is exactly one of the words, in any case."""
    return re.compile(alternatives(words), re.IGNORECASE)


class Phrases:
    """Any of some phrases, in any case, with patterns before and after; made a pattern when it is
    first looked for.

    A phrase is words with spaces between them. `talk/talks` is either word, `interview*` a word
    that begins so, `[very special]` may be missing, `^` is the beginning of a sentence or line,
    `...` up to 60 characters of the same sentence, `<name>` a list that is given, as a pattern.
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
            self.before + phrase_pattern(self.written, self.lists) + self.after, re.IGNORECASE
        )


def phrase_pattern(written: Sequence[str], lists: Mapping[str, str] = NO_LISTS) -> str:
    """A pattern for any of the phrases, which do not begin inside a word."""
    return beginning_pattern(written, lists) + any_phrase(written, lists)


def any_phrase(written: Iterable[str], lists: Mapping[str, str] = NO_LISTS) -> str:
    """A pattern for any of the phrases where a `beginning_pattern` was found."""
    return f"(?:{'|'.join(_translated(phrase, lists) for phrase in written)})"


def beginning_pattern(written: Sequence[str], lists: Mapping[str, str] = NO_LISTS) -> str:
    """A pattern for the places where one of the phrases may begin, found much faster."""
    begins = chain.from_iterable(_beginnings(phrase, lists) for phrase in written)
    return rf"{_NOT_INSIDE}(?={_shared(begins)})"


def _beginnings(phrase: str, lists: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The words with which a phrase begins, or a pattern for what it begins with."""
    first = _ELEMENT.findall(phrase)[0]
    if first.startswith("<"):
        yield "", lists[first[1:-1]]
    elif first in _FIXED:
        yield "", _translated(phrase, lists)
    else:
        yield from ((word, r"(?!\w)" * word[-1].isalnum()) for word in first.split("/"))


def lists_of(tables: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Named lists of phrases as patterns; a list may use those before it."""
    made: dict[str, str] = {}
    for name, written in tables.items():
        made[name] = any_phrase(written, made)
    return made


def place(written: str, names: Mapping[str, str]) -> str:
    """A pattern for an address from its host or its path on, in any case to be read.

    `*` is one part, `**/` any number of folders, `[x]` may be missing, `a|b` is either,
    `?v=` a parameter, `{name}` a pattern that is given.
    """

    def sign(found: re.Match[str]) -> str:
        name, words = found.groups()
        if name:
            return names[name]
        if words:
            return f"(?:{alternatives(words.split('|'))})"
        return _SIGNS.get(found[0]) or re.escape(found[0])

    return "".join(sign(found) for found in _PLACE.finditer(written))


def _translated(phrase: str, lists: Mapping[str, str]) -> str:
    pattern = ""
    for found in _ELEMENT.finditer(phrase):
        written = found[0]
        if written in _FIXED:
            pattern += _FIXED[written]
        elif written.startswith("<"):
            pattern += lists[written[1:-1]] + r"\s{0,9}"
        else:
            words = "|".join(
                re.escape(word).replace(r"\*", r"\w{0,40}").replace("'", "['’]")
                for word in written.split("/")
            )
            ends_word = written[-1].isalnum() or written[-1] == "*"
            pattern += rf"(?:{words})" + (r"(?!\w)\s{0,9}" if ends_word else r"\s{0,9}")
    return pattern
