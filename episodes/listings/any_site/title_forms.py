"""The forms in which sites print a title: without what counts the episodes, and without what all titles share."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...dates import marks
from ...identity import bare_title
from ..keyed import key_of
from .page_rows import WORD

COMMON = 0.4  # share of titles that have the same first or last part: it is no part of their names
FEW = 3  # titles with different numbers in the same place, which count episodes then
ROUNDS = 3  # parts that may stand one behind the other at the ends of a title
WORDS = 4  # of a part that counts: "The Rope Walk, Episode 12"
LONGEST = 60  # characters of it
SEPARATOR = re.compile(r"\s+[-–—|:•]\s+|:\s+|\s+[|•]\s*")
NUMBER = re.compile(r"\d+")
WIDE = "\u2e80"  # from here on scripts write no blanks between words
GLUED = re.compile(r"[^\W\d_]{1,2}(?![^\W_])")
SIGNS = re.compile(r"^[^\w(\[¿¡]+|[^\w)\]!?]+$|^[(\[]?\W*[)\]]\W*|\W*[(\[]\W*[)\]]?$")


@dataclass(frozen=True, slots=True)
class Form:
    """A title without a part at one of its ends."""

    text: str
    part: str  # folded: "episode12"
    behind: bool = False

    def is_counted_otherwise(self, before: str, behind: str) -> bool:
        """True where the same part stands beside the title with another number; a bare number in front may be a rank."""
        if not NUMBER.search(self.part) or (self.part.isdecimal() and not self.behind):
            return False
        found = _counter(pattern(self.part), self.behind).search(key_of(behind if self.behind else before))
        return found is not None and _numbers(found[0]) != _numbers(self.part)


@lru_cache(maxsize=1_000)
def _counter(wanted: str, behind: bool) -> re.Pattern[str]:
    inner = r"\d+".join(map(re.escape, wanted.split("0")))
    return re.compile(f"^{inner}(?!\\d)" if behind else f"(?<!\\d){inner}$")


def _numbers(key: str) -> list[int]:
    return [int(number) for number in NUMBER.findall(key)]


def pattern(key: str) -> str:
    """A part with its numbers left out."""
    return NUMBER.sub("0", key)


def forms(titles: Sequence[str], show: str) -> Iterator[tuple[int, Form]]:
    """The shorter forms of each title, by its place: an end goes when the numbers in it count episodes, or when very
    many titles have it, and the show's name goes with it."""
    texts = {place: _dated(title) for place, title in enumerate(titles)}
    for place, title in enumerate(titles):
        yield place, Form(bare_title(title, show)[0], "")
    for _ in range(ROUNDS):
        shared = _shared_ends(texts.values())
        found = {place: found for place, text in texts.items() if (found := _shorter(text, shared, show))}
        if not found:
            return
        for place, shorter in found.items():
            yield from ((place, form) for form in shorter)
        texts = {place: shorter[-1].text for place, shorter in found.items()}


def _dated(title: str) -> str:
    """The title with its dates as numbers."""
    for mark in reversed([mark for mark in marks(title) if mark.kind == "date"] if NUMBER.search(title) else []):
        title = f"{title[: mark.start]}{mark.start}{mark.end}{title[mark.end :]}"
    return title


def _shorter(title: str, shared: frozenset[tuple[bool, str]], show: str) -> list[Form]:
    """The title without its first, and then without its last part that is shared."""
    found: list[Form] = []
    text = title
    for behind in (False, True):
        for low, high in _ends(text, behind=behind):
            part, rest = key_of(text[low:high]), _unnamed(text[:low] + text[high:], show)
            if (behind, pattern(part)) in shared and WORD.search(rest):
                found.append(Form(rest, part, behind))
                text = rest
                break
    return found


def _unnamed(text: str, show: str) -> str:
    """The text without the show's name and signs at its ends."""
    text = SIGNS.sub("", text.strip())
    name = re.escape(show)
    bare = re.sub(rf"^{name}\s*[-–—|:·•,]+\s*(?=\S)|(?<=\S)\s*[-–—|:·•,(]+\s*{name}\W*$", "", text, flags=re.I)
    return SIGNS.sub("", bare.strip())


def _shared_ends(titles: Iterable[str]) -> frozenset[tuple[bool, str]]:
    """Beginnings and ends, numbers left out, that count episodes or that very many titles have."""
    found: dict[tuple[bool, str], list[str]] = defaultdict(list)
    total = 0
    for title in titles:
        total += 1
        for behind in (False, True):
            for part in {key_of(title[low:high]) for low, high in _ends(title, behind=behind)}:
                found[behind, pattern(part)].append(part)
    return frozenset(end for end, parts in found.items() if _is_shared(parts, total))


def _is_shared(parts: Sequence[str], total: int) -> bool:
    counts = bool(NUMBER.search(parts[0])) and len(set(parts)) >= FEW
    return counts or len(parts) > max(2, COMMON * total)


def _ends(title: str, *, behind: bool) -> list[tuple[int, int]]:
    """Where a part can stand at one end of a title, the longest first."""
    cuts = list(SEPARATOR.finditer(title))
    if behind:
        found = {(cuts[-1].start(), len(title))} if cuts else set()
        return sorted(found | set(_tails(title)))
    found = {(0, cuts[0].end())} if cuts else set()
    return sorted(found | set(_heads(title)), reverse=True)


def _heads(title: str) -> Iterator[tuple[int, int]]:
    """Beginnings up to one of the first numbers, with the letters that are glued to it."""
    for number in NUMBER.finditer(title[:LONGEST]):
        if len(WORD.findall(title, 0, number.start())) > WORDS:
            return
        yield 0, number.end()
        if title[number.end() : number.end() + 1] >= WIDE:
            yield 0, number.end() + 1
        elif glued := GLUED.match(title, number.end()):
            yield 0, glued.end()


def _tails(title: str) -> Iterator[tuple[int, int]]:
    """Ends with a number and at most two letters behind it: from the number, the word before, or a sign before."""
    start = max(0, len(title) - LONGEST)
    numbers = list(NUMBER.finditer(title, start))
    last = next((n for n in reversed(numbers) if not WORD.search(GLUED.sub("", title[n.end() :], count=1))), None)
    if last is None:
        return
    yield last.start(), len(title)
    words = list(WORD.finditer(title, start, last.start()))[-WORDS:]
    for place, word in enumerate(reversed(words)):
        if place == 0 or not title[: word.start()].rstrip()[-1:].isalnum():
            yield word.start(), len(title)
