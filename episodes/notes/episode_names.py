"""What may name an episode in the notes of another: its pages, its title in its spellings, its number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ..identity.match_keys import bare_title, counted
from ..identity.slugs import slug_of
from ..text.normalize import fold
from ..text.urls import page_key, without_tail
from ..text.sentences import WORD
from .reference_phrases import FOLLOW_UP, KNOWN_INITIALS, PREREQUISITE

_PART = re.compile(
    r"(?P<of>.{3,}?)[\s,:;(–—-]+(?:part|pt\.?|vol\.?)\s+(?P<n>\d{1,2}|[ivx]+|one|two|three|four|five)\)?\Z", re.IGNORECASE
)
_NO_LETTERS = re.compile(r"[\W\d_]*")

_K = TypeVar("_K", str, int)


@dataclass(frozen=True, slots=True)
class NamedTarget:
    """An episode that may be referred to; `pages` are the `page_key`s of all its known page addresses."""

    slug: str
    title: str
    number: int | None = None
    pages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EpisodeName:
    """A way to write a title: the target, as written, and how safe it is."""

    slug: str
    words: tuple[str, ...]  # as written
    initials: bool = False


@dataclass(slots=True)
class EpisodeNames:
    """The targets by everything that may name them; None where two share it."""

    pages: dict[str, str | None] = field(default_factory=dict)
    slugs: dict[str, str | None] = field(default_factory=dict)
    numbers: dict[int, str | None] = field(default_factory=dict)
    names: dict[tuple[str, ...], EpisodeName | None] = field(default_factory=dict)
    beginnings: set[tuple[str, ...]] = field(default_factory=set)
    parts: dict[str, tuple[str, int]] = field(default_factory=dict)  # of which title, folded, and which part

    def by_part(self, own: str, other: str) -> str:
        """What another part of a title is to one part, whatever the words; "" for what are no parts of one title."""
        (of, number), (others, theirs) = (self.parts.get(slug, (slug, 0)) for slug in (own, other))
        if of != others or own == other:
            return ""
        return PREREQUISITE if theirs < number else FOLLOW_UP


def know(targets: Sequence[NamedTarget]) -> EpisodeNames:
    known = EpisodeNames()
    for target in targets:
        for page in target.pages:
            _add(known.pages, page, target.slug)
        if target.number is not None:
            _add(known.numbers, target.number, target.slug)
        part = _PART.match(fold(target.title))
        if part and (number := counted(part["n"])):
            known.parts[target.slug] = (part["of"], number)
    own = {target.slug for target in targets}
    for target in targets:
        # An address made of a title drops signs that our slugs keep apart: "PyTorch 2.0" is pytorch-20.
        for name in {_plain(target.title), _plain(target.title.replace("&", " and ")), _plain(target.slug)} - {""}:
            _add(known.slugs, name, target.slug)
        if slug_of(target.title) not in own:
            _add(known.slugs, slug_of(target.title), target.slug)
    for slug in own:
        known.slugs[slug] = slug
    _name_all(known, targets)
    return known


def _add(names: dict[_K, str | None], name: _K, slug: str) -> None:
    names[name] = slug if names.get(name, slug) == slug else None


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", slug_of(name))


def _name_all(known: EpisodeNames, targets: Sequence[NamedTarget]) -> None:
    """The titles, then spellings that give way to any title: without article, one or many, initials."""
    titles = [(target.slug, _title_words(target.title)) for target in targets]
    ways: tuple[list[tuple[tuple[str, ...], EpisodeName]], ...] = ([], [], [])
    for slug, words in titles:
        keys = tuple(word_key(word) for word in words)
        if not keys or all(map(_NO_LETTERS.fullmatch, keys)):
            continue
        ways[0].append((keys, EpisodeName(slug, words)))
        if keys[0] in ("the", "a", "an") and len(keys) > 2:
            ways[1].append((keys[1:], EpisodeName(slug, words[1:])))
        if len(keys) > 1 and len(keys[-1]) > 3 and not keys[-1].endswith("ss"):
            other = keys[-1].removesuffix("s") if keys[-1].endswith("s") else keys[-1] + "s"
            ways[1].append(((*keys[:-1], other), EpisodeName(slug, (*words[:-1], other))))
        initials = "".join(word[0] for word in words).upper()
        if 2 <= len(words) <= 5 and initials.isalpha() and initials not in KNOWN_INITIALS:
            for written in (initials, f"{initials}s"):
                ways[2].append(((written.casefold(),), EpisodeName(slug, (written,), initials=True)))
    for way in ways:
        found: dict[tuple[str, ...], EpisodeName | None] = {}
        for keys, name in way:
            found[keys] = name if keys not in found or _same(found[keys], name) else None
        for keys, one in found.items():
            known.names.setdefault(keys, one)
    for keys in known.names:
        known.beginnings.update(keys[:length] for length in range(1, len(keys) + 1))


def _same(one: EpisodeName | None, other: EpisodeName) -> bool:
    return one is not None and one.slug == other.slug


def _title_words(title: str) -> tuple[str, ...]:
    """The words of a title as written, without number prefix."""
    plain = re.sub(r"[_*`]", " ", title)  # signs between words, which folding takes out
    bare = len(WORD.findall(bare_title(plain, "")[0]))
    words = WORD.findall(plain)
    return tuple(words[len(words) - bare :])


def word_key(word: str) -> str:
    key = re.sub(r"['’]s?\Z", "", word.casefold())
    return "and" if key == "&" else key.replace("'", "").replace("’", "")


def linked(key: str, address: str, known: EpisodeNames) -> str | None:
    """The slug of the episode that an address leads to; None for anything else."""
    page = page_key(address)
    for spelled in (page, page.partition("?")[0]):  # some sites count where visitors come from in words of their own
        if spelled in known.pages:
            return known.pages[spelled]
    kind, _, name = key.partition(":")
    if kind != "episode" or not name:
        return None
    for tried in (name, without_tail(f"/{name}")[1:], name[:-9] if name[-9:-8] == "-" else ""):
        if not tried:
            continue
        for spelled in (tried, _plain(tried)):
            if spelled in known.slugs:
                return known.slugs[spelled]
    return known.numbers.get(int(name)) if re.fullmatch(r"[0-9]{1,6}", name) else None
