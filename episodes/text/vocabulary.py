"""Word lists and phrases from data files, and the patterns made of them."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from .normalize import WORD

# An element of a phrase: "[maybe this]", "<name of a list>", "...", or words of which one stands there.
_ELEMENT = re.compile(r"\[|\]|<[\w-]+>|\.\.\.|[^\s\[\]<>]+")
_PLACE = re.compile(r"\{(\w+)\}|([\w-]+(?:\|[\w-]+)+)|\*\*/|\*\*|\*|[\[\]]|\?(?=\w+=)|[^{}*\[\]|?]")
_SIGNS = {"**/": "(?:[^/?]+/)*?", "**": "[^/?]*", "[": "(?:", "]": ")?", "?": r"\?(?:.*&)?"}
_BEGINS = r"(?:\A|(?<=[.?!…]\s)|(?<=\n))\s{0,9}"
_GAP = r"[^.;:!?\n]{0,60}?"


def load(beside: str, name: str) -> dict[str, Any]:
    """The tables of `data/<name>.toml` in the folder of the module `beside`."""
    return tomllib.loads((Path(beside).parent / "data" / f"{name}.toml").read_text(encoding="utf-8"))


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def alternatives(words: str | Iterable[str]) -> str:
    """A pattern for any of the words; `*` in one stands for letters, digits and signs that names have."""
    listed = words.split() if isinstance(words, str) else words
    return "|".join(re.escape(word).replace(r"\*", r"[\w-]*") for word in sorted(listed, key=lambda w: (-len(w), w)))


def any_word(words: str | Iterable[str]) -> re.Pattern[str]:
    """A pattern that is exactly one of the words, in any case."""
    return re.compile(alternatives(words), re.IGNORECASE)


class Phrases:
    """Any of some phrases, in any case, with patterns before and after; made a pattern when it is first looked for.

    A phrase is words with spaces between them. `talk/talks` is either word, `interview*` a word that begins so,
    `[very special]` may be missing, `^` is the beginning of a sentence or line, `...` up to 60 characters of the same
    sentence, `<name>` a list that is given, as a pattern.
    """

    def __init__(
        self, written: Iterable[str], lists: Mapping[str, str] | None = None, *, before: str = "", after: str = ""
    ) -> None:
        self.written, self.lists, self.before, self.after = tuple(written), lists or {}, before, after

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.before + phrase_pattern(self.written, self.lists) + self.after, re.IGNORECASE)

    @cached_property
    def needed(self) -> tuple[tuple[frozenset[str], ...], ...]:
        """For each phrase the words without which no text holds it; of each of these sets a text has one."""
        return tuple(tuple(_needed_words(phrase, self.lists)) for phrase in self.written)

    @cached_property
    def telling(self) -> frozenset[str] | None:
        """Words of which every phrase needs one, long ones where there is a choice; None if some phrase needs no word."""
        if not all(self.needed):
            return None
        return frozenset().union(*(max(needed, key=lambda words: min(map(len, words))) for needed in self.needed))

    def may_be_in(self, text: str) -> bool:
        """False only for a text that holds none of the phrases: far cheaper than to look for them."""
        return _holds_any(self, text)

    def may_be_among(self, words: frozenset[str]) -> bool:
        """The same for a text of which these are the words (`words_in`)."""
        if self.telling is not None and words.isdisjoint(self.telling):
            return False
        return any(not any(map(words.isdisjoint, needed)) for needed in self.needed)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.pattern.search(text, start, end) if self.may_be_in(text) else None

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.pattern.match(text, start, end) if self.may_be_in(text) else None

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        return self.pattern.finditer(text, start, end) if self.may_be_in(text) else iter(())

    def sub(self, by: Callable[[re.Match[str]], str], text: str) -> str:
        return self.pattern.sub(by, text) if self.may_be_in(text) else text


@lru_cache(maxsize=512)  # a text is asked about sentence by sentence
def _holds_any(phrases: Phrases, text: str) -> bool:
    return phrases.may_be_among(_words_of(text))


@lru_cache(maxsize=8)
def _words_of(text: str) -> frozenset[str]:
    return words_in(text)


def words_in(text: str) -> frozenset[str]:
    """The words of a text as `Phrases` asks for them."""
    return frozenset(WORD.findall(_in_one_case(text)))


def _in_one_case(text: str) -> str:
    """The text with letters that patterns take for each other as one: there "İ" and "ı" are "i" as well."""
    return text.casefold().replace("\u0307", "").replace("ı", "i")


def phrase_pattern(written: Iterable[str], lists: Mapping[str, str] | None = None) -> str:
    return "(?:" + "|".join(_whole(phrase, lists or {}) for phrase in written) + ")"


def _whole(phrase: str, lists: Mapping[str, str]) -> str:
    """A phrase that does not begin inside a word."""
    return ("" if phrase[0] in ".,:;!?" else r"(?<!\w)") + _translated(phrase, lists)


def _needed_words(phrase: str, lists: Mapping[str, str]) -> Iterator[frozenset[str]]:
    """For each place of a phrase that cannot be left out, the words of which one stands there."""
    depth, before = 0, ""
    for element in _ELEMENT.findall(phrase):
        depth += (element == "[") - (element == "]")
        # Behind "..." the rest of a longer word may stand.
        if depth == 0 and before != "..." and (words := _words_at(element, lists)):
            yield words
        before = element


def _words_at(element: str, lists: Mapping[str, str]) -> frozenset[str]:
    """The words of which one stands in the place of an element, whole; none where that is not sure."""
    if element.startswith("<"):
        listed = lists.get(element[1:-1])
        return listed.words if isinstance(listed, PhraseList) else frozenset()
    words = element.split("/")
    is_whole = "*" not in element and (element[-1].isalnum() or not any(word[-1:].isalnum() for word in words))
    longest = {max(WORD.findall(_in_one_case(word)), key=len, default="") for word in words}
    return frozenset(longest) if is_whole and "" not in longest else frozenset()


class PhraseList(str):
    """The pattern of a list of phrases; where one of them stands, there is one of the `words`, if any are known."""

    __slots__ = ("words",)
    words: frozenset[str]

    @classmethod
    def of(cls, pattern: str, words: Iterable[str]) -> PhraseList:
        made = cls(pattern)
        made.words = frozenset(word for each in words for word in WORD.findall(_in_one_case(each)))
        return made


def _words_of_list(written: Iterable[str], lists: Mapping[str, str]) -> set[str]:
    """Words of each phrase of a list, put together; none where a phrase has none."""
    needed = [next(_needed_words(phrase, lists), None) for phrase in written]
    return set().union(*(words for words in needed if words)) if all(needed) else set()


def lists_of(tables: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Named lists of phrases as patterns; a list may use those before it."""
    made: dict[str, str] = {}
    for name, written in tables.items():
        pattern = f"(?:{'|'.join(_translated(phrase, made) for phrase in written)})"
        made[name] = PhraseList.of(pattern, _words_of_list(written, made))
    return made


