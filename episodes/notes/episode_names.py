"""What may name an episode in the notes of another: its pages, its title in its spellings, its number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from ..identity import NUMBER_WORDS, bare_title, number_of, slug_of
from ..text.addresses import without_addresses
from ..text.normalize import fold
from ..text.sentences import WORD
from ..text.urls import without_tail
from .reference_phrases import FOLLOW_UP, KNOWN_INITIALS, PREREQUISITE

LONGEST_RANGE = 20  # of numbers: "episodes 32 to 34"
Keys = tuple[str, ...]  # the words of a name, in small letters

_PART = re.compile(
    r"(?P<of>.{3,}?)[\s,:;(–—-]+(?:part|pt\.?|vol\.?)\s+(?P<n>\d{1,2}|[ivx]+|one|two|three|four|five)\)?\Z",
    re.IGNORECASE,
)
_NO_LETTERS = re.compile(r"[\W\d_]*")
_DIGITS = re.compile(r"\d+")
_POSSESSIVE = re.compile(r"['’]s?\Z")
_SIGNS = re.compile(r"[\W_]+")
_EATEN = str.maketrans("_*`", "   ")  # signs between words, which folding takes out


class NamedTarget(NamedTuple):
    """An episode that may be referred to; `pages` are the `page_key`s of all its known page addresses."""

    slug: str
    title: str
    number: int | None = None
    pages: tuple[str, ...] = ()


class EpisodeName(NamedTuple):
    """A way to write a title: the target, as written, and how safe it is."""

    slug: str
    words: Keys  # as written
    initials: bool = False


@dataclass(frozen=True)
class NamesAtHand:
    """The names that one text can hold."""

    names: dict[Keys, EpisodeName | None]  # None where two episodes share it
    numbers: dict[int, str]
    parts: dict[str, tuple[str, int]]  # of which title, folded, and which part

    @cached_property
    def beginnings(self) -> set[Keys]:
        return {keys[:length] for keys in self.names for length in range(1, len(keys) + 1)}

    def names_another(self, own: str) -> bool:
        """True where another episode than one's own may be named."""
        return bool(self.numbers) or any(name and name.slug != own for name in self.names.values())

    def by_part(self, own: str, other: str) -> str:
        """What another part of a title is to one part, whatever the words; "" for what are no parts of one title."""
        (of, number), (others, theirs) = (self.parts.get(slug, (slug, 0)) for slug in (own, other))
        if of != others or own == other:
            return ""
        return PREREQUISITE if theirs < number else FOLLOW_UP


@dataclass(slots=True)
class EpisodeNames:
    """The targets by everything that may name them; None where two share it."""

    pages: dict[str, str | None] = field(default_factory=dict)
    slugs: dict[str, str | None] = field(default_factory=dict)
    numbers: dict[int | None, str | None] = field(default_factory=dict)
    names: dict[Keys, EpisodeName | None] = field(default_factory=dict)
    parts: dict[str, tuple[str, int]] = field(default_factory=dict)
    by_rarest: dict[str, list[Keys]] = field(default_factory=dict)  # names by the word that fewest of them have

    def linked(self, key: str, page: str) -> str | None:
        """The slug of the episode that a link leads to, by its key and the key of its page; None for anything else."""
        # Some sites count where visitors come from in words of their own.
        found = [self.pages[spelled] for spelled in (page, page.partition("?")[0]) if spelled in self.pages]
        if found:
            return found[0]
        kind, _, name = key.partition(":")
        return self._by_name(name) if kind == "episode" and name else None

    def _by_name(self, name: str) -> str | None:
        shorter = {without_tail(f"/{name}")[1:]: None, name[:-9] if name[-9:-8] == "-" else name: None}
        spellings = [spelled for one in (name, *shorter) for spelled in (one, _plain(one))]
        known = next((spelled for spelled in spellings if spelled in self.slugs), "")
        return self.slugs[known] if known else self.numbers.get(_number(name))

    def within(self, words: Collection[str], targets: Iterable[str], own: str) -> NamesAtHand:
        """The names whose words all stand in a text, and what is to be known of their targets."""
        there = frozenset(words)
        keys = [
            keys for word in there & self.by_rarest.keys() for keys in self.by_rarest[word] if there.issuperset(keys)
        ]
        names = {one: self.names[one] for one in sorted(keys)}
        said = sorted({_number(word) for word in words if word in NUMBER_WORDS or word.isdecimal()} - {0})
        numbers = {number: slug for number in said if (slug := self.numbers.get(number))} | self._between(said)
        named = {name.slug for name in names.values() if name} | {*targets} | {*numbers.values()} | {own}
        return NamesAtHand(names, numbers, {slug: self.parts[slug] for slug in sorted(named) if slug in self.parts})

    def _between(self, numbers: Sequence[int]) -> dict[int, str]:
        """The numbers that "episodes 32 to 34" may mean."""
        spans = ((low, high) for low, high in pairwise(numbers) if high - low <= LONGEST_RANGE)
        found = {n: self.numbers.get(n) for low, high in spans for n in range(low, high + 1)}
        return {number: slug for number, slug in found.items() if slug}


