"""The other episodes of its show that an episode refers to, and what they are to it.

A text refers to an episode by a link to its page, by its number behind a word such as "episode",
or by its title, or the initials of it, behind a phrase such as "our episode about". A title without
a phrase before it refers to nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeVar

from ..identity import bare_title, slug_of
from ..text.addresses import BLANK, without_addresses
from ..text.fingerprints import fingerprint
from ..text.sentences import WORD, excerpt, sentences
from ..text.urls import without_tail
from ..text.vocabulary import Phrases, alternatives, lists_of, load

# Something to hear before the episode that refers to it, after it, or beside it; strongest first.
PREREQUISITE, FOLLOW_UP, SEE_ALSO = STRENGTH = ("prerequisite", "follow-up", "see-also")
MAX_TITLE_WORDS = 30
REACH = 60  # characters between a phrase and the mention that it is about
MAX_BEFORE = 240  # characters before a mention in which phrases are looked for
MAX_MENTIONS = 64  # of episodes in a text

_DATA = load(__file__, "references")
_LISTS = lists_of(_DATA["lists"])
_BEFORE = {kind: Phrases(written, _LISTS) for kind, written in _DATA["before"].items()}
_LED = Phrases(_DATA["led"], _LISTS, after=r"(?:(?:the|our|my)\s+)?[\"“'‘«(\[]?\s*(?=\w)")
# "Episode 12", "episódio #12", "Folge Nr. 12: Title". A time, a range and "episode 3 of Serial" are
# no number of an episode.
_NUMBERED = re.compile(
    rf"(?<!\w){alternatives(_DATA['episode'])}\.?[ \xa0]{{0,2}}(?:#|№|n[ro]?[.º°]?)?[ \xa0]?"
    r"(?P<number>\d{1,5})(?![\w%]|[.:/-]\d)"
    rf"(?! {alternatives(_DATA['of'])} [^\W\d_])"
    r"(?P<sign> ?\\?[:–—-]|,? ?[\"“„«])?[ \xa0]?",
    re.IGNORECASE,
)
_SENTENCE_START = re.compile(r"[.!?:;(\[\n]")
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
    """The slugs of a show's episodes by their names. A name of two episodes has None."""

    addresses: Mapping[str, str | None]  # keys of pages, and "episode:" with a slug or a number
    titles: Mapping[Words, str | None]  # folded
    numbers: Mapping[int | None, str | None]
    first_words: Mapping[str, Words]  # of titles, folded, at most one, by slug
    digest: str

    def linked(self, key: str, page: str) -> str | None:
        """Return the slug of the episode that a link leads to, by its key and the key of its page."""
        # Sites count where visitors come from in words of their own, or in eight signs behind "-".
        bare = without_tail(f"/{key}")[1:]
        for spelling in (page, page.partition("?")[0], key, bare):
            if spelling in self.addresses:
                return self.addresses[spelling]
        return None


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
    """Return the names of these episodes."""
    addresses = _unique((name, target.slug) for target in targets for name in _addresses(target))
    addresses |= {f"episode:{target.slug}": target.slug for target in targets}
    titles = _unique((name, target.slug) for target in targets for name in _names(target.title))
    numbers = _unique((target.number, target.slug) for target in targets)
    first_words = {target.slug: _folded(_words(target.title)[:1]) for target in targets}
    values = sorted((target.slug, target.title, str(target.number)) for target in targets)
    return EpisodeNames(addresses, titles, numbers, first_words, fingerprint(values))


def references(
    slug: str, text: str, links: Sequence[tuple[str, str, int]], names: EpisodeNames
) -> tuple[FoundReference, ...]:
    """Return the references of a text, by slug: at most one a target, of its strongest kind, and
    never the episode itself.

    `links` are those to episodes: (slug, address, offset in `text`). Linear in the text; never
    raises.
    """
    masked = without_addresses(text).translate(_SIGNS)
    mentions = [Mention(start, start + len(url), target) for target, url, start in links]
    mentions += _titles_behind_phrases(masked, names)
    mentions += _numbers_behind_episode(masked, names)
    others = sorted(mention for mention in mentions if mention.slug != slug)
    return strongest(_classify(text, masked, others[:MAX_MENTIONS]))


def may_refer(text: str) -> bool:
    """Return whether a text has a phrase or a number that may refer to an episode."""
    plain = text.translate(_SIGNS)
    return bool(_NUMBERED.search(plain) or _LED.pattern.search(plain))


def strongest(found: Iterable[FoundReference]) -> tuple[FoundReference, ...]:
    """Return one reference a target, by slug: the strongest kind, at its first place."""
    ranked = sorted(found, key=lambda one: (STRENGTH.index(one.kind), one.position, one.evidence))
    best = {one.target: one for one in reversed(ranked)}
    return tuple(best[target] for target in sorted(best))


# --- The names of episodes ------------------------------------------------------------------------


