"""Names of episodes that the notes of another one may hold: addresses, titles, initials, numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from sys import intern
from typing import NamedTuple, TypeVar

from ..identity import NUMBER_WORDS, bare_title, number_of, slug_of
from ..text.addresses import without_addresses
from ..text.normalize import fold
from ..text.sentences import WORD
from ..text.urls import without_tail
from .reference_phrases import FOLLOW_UP, KNOWN_INITIALS, PREREQUISITE

TITLE, INITIALS, NUMBER = "title", "initials", "number"
SIGNS = str.maketrans("_*`", "   ")  # markup that some sites show and others eat
Keys = tuple[str, ...]  # the words of a name, in small letters
Name = TypeVar("Name")
Value = TypeVar("Value")

_PART = re.compile(
    r"(?P<of>.{3,}?)[\s,:;(–—-]+(?:part|pt\.?|vol\.?)\s+(?P<n>\d{1,2}|[ivx]+|one|two|three|four|five)\)?\Z",
    re.IGNORECASE,
)


class NamedTarget(NamedTuple):
    """An episode that may be referred to; `pages` are the `page_key`s of all its known page addresses."""

    slug: str
    title: str
    number: int | None = None
    pages: tuple[str, ...] = ()


class EpisodeName(NamedTuple):
    """A way to name an episode: its title, initials of the title, or its number; and the words as they are written."""

    slug: str
    words: Keys
    how: str = TITLE

    @property
    def keys(self) -> Keys:
        return tuple(map(word_key, self.words))


@dataclass(frozen=True)
class NamesAtHand:
    """The names that one text can hold."""

    names: dict[Keys, EpisodeName | None]  # None where two episodes share it
    parts: dict[str, tuple[str, int]]  # of which title, folded, and which part

    @cached_property
    def beginnings(self) -> set[Keys]:
        return {keys[:length] for keys in self.names for length in range(1, len(keys) + 1)}

    @cached_property
    def first_words(self) -> frozenset[str]:
        return frozenset(keys[0] for keys in self.names)

    def names_another(self, own: str) -> bool:
        """True where another episode than one's own may be named."""
        return any(name and name.slug != own for name in self.names.values())

    def by_part(self, own: str, other: str) -> str:
        """The kind of reference from one part of a title to another, whatever the words; "" between other episodes."""
        (of, number), (others, theirs) = (self.parts.get(slug, (slug, 0)) for slug in (own, other))
        if of != others or own == other:
            return ""
        return PREREQUISITE if theirs < number else FOLLOW_UP