def words_of(text: str) -> tuple[str, ...]:
    """The words and numbers of a text in which names of episodes may be written, each once."""
    plain = without_addresses(text)
    return tuple(sorted({*map(word_key, WORD.findall(plain)), *_DIGITS.findall(plain)}))


def know(targets: Sequence[NamedTarget]) -> EpisodeNames:
    known = EpisodeNames(names=_names(targets))
    own = {target.slug for target in targets}
    for target in targets:
        known.parts |= _part(target)
        _add(known.pages, target.pages, target.slug)
        _add(known.numbers, [target.number], target.slug)
        _add(known.slugs, _spellings(target) - own, target.slug)
    known.slugs.update((slug, slug) for slug in own)
    known.numbers.pop(None, None)
    common = Counter(word for keys in known.names for word in set(keys))
    for keys in known.names:
        known.by_rarest.setdefault(min(keys, key=lambda word: (common[word], word)), []).append(keys)
    return known


def _part(target: NamedTarget) -> dict[str, tuple[str, int]]:
    found = _PART.match(fold(target.title))
    number = number_of(found["n"]) if found else 0
    return {target.slug: (found["of"], number)} if found and number else {}


def _spellings(target: NamedTarget) -> set[str]:
    """An address made of a title drops signs that our slugs keep apart: "PyTorch 2.0" is pytorch-20."""
    plain = {_plain(name) for name in (target.title, target.title.replace("&", " and "), target.slug)}
    return {slug_of(target.title), *plain} - {""}


def _add(names: dict[Any, str | None], keys: Iterable[object], slug: str) -> None:
    for key in keys:
        names[key] = slug if names.get(key, slug) == slug else None


def _plain(name: str) -> str:
    return _SIGNS.sub("", slug_of(name))


def _number(word: str) -> int:
    return number_of(word) if len(word) < 7 else 0


def _names(targets: Sequence[NamedTarget]) -> dict[Keys, EpisodeName | None]:
    """The titles, then spellings that give way to any title: without article, one or many, initials."""
    titles = [(target.slug, words) for target in targets if (words := _title_words(target.title))]
    names: dict[Keys, EpisodeName | None] = {}
    for ways in (_as_written, _varied, _initials):
        found: dict[Keys, EpisodeName | None] = {}
        for slug, words in titles:
            for keys, name in ways(slug, words):
                known = found.setdefault(keys, name)
                if known and known.slug != slug:
                    found[keys] = None
        names = found | names
    return names


def _as_written(slug: str, words: Keys) -> Iterator[tuple[Keys, EpisodeName]]:
    yield tuple(map(word_key, words)), EpisodeName(slug, words)


def _varied(slug: str, words: Keys) -> Iterator[tuple[Keys, EpisodeName]]:
    *first, last = keys = tuple(map(word_key, words))
    if keys[0] in ("the", "a", "an") and len(keys) > 2:
        yield keys[1:], EpisodeName(slug, words[1:])
    if first and len(last) > 3 and not last.endswith("ss"):
        other = last[:-1] if last.endswith("s") else f"{last}s"
        yield (*first, other), EpisodeName(slug, (*words[:-1], other))


def _initials(slug: str, words: Keys) -> Iterator[tuple[Keys, EpisodeName]]:
    initials = "".join(word[0] for word in words).upper()
    if 2 <= len(words) <= 5 and initials.isalpha() and initials not in KNOWN_INITIALS:
        for written in (initials, f"{initials}s"):
            yield (written.casefold(),), EpisodeName(slug, (written,), initials=True)


def _title_words(title: str) -> Keys:
    """The words of a title as written, without number prefix; none for a title without letters."""
    plain = title.translate(_EATEN)
    bare = len(WORD.findall(bare_title(plain, "")[0]))
    words = WORD.findall(plain)
    kept = tuple(words[len(words) - bare :])
    return () if all(map(_NO_LETTERS.fullmatch, kept)) else kept


def word_key(word: str) -> str:
    key = _POSSESSIVE.sub("", word.casefold())
    return "and" if key == "&" else key.replace("'", "").replace("’", "")