def _unique(pairs: Iterable[tuple[Name, str]]) -> dict[Name, str | None]:
    """Return the slugs by name; None for a name of two."""
    slugs: dict[Name, str | None] = {}
    for name, slug in pairs:
        slugs[name] = slug if slugs.get(name, slug) == slug else None
    return slugs


def _addresses(target: NamedTarget) -> set[str]:
    """Return the keys of links to an episode."""
    names = {target.slug, slug_of(target.title), str(target.number or "")} - {""}
    return {*target.pages, *(f"episode:{name}" for name in names)}


def _words(title: str) -> Words:
    """Return the words of a title without its number; none if it has no letter."""
    plain = title.translate(_SIGNS)
    if numbered := _NUMBERED.match(plain):
        plain = plain[numbered.end() :] or plain
    words = WORD.findall(plain)
    bare = words[len(words) - len(WORD.findall(bare_title(plain, "")[0])) :][:MAX_TITLE_WORDS]
    return tuple(bare) if _LETTER.search("".join(bare)) else ()


def _names(title: str) -> set[Words]:
    """Return the folded words of a title, and its initials."""
    words = _words(title)
    initials = "".join(word[0] for word in words).upper()
    names = {_folded(words)}
    if 2 <= len(words) <= 5 and initials.isalpha():
        names.add((initials,))
    return names - {()}


def _folded(words: Words) -> Words:
    """Return the words in small letters, but those in capitals alone, which may be initials."""
    return tuple(word if word.isupper() else word.casefold() for word in words)


# --- Mentions -------------------------------------------------------------------------------------


def _titles_behind_phrases(text: str, names: EpisodeNames) -> Iterator[Mention]:
    for phrase in _LED.pattern.finditer(text):
        if mention := _title_at(text, phrase.end(), names):
            yield mention


def _title_at(text: str, position: int, names: EpisodeNames) -> Mention | None:
    """Return the longest title that begins at a position."""
    words = list(islice(WORD.finditer(text, position), MAX_TITLE_WORDS))
    folded = _folded(tuple(word[0] for word in words))
    for length in range(len(words), 0, -1):
        if slug := names.titles.get(folded[:length]):
            return Mention(words[0].start(), words[length - 1].end(), slug)
    return None


def _numbers_behind_episode(text: str, names: EpisodeNames) -> Iterator[Mention]:
    for numbered in _NUMBERED.finditer(text):
        mention = _numbered_at(text, numbered, names)
        if mention and not _is_behind_name(text, numbered.start()):
            yield mention


def _numbered_at(text: str, numbered: re.Match[str], names: EpisodeNames) -> Mention | None:
    """Return the episode of a number. If a title stands behind it that is not the title of that
    episode, it is the episode of the title, or of another show."""
    start, end = numbered.span()
    slug = names.numbers.get(int(numbered["number"]))
    has_name = text[end : end + 1].isupper()
    if has_name and not _begins_title(text, end, names.first_words.get(slug or "", ())):
        titled = _title_at(text, end, names)
        if titled or numbered["sign"]:
            return titled
    return Mention(start, numbered.end("number"), slug) if slug else None


def _begins_title(text: str, position: int, first_word: Words) -> bool:
    return _folded(tuple(WORD.findall(text, position, position + REACH)[:1])) == first_word


def _is_behind_name(text: str, position: int) -> bool:
    """Return whether a name or a number stands before a position, as in "on Loom Hour episode 3" and
    "season 2, episode 3". The first word of a sentence is a name only if a comma ends it."""
    before = _SENTENCE_START.split(text[max(0, position - REACH) : position])[-1].split()
    if not before:
        return False
    last = before[-1]
    is_sentence_start = len(before) == 1 and not last.endswith(",")
    return not is_sentence_start and (last[0].isupper() or last[0].isdigit())


# --- The kinds of references ----------------------------------------------------------------------


def _classify(text: str, masked: str, mentions: Sequence[Mention]) -> Iterator[FoundReference]:
    """Yield the mentions, each of the kind of the words before it in its sentence or list."""
    first, goes_on = 0, False
    for start, end in sentences(masked):
        first = first if goes_on else start
        for mention in mentions:
            if not start <= mention.start < end:
                continue
            kind = _kind(masked[first : mention.start]) or SEE_ALSO
            words = excerpt(text, (first, end), mention.start, mention.end)
            yield FoundReference(kind, mention.slug, mention.start, words)
        line = masked[start:end].replace(BLANK, "").strip()
        # A list goes on with lines that are addresses alone.
        goes_on = not line or line.endswith(":")


def _kind(before: str) -> str:
    """Return the kind of the phrase that ends last before a mention, or "" if none is near."""
    near = before.replace(BLANK, "")[-MAX_BEFORE:]
    ends = (
        (one.end(), -one.start(), kind)
        for kind, phrases in _BEFORE.items()
        for one in phrases.pattern.finditer(near)
    )
    end, _, kind = max(ends, default=(0, 0, ""))
    return kind if len(near) - end <= REACH else ""
