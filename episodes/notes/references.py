"""The other episodes of its show that an episode refers to, and what they are to it.

A text names an episode by its address, by a long title as it is written, or by any title, or the
initials of one, behind words such as "our episode about".
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from ..identity import bare_title, slug_of
from ..text.addresses import BLANK, without_addresses
from ..text.release import digest
from ..text.sentences import WORD, excerpt, sentences
from ..text.urls import without_tail
from ..text.vocabulary import Phrases, lists_of, load

# Something to hear before the episode that refers to it, after it, or beside it; strongest first.
PREREQUISITE, FOLLOW_UP, SEE_ALSO = STRENGTH = ("prerequisite", "follow-up", "see-also")
LONG_TITLE = 4  # words: such a title, as it is written, needs no words around it
LONGEST_TITLE = 30  # words
_ANY_LENGTH = range(1, LONGEST_TITLE + 1)
REACH = 60  # characters between a phrase and what it is about
MOST_BEFORE = 240  # characters before a mention in which phrases are looked for
MOST_MENTIONS = 64  # of episodes in a text

_DATA = load(__file__, "references")
_LISTS = lists_of(_DATA["lists"])
_BEFORE = {kind: Phrases(written, _LISTS) for kind, written in _DATA["before"].items()}
_LED = Phrases(_DATA["led"], _LISTS, after=r"(?:(?:the|our|my)\s+)?[\"“'‘«(\[]?\s*(?=\w)")
_LETTER = re.compile(r"[^\W\d_]")
_SIGNS = str.maketrans("_*`", "   ")  # markup that some sites show and others eat
Words = tuple[str, ...]
Name = TypeVar("Name")


class NamedTarget(NamedTuple):
    """An episode that may be referred to; `pages` are the `page_key`s of its page addresses."""

    slug: str
    title: str
    number: int | None = None
    pages: tuple[str, ...] = ()


@dataclass(frozen=True)
class EpisodeNames:
    """The episodes of a show by all that may name them; None where two share it."""

    addresses: Mapping[str, str | None]  # keys of pages, and "episode:" with a slug or a number
    titles: Mapping[Words, str | None]  # folded, and long ones as written
    lengths: Mapping[str, set[int]]  # of long titles in words, by first word
    digest: str  # of the titles

    def linked(self, key: str, page: str) -> str | None:
        """The slug of the episode that a link leads to, by its key and the key of its page."""
        # Sites count where visitors come from in words of their own, or in eight signs behind "-".
        bare = without_tail(f"/{key}")[1:]
        spellings = (page, page.partition("?")[0], key, bare)
        return next((self.addresses[one] for one in spellings if one in self.addresses), None)


@dataclass(frozen=True, slots=True)
class FoundReference:
    """A reference to another episode (its slug is `target`), and the words that make it."""

    kind: str
    target: str
    position: int  # in the text
    evidence: str


class Mention(NamedTuple):
    """An episode at a place of a text."""

    start: int
    end: int
    slug: str


def know(targets: Sequence[NamedTarget]) -> EpisodeNames:
    """The names of these episodes."""
    addresses = _unique((name, one.slug) for one in targets for name in _addresses(one))
    addresses |= {f"episode:{one.slug}": one.slug for one in targets}
    titles = _unique((name, one.slug) for one in targets for name in _names(one.title))
    lengths: dict[str, set[int]] = defaultdict(set)
    for words in (_words(one.title) for one in targets):
        if len(words) >= LONG_TITLE:
            lengths[words[0]].add(len(words))
    of_titles = digest(sorted((one.slug, one.title) for one in targets))
    return EpisodeNames(addresses, titles, lengths, of_titles)


def references(
    slug: str, text: str, links: Sequence[tuple[str, str, int]], known: EpisodeNames
) -> tuple[FoundReference, ...]:
    """At most one reference a target, of its strongest kind, by slug; never the episode itself.

    `links` are those to episodes: (slug, address, offset in `text`). Linear in the text; never
    raises.
    """
    masked = without_addresses(text).translate(_SIGNS)
    linked = (Mention(at, at + len(url), target) for target, url, at in links)
    mentions = sorted(one for one in (*linked, *_by_name(masked, known)) if one.slug != slug)
    return strongest(_told(text, masked, mentions[:MOST_MENTIONS]))


def names_any(text: str, known: EpisodeNames) -> bool:
    """True for a text that names an episode, be it its own."""
    return any(True for _ in _by_name(without_addresses(text).translate(_SIGNS), known))


def strongest(found: Iterable[FoundReference]) -> tuple[FoundReference, ...]:
    """One reference a target, by slug: the strongest kind, at its first place."""
    ranked = sorted(found, key=lambda one: (STRENGTH.index(one.kind), one.position, one.evidence))
    best = {one.target: one for one in reversed(ranked)}
    return tuple(best[target] for target in sorted(best))


# --- The names of episodes ------------------------------------------------------------------------


def _unique(pairs: Iterable[tuple[Name, str]]) -> dict[Name, str | None]:
    """The slugs by name; None for a name of two."""
    slugs: dict[Name, str | None] = {}
    for name, slug in pairs:
        slugs[name] = slug if slugs.get(name, slug) == slug else None
    return slugs


def _addresses(target: NamedTarget) -> set[str]:
    """Keys of links to an episode."""
    names = {target.slug, slug_of(target.title), str(target.number or "")} - {""}
    return {*target.pages, *(f"episode:{name}" for name in names)}


def _words(title: str) -> Words:
    """The words of a title without its number; none where there is no letter."""
    words = WORD.findall(title.translate(_SIGNS))
    bare = words[len(words) - len(WORD.findall(bare_title(title, "")[0])) :][:LONGEST_TITLE]
    return tuple(bare) if _LETTER.search("".join(bare)) else ()


def _names(title: str) -> set[Words]:
    """The words of a title, folded, those of a long one also as written, and its initials."""
    words = _words(title)
    initials = "".join(word[0] for word in words).upper()
    names = {_folded(words), words[: len(words) * (len(words) >= LONG_TITLE)]}
    if 2 <= len(words) <= 5 and initials.isalpha():
        names.add((initials,))
    return names - {()}


def _folded(words: Words) -> Words:
    """The words in small letters, but for those of capitals alone, which initials could be."""
    return tuple(word if word.isupper() else word.casefold() for word in words)


def _by_name(text: str, known: EpisodeNames) -> Iterator[Mention]:
    """The long titles in a text, and any title behind a phrase that leads to one."""
    words = list(WORD.finditer(text))
    written = tuple(word[0] for word in words)
    led = {one.end() for one in _LED.pattern.finditer(text)}
    for place, word in enumerate(words):
        is_led = word.start() in led
        lengths = _ANY_LENGTH if is_led else known.lengths.get(word[0], ())
        for length in sorted(lengths, reverse=True):
            name = written[place : place + length]
            if slug := known.titles.get(_folded(name) if is_led else name):
                yield Mention(word.start(), words[place + len(name) - 1].end(), slug)
                break


# --- The kinds of references ----------------------------------------------------------------------


def _told(text: str, masked: str, mentions: Sequence[Mention]) -> Iterator[FoundReference]:
    """The mentions, each of the kind of the words before it in its sentence or above its list."""
    first, goes_on = 0, False
    for start, end in sentences(masked):
        first = first if goes_on else start
        for mention in (one for one in mentions if start <= one.start < end):
            kind = _kind(masked[first : mention.start]) or SEE_ALSO
            words = excerpt(text, (first, end), mention.start, mention.end)
            yield FoundReference(kind, mention.slug, mention.start, words)
        said = masked[start:end].replace(BLANK, "").strip()
        # A list goes on with lines that are addresses alone.
        goes_on = not said or said.endswith(":")


def _kind(before: str) -> str:
    """The kind of the phrase that ends last before a mention; "" where none is near."""
    near = before.replace(BLANK, "")[-MOST_BEFORE:]
    ends = (
        (one.end(), -one.start(), kind)
        for kind, phrases in _BEFORE.items()
        for one in phrases.pattern.finditer(near)
    )
    end, _, kind = max(ends, default=(0, 0, ""))
    return kind if len(near) - end <= REACH else ""
