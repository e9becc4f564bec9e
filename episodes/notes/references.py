"""References of an episode to other episodes of its show, and their kinds.

A text refers to an episode by a link to its page, by its number behind a word such as "episode",
or by its title, or the initials of it, behind a phrase such as "our episode about". A title without
a phrase before it refers to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeVar

from ..identity import bare_title, make_slug
from ..text.addresses import BLANK_CHARACTER, blank_addresses
from ..text.sentences import WORD, sentence_excerpt, sentence_spans
from ..text.urls import drop_id_suffix
from ..text.vocabulary import Phrases, list_patterns, load_vocabulary, pattern_of_words

# An episode to hear before the one that refers to it, after it, or beside it. Strongest first.
PREREQUISITE, FOLLOW_UP, SEE_ALSO = STRENGTH = ("prerequisite", "follow-up", "see-also")
MAX_TITLE_WORDS = 30
REACH = 60  # characters between a phrase and the mention that it is about

_DATA = load_vocabulary(__file__, "references")
_LISTS = list_patterns(_DATA["lists"])
_BEFORE = {kind: Phrases(written, _LISTS) for kind, written in _DATA["before"].items()}
_LED = Phrases(_DATA["led"], _LISTS, after=r"(?:(?:the|our|my)\s+)?[\"“'‘«(\[]?\s*(?=\w)")
# "Episode 12", "episódio #12", "Folge Nr. 12: Title". A time, a range and "episode 3 of Serial" are
# no number of an episode.
_NUMBERED = re.compile(
    rf"(?<!\w){pattern_of_words(_DATA['episode'])}\.?[ \xa0]{{0,2}}(?:#|№|n[ro]?[.º°]?)?[ \xa0]?"
    r"(?P<number>\d{1,5})(?![\w%]|[.:/-]\d)"
    rf"(?! {pattern_of_words(_DATA['of'])} [^\W\d_])"
    r"(?P<sign> ?\\?[:–—-]|,? ?[\"“„«])?[ \xa0]?",
    re.IGNORECASE,
)
_SENTENCE_START = re.compile(r"[.!?:;(\[\n]")
_LETTER = re.compile(r"[^\W\d_]")
_MARKUP_CHARACTERS = str.maketrans("_*`", "   ")  # markup that some sites show and other sites drop
Words = tuple[str, ...]
NameKey = TypeVar("NameKey")


class ReferenceTarget(NamedTuple):
    """An episode that may be referred to. `pages` are the `page_key`s of its page addresses."""

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

    def find_linked_slug(self, key: str, page: str) -> str | None:
        """Return the slug of the episode that a link leads to, or None. `key` is the key of the
        link, `page` its `page_key`."""
        # Sites add a query that counts visitors, or eight characters behind "-".
        bare = drop_id_suffix(f"/{key}")[1:]
        for spelling in (page, page.partition("?")[0], key, bare):
            if spelling in self.addresses:
                return self.addresses[spelling]
        return None

    def find_mentioned(self, possible: PossibleMention) -> Mention | None:
        """Return the mention of the episode that a place of a text names, or None.

        If a title stands behind a number that is not the title of that episode, it is the episode of
        the title, or of another show.
        """
        if possible.number is None:
            return self._find_title(possible)
        slug = self.numbers.get(possible.number)
        if possible.has_name and possible.words[:1] != self.first_words.get(slug or "", ()):
            titled = self._find_title(possible)
            if titled or possible.has_punctuation:
                return titled
        return Mention(possible.start, possible.end, slug) if slug else None

    def _find_title(self, possible: PossibleMention) -> Mention | None:
        """Return a mention of the episode with the longest title that the words begin with, or
        None."""
        for length in range(len(possible.words), 0, -1):
            if slug := self.titles.get(possible.words[:length]):
                return Mention(possible.words_start, possible.word_ends[length - 1], slug)
        return None


class PossibleMention(NamedTuple):
    """A place of a text that may name an episode: by a number, or by the words behind a phrase."""

    start: int
    end: int  # of the number
    number: int | None
    words: Words  # folded, behind the number or the phrase
    words_start: int
    word_ends: tuple[int, ...]
    has_name: bool  # a capital letter stands right behind the number
    has_punctuation: bool  # a colon, a dash or a quotation mark does


@dataclass(frozen=True, slots=True)
class ReferenceMatch:
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


def index_episode_names(targets: Sequence[ReferenceTarget]) -> EpisodeNames:
    """Return an index of the addresses, titles, numbers and first words by which texts refer to
    episodes."""
    addresses: dict[str, str | None] = {}
    titles: dict[Words, str | None] = {}
    numbers: dict[int | None, str | None] = {}
    first_words = {}
    for target in targets:
        for key in _keys_of_links(target):
            _add_name(addresses, key, target.slug)
        for words in _names_of_title(target.title):
            _add_name(titles, words, target.slug)
        _add_name(numbers, target.number, target.slug)
        first_words[target.slug] = _folded(_title_words_without_number(target.title)[:1])
    # A slug is its episode's, even if it is the title or number of another one.
    for target in targets:
        addresses[f"episode:{target.slug}"] = target.slug
    return EpisodeNames(addresses, titles, numbers, first_words)


def find_references(
    own_slug: str, text: str, links: Sequence[tuple[str, str, int]], mentions: Iterable[Mention]
) -> tuple[ReferenceMatch, ...]:
    """Return the references of a text, by slug: at most one a target, of its strongest kind, and
    never the episode itself.

    `links` are links to episodes: (slug, address, offset in `text`). Linear in the text.
    """
    linked = [Mention(start, start + len(url), target) for target, url, start in links]
    relevant = sorted(mention for mention in [*linked, *mentions] if mention.slug != own_slug)
    if not relevant:
        return ()
    return strongest_references(_classify_references(text, _masked(text), relevant[:64]))


def find_possible_mentions(text: str) -> tuple[PossibleMention, ...]:
    """Return the places of a text that may name an episode, whatever the episodes are."""
    masked = _masked(text)
    return (*_words_behind_phrases(masked), *_numbers_behind_episode_word(masked))


def _masked(text: str) -> str:
    """Return a text of the same length without addresses and Markdown."""
    return blank_addresses(text).translate(_MARKUP_CHARACTERS)


def may_refer(text: str) -> bool:
    """Return whether a text has a phrase or a number that may refer to an episode."""
    plain = text.translate(_MARKUP_CHARACTERS)
    return bool(_NUMBERED.search(plain) or _LED.pattern.search(plain))


def strongest_references(references: Iterable[ReferenceMatch]) -> tuple[ReferenceMatch, ...]:
    """Return one reference for each target, sorted by slug: of the strongest kind, at its first
    position."""
    by_target: dict[str, ReferenceMatch] = {}
    for reference in sorted(references, key=_strength_order):
        by_target.setdefault(reference.target, reference)
    return tuple(by_target[target] for target in sorted(by_target))


def _strength_order(reference: ReferenceMatch) -> tuple[int, int, str]:
    return STRENGTH.index(reference.kind), reference.position, reference.evidence


# --- The names of episodes ------------------------------------------------------------------------


def _add_name(slugs: dict[NameKey, str | None], name: NameKey, slug: str) -> None:
    """Store the slug of a name, or None if another episode has the name as well."""
    is_unique = slugs.get(name, slug) == slug
    slugs[name] = slug if is_unique else None


def _keys_of_links(target: ReferenceTarget) -> set[str]:
    """Return the keys of links that lead to an episode, with its slug, title or number."""
    names = {target.slug, make_slug(target.title), str(target.number or "")} - {""}
    return {*target.pages, *(f"episode:{name}" for name in names)}


def _title_words_without_number(title: str) -> Words:
    """Return the words of a title without its number, or () if they have no letter."""
    plain = title.translate(_MARKUP_CHARACTERS)
    numbered = _NUMBERED.match(plain)
    if numbered:
        plain = plain[numbered.end() :] or plain
    words = WORD.findall(plain)
    bare_words = WORD.findall(bare_title(plain, "")[0])
    # `bare_title` gives small letters. Take as many words from the end of the title, with capitals.
    words = words[len(words) - len(bare_words) :][:MAX_TITLE_WORDS]
    return tuple(words) if _LETTER.search("".join(words)) else ()


def _names_of_title(title: str) -> set[Words]:
    """Return the names by which texts mention a title: its folded words, and its initials. Each is
    a tuple of words."""
    words = _title_words_without_number(title)
    initials = "".join(word[0] for word in words).upper()
    names = {_folded(words)}
    if 2 <= len(words) <= 5 and initials.isalpha():
        names.add((initials,))
    return names - {()}


def _folded(words: Words) -> Words:
    """Return words in small letters, except words in capitals, which may be initials."""
    return tuple(word if word.isupper() else word.casefold() for word in words)


# --- Mentions -------------------------------------------------------------------------------------


def _words_behind_phrases(text: str) -> Iterator[PossibleMention]:
    """Yield the places behind phrases such as "our episode about"."""
    for phrase in _LED.pattern.finditer(text):
        possible = _make_possible_mention(text, phrase.start(), phrase.end(), phrase.end())
        if possible.words:
            yield possible


def _numbers_behind_episode_word(text: str) -> Iterator[PossibleMention]:
    """Yield the numbers behind "episode", with the words after each, unless another show or a
    season stands before."""
    for numbered in _NUMBERED.finditer(text):
        start, end = numbered.span()
        if not _follows_name_or_number(text, start):
            possible = _make_possible_mention(text, start, numbered.end("number"), end)
            has_name = text[end : end + 1].isupper()
            has_punctuation = bool(numbered["sign"])
            number = int(numbered["number"])
            yield possible._replace(
                number=number, has_name=has_name, has_punctuation=has_punctuation
            )


def _make_possible_mention(text: str, start: int, end: int, words_start: int) -> PossibleMention:
    """Return a possible mention without a number, with the words from `words_start` on. `end` is
    the end of the number or phrase."""
    words = list(islice(WORD.finditer(text, words_start), MAX_TITLE_WORDS))
    folded = _folded(tuple(word[0] for word in words))
    first = words[0].start() if words else words_start
    word_ends = tuple(word.end() for word in words)
    return PossibleMention(start, end, None, folded, first, word_ends, False, False)


def _follows_name_or_number(text: str, position: int) -> bool:
    """Return whether a name or a number stands before a position, as in "on Loom Hour episode 3"
    and "season 2, episode 3". The first word of a sentence is a name only if a comma ends it."""
    before = _SENTENCE_START.split(text[max(0, position - REACH) : position])[-1].split()
    if not before:
        return False
    last = before[-1]
    is_sentence_start = len(before) == 1 and not last.endswith(",")
    return not is_sentence_start and (last[0].isupper() or last[0].isdigit())


# --- The kinds of references ----------------------------------------------------------------------


def _classify_references(
    text: str, masked: str, mentions: Sequence[Mention]
) -> Iterator[ReferenceMatch]:
    """Yield the mentions, each of the kind of the words before it in its sentence or list."""
    context_start, is_list = 0, False
    for start, end in sentence_spans(masked):
        if not is_list:
            context_start = start
        for mention in mentions:
            if not start <= mention.start < end:
                continue
            kind = _kind_of_last_phrase(masked[context_start : mention.start]) or SEE_ALSO
            words = sentence_excerpt(text, (context_start, end), mention.start, mention.end)
            yield ReferenceMatch(kind, mention.slug, mention.start, words)
        line = masked[start:end].replace(BLANK_CHARACTER, "").strip()
        # In a list, which a colon begins, lines with only an address share the words before the colon.
        is_list = not line or line.endswith(":")


def _kind_of_last_phrase(before: str) -> str:
    """Return the kind of reference of the phrase that ends last in the text before a mention, or ""
    if none is near."""
    # 240 characters are REACH and the longest phrase.
    near = before.replace(BLANK_CHARACTER, "")[-240:]
    last = (0, 0, "")  # (end, -start, kind): of phrases with the same end the longest counts
    for kind, phrases in _BEFORE.items():
        for match in phrases.pattern.finditer(near):
            last = max(last, (match.end(), -match.start(), kind))
    end, _, kind = last
    return kind if len(near) - end <= REACH else ""