def place(written: str, names: Mapping[str, str] | None = None, part: str = "[^/?]+") -> str:
    """A pattern for an address from its host or its path on, in any case to be read.

    `*` is one part (`part`), `**/` any number of folders, `[x]` may be missing, `a|b` is either, `?v=` a parameter,
    `{name}` a pattern that is given.
    """

    def sign(found: re.Match[str]) -> str:
        name, words = found.groups()
        if name:
            return (names or {})[name]
        if words:
            return f"(?:{alternatives(words.split('|'))})"
        return part if found[0] == "*" else _SIGNS.get(found[0]) or re.escape(found[0])

    return "".join(sign(found) for found in _PLACE.finditer(written))


def _translated(phrase: str, lists: Mapping[str, str]) -> str:
    return "".join(_element(found[0], lists) for found in _ELEMENT.finditer(phrase))


def _element(written: str, lists: Mapping[str, str]) -> str:
    if written in "[]":
        return {"[": "(?:", "]": ")?"}[written]
    if written in ("...", "^"):
        return {"...": _GAP, "^": _BEGINS}[written]
    if written.startswith("<"):
        return lists[written[1:-1]] + r"\s*"
    words = "|".join(re.escape(word).replace(r"\*", r"\w*").replace("'", "['’]") for word in written.split("/"))
    return rf"(?:{words})" + (r"(?!\w)\s*" if written[-1].isalnum() or written[-1] == "*" else r"\s*")