@dataclass(frozen=True, slots=True)
class EpisodeNames:
    """The episodes of a show by everything that may name them; None where two share it."""

    addresses: Mapping[str, str | None]  # keys of pages, and "episode:" with a slug or a number
    names: Mapping[Keys, EpisodeName | None]
    parts: Mapping[str, tuple[str, int]]
    by_rarest: Mapping[
        str, list[tuple[Keys, frozenset[str]]]
    ]  # names by the word that fewest of them have, in their order

    def linked(self, key: str, page: str) -> str | None:
        """The slug of the episode that a link leads to, by its key and the key of its page; None for anything else."""
        # Sites count where visitors come from in words of their own, and mark addresses with eight letters.
        names = (key, without_tail(f"/{key}")[1:], key[:-9] if key[-9:-8] == "-" else key)
        spellings = (page, page.partition("?")[0], *(spelled for name in names for spelled in (name, _plain(name))))
        return next((self.addresses[spelled] for spelled in spellings if spelled in self.addresses), None)

    def within(self, words: Collection[str], targets: Iterable[str], own: str) -> NamesAtHand:
        """The names whose words all occur in a text, and the parts that they and the targets of its links are."""
        occurring = frozenset(words)
        names = {
            keys: self.names[keys]
            for word in sorted(occurring & self.by_rarest.keys())
            for keys, needed in self.by_rarest[word]
            if occurring >= needed
        }
        slugs = {name.slug for name in names.values() if name} | {*targets, own}
        return NamesAtHand(names, {slug: self.parts[slug] for slug in sorted(slugs & self.parts.keys())})


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in which names of episodes may occur, each once."""
    return tuple(map(intern, sorted(set(map(word_key, set(WORD.findall(without_addresses(text).translate(SIGNS))))))))


def know(targets: Sequence[NamedTarget]) -> EpisodeNames:
    """The names of these episodes."""
    names = _names(targets)
    common = Counter(word for keys in names for word in set(keys))
    by_rarest: dict[str, list[tuple[Keys, frozenset[str]]]] = defaultdict(list)
    for keys in sorted(names):
        by_rarest[min(keys, key=lambda word: (common[word], word))].append((keys, frozenset(keys)))
    addresses = _unique((address, target.slug) for target in targets for address in _addresses(target))
    own = {f"episode:{target.slug}": target.slug for target in targets}
    return EpisodeNames(addresses | own, names, dict(part for target in targets for part in _part(target)), by_rarest)


def _unique(pairs: Iterable[tuple[Name, Value]]) -> dict[Name, Value | None]:
    """The values by name; None for a name of two."""
    found: dict[Name, Value | None] = {}
    for name, value in pairs:
        found[name] = value if found.get(name, value) == value else None
    return found


def _part(target: NamedTarget) -> Iterator[tuple[str, tuple[str, int]]]:
    found = _PART.match(fold(target.title))
    if found and (number := number_of(found["n"])):
        yield target.slug, (found["of"], number)


def _addresses(target: NamedTarget) -> set[str]:
    """Keys of links to an episode. Some sites drop signs that our slugs keep apart: "PyTorch 2.0" is pytorch-20."""
    titles = (target.title, target.title.replace("&", " and "), target.slug)
    names = {slug_of(target.title), *(_plain(title) for title in titles), str(target.number or "")} - {""}
    return {*target.pages, *(f"episode:{name}" for name in names)}


def _plain(name: str) -> str:
    """The letters and digits of an address, behind its "episode:"."""
    kind, colon, rest = name.rpartition("episode:")
    return kind + colon + slug_of(rest).replace("-", "").replace("_", "")


def _names(targets: Sequence[NamedTarget]) -> dict[Keys, EpisodeName | None]:
    """Numbers and initials, which give way to any title, and the titles."""
    every = [name for target in targets for name in _ways(target)]
    return {
        keys: name
        for how in (NUMBER, INITIALS, TITLE)
        for keys, name in _unique((name.keys, name) for name in every if name.how == how).items()
    }


def _ways(target: NamedTarget) -> Iterator[EpisodeName]:
    """The ways to name an episode in prose."""
    words, number = _title_words(target.title), target.number or 0
    if words:
        yield EpisodeName(target.slug, words)
    initials = "".join(word[0] for word in words).upper()
    if 2 <= len(words) <= 5 and initials.isalpha() and initials not in KNOWN_INITIALS:
        yield EpisodeName(target.slug, (initials,), INITIALS)
    for written in (str(number), *NUMBER_WORDS[number - 1 : number]) if number > 0 else ():
        yield EpisodeName(target.slug, (written,), NUMBER)


def _title_words(title: str) -> Keys:
    """The words of a title as written, without number prefix; none for a title without letters."""
    plain = title.translate(SIGNS)
    bare = len(WORD.findall(bare_title(plain, "")[0]))
    words = WORD.findall(plain)
    kept = words[len(words) - bare :]
    return tuple(kept) if any(map(str.isalpha, "".join(kept))) else ()


@lru_cache(maxsize=32_768)
def word_key(word: str) -> str:
    """The word in small letters, without possessive or apostrophes; a number without leading zeros."""
    key = word.casefold().replace("’", "'").removesuffix("'s").replace("'", "")
    key = key.lstrip("0") or key
    return "and" if key == "&" else key
