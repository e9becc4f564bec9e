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

from ..identity import bare_title_and_numbers, make_slug
from ..text.addresses import BLANK_CHARACTER, blank_addresses
from ..text.sentences import WORD, sentence_spans, shorten_sentence_around_match
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
    numbers: Mapping[int, str | None]
    first_words: Mapping[str, Words]  # of titles, folded, at most one, by slug

    def find_slug_of_link(self, link_key: str, page_key: str) -> str | None:
        """Return the slug of the episode that a link leads to, or None.

        Both keys are of the one link: "episode:clouds" (`identify_link`) and "a.org/clouds" (`page_key`).
        """
        # Sites add a query that counts visitors, or eight characters behind "-".
        page_without_query = page_key.partition("?")[0]
        link_without_suffix = drop_id_suffix(link_key)
        for spelling in (page_key, page_without_query, link_key, link_without_suffix):
            if spelling in self.addresses:
                return self.addresses[spelling]
        return None

    def find_mention_of_episode(self, possible_mention: PossibleMention) -> Mention | None:
        """Return the mention of the episode that a place of a text names, or None.

        If the words behind a number are not the title of the episode with that number, they name an
        episode by its title, or an episode of another show.
        """
        if possible_mention.number is None:
            return self._mention_of_longest_title_or_none(possible_mention)
        by_number = None
        slug = self.numbers.get(possible_mention.number)
        if slug:
            by_number = Mention(possible_mention.start, possible_mention.end, slug)
            # "Episode 12: Clouds" may be our episode 12 if that is named "Clouds and Rain".
            if possible_mention.words[:1] == self.first_words[slug]:
                return by_number
        # "in episode 12 we talk"
        if not possible_mention.has_name:
            return by_number
        by_title = self._mention_of_longest_title_or_none(possible_mention)
        # "Episode 12: Clouds" is of another show if we have no "Clouds".
        if possible_mention.has_punctuation:
            return by_title
        # "episode 12 Ada Roe said"
        return by_title or by_number

    def _mention_of_longest_title_or_none(
        self, possible_mention: PossibleMention
    ) -> Mention | None:
        """Return a mention of the episode with the longest title that the words begin with, or
        None."""
        for length in range(len(possible_mention.words), 0, -1):
            if slug := self.titles.get(possible_mention.words[:length]):
                end_of_title = possible_mention.word_ends[length - 1]
                return Mention(possible_mention.words_start, end_of_title, slug)
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


def build_episode_name_lookups(targets: Sequence[ReferenceTarget]) -> EpisodeNames:
    # The slug is None if several episodes have the address, title or number.
    slug_by_address: dict[str, str | None] = {}
    slug_by_title: dict[Words, str | None] = {}
    slug_by_number: dict[int, str | None] = {}
    # In "Episode 12: Clouds" the first word tells whether our episode 12 is meant.
    first_word_by_slug: dict[str, Words] = {}
    for target in targets:
        for key in _keys_of_links(target):
            _add_unique_name(slug_by_address, key, target.slug)
        for words in _mentionable_names_of_title(target.title):
            _add_unique_name(slug_by_title, words, target.slug)
        if target.number is not None:
            _add_unique_name(slug_by_number, target.number, target.slug)
        title_words = _title_words_without_number(target.title)
        first_word_by_slug[target.slug] = _fold_except_initials(title_words[:1])
    # A slug is its episode's, even if it is the title or number of another one: "episode:12" leads to the episode
    # with the slug "12".
    for target in targets:
        slug_by_address[f"episode:{target.slug}"] = target.slug
    return EpisodeNames(
        addresses=slug_by_address,
        titles=slug_by_title,
        numbers=slug_by_number,
        first_words=first_word_by_slug,
    )


class EpisodeLinkInText(NamedTuple):
    """A link in a text that leads to an episode."""

    slug: str
    address: str
    position: int  # of the link in the text


def find_strongest_references(
    own_slug: str, text: str, links: Sequence[EpisodeLinkInText], mentions: Iterable[Mention]
) -> tuple[ReferenceMatch, ...]:
    """Return the references of a text, by slug: at most one a target, of its strongest kind, and
    never the episode itself.

    `links` are links to episodes, `mentions` are episodes named by number or title. Linear in the
    text.
    """
    all_mentions = [*mentions]
    for slug, address, position in links:
        all_mentions.append(Mention(position, position + len(address), slug))
    # By position: `start` is the first field of a mention.
    relevant = sorted(mention for mention in all_mentions if mention.slug != own_slug)
    relevant = relevant[:64]  # a limit against texts that list all episodes
    if not relevant:
        return ()
    return strongest_references(
        _iterate_references_with_kinds(text, _text_with_blanks_for_addresses(text), relevant)
    )


def find_possible_mentions(text: str) -> tuple[PossibleMention, ...]:
    masked = _text_with_blanks_for_addresses(text)
    return (*_possible_mentions_by_title(masked), *_possible_mentions_with_number(masked))


def _text_with_blanks_for_addresses(text: str) -> str:
    """Return a text of the same length without addresses and Markdown."""
    return blank_addresses(text).translate(_MARKUP_CHARACTERS)


def may_refer(text: str) -> bool:
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


def _add_unique_name(slugs: dict[NameKey, str | None], name: NameKey, slug: str) -> None:
    """Store the slug of a name, or None if another episode has the name as well."""
    is_unique = slugs.get(name, slug) == slug
    slugs[name] = slug if is_unique else None


def _keys_of_links(target: ReferenceTarget) -> set[str]:
    """Return the keys of links that lead to an episode: its pages, and addresses on the show's own
    site that end in its slug, title or number."""
    names = {target.slug, make_slug(target.title), str(target.number or "")}
    names.discard("")  # of an episode without a number
    return {*target.pages, *(f"episode:{name}" for name in names)}


def _title_words_without_number(title: str) -> Words:
    """Return the first MAX_TITLE_WORDS words of a title without its number, with their capitals:
    ("Springs", "and", "ATen") for "Episode 12: Springs and ATen". Return () if they have no letter.
    """
    plain = title.translate(_MARKUP_CHARACTERS)
    # "Episode 12: ", as texts refer to it. A title of nothing else stays.
    numbered = _NUMBERED.match(plain)
    if numbered:
        plain = plain[numbered.end() :] or plain
    # The bare title lacks other numbers in front ("S2E5 – ", "12. "), but has no capitals. So it only tells
    # how many words are numbers.
    bare_title = bare_title_and_numbers(plain, "").title
    words_with_numbers = WORD.findall(plain)
    number_count = len(words_with_numbers) - len(WORD.findall(bare_title))
    words = words_with_numbers[number_count:][:MAX_TITLE_WORDS]
    has_letter = re.search(r"[^\W\d_]", "".join(words))
    return tuple(words) if has_letter else ()


def _mentionable_names_of_title(title: str) -> set[Words]:
    """Return the names by which texts mention a title: its folded words, and its initials. Each is
    a tuple of words."""
    words = _title_words_without_number(title)
    names = {_fold_except_initials(words)}
    names.discard(())  # of a title without words
    # "AOT" for "Ahead of Time". Nobody uses the initials of longer titles.
    initials = "".join(word[0] for word in words).upper()
    if 2 <= len(words) <= 5 and initials.isalpha():
        names.add((initials,))
    return names


def _fold_except_initials(words: Words) -> Words:
    """Return words in small letters, except words in capitals, which may be initials."""
    return tuple(word if word.isupper() else word.casefold() for word in words)


# --- Mentions -------------------------------------------------------------------------------------


def _possible_mentions_by_title(text: str) -> Iterator[PossibleMention]:
    for phrase in _LED.pattern.finditer(text):
        possible = _make_possible_mention(text, phrase.start(), phrase.end(), phrase.end())
        if possible.words:
            yield possible


def _possible_mentions_with_number(text: str) -> Iterator[PossibleMention]:
    """Yield a possible mention for each number behind "episode", with the words after it, unless another
    show or a season stands before."""
    for numbered in _NUMBERED.finditer(text):
        mention_start, words_start = numbered.span()
        if _follows_name_or_number(text, mention_start):
            continue
        number_end = numbered.end("number")
        possible = _make_possible_mention(text, mention_start, number_end, words_start)
        # "episode 12: Springs": a title may begin with the capital, and the colon sets it apart.
        next_character = text[words_start : words_start + 1]  # "" at the end of the text
        yield possible._replace(
            number=int(numbered["number"]),
            has_name=next_character.isupper(),
            has_punctuation=bool(numbered["sign"]),
        )


def _make_possible_mention(text: str, start: int, end: int, words_start: int) -> PossibleMention:
    """Return a possible mention without a number, with the words from `words_start` on. `end` is
    the end of the number or phrase."""
    words = list(islice(WORD.finditer(text, words_start), MAX_TITLE_WORDS))
    return PossibleMention(
        start=start,
        end=end,
        number=None,
        words=_fold_except_initials(tuple(word[0] for word in words)),
        # Spaces and quotation marks may stand before the first word.
        words_start=words[0].start() if words else words_start,
        word_ends=tuple(word.end() for word in words),
        has_name=False,
        has_punctuation=False,
    )


def _follows_name_or_number(text: str, position: int) -> bool:
    """Return whether a name or a number stands before a position, as in "on Loom Hour episode 3"
    and "season 2, episode 3". The first word of a sentence is a name only if a comma ends it."""
    text_before = text[max(0, position - REACH) : position]
    *_, same_sentence = re.split(r"[.!?:;(\[\n]", text_before)
    words = same_sentence.split()
    if not words:
        return False
    last_word = words[-1]
    # The capital of "See episode 3" only begins the sentence, but "Serial, episode 3" is of Serial.
    begins_sentence = len(words) == 1
    if begins_sentence and not last_word.endswith(","):
        return False
    return last_word[0].isupper() or last_word[0].isdigit()


# --- The kinds of references ----------------------------------------------------------------------


def _iterate_references_with_kinds(
    text: str, text_with_blanks: str, mentions: Sequence[Mention]
) -> Iterator[ReferenceMatch]:
    """Yield a reference for each mention, of the kind of the words before it in its sentence or
    list. `text_with_blanks` is `text` with blanks in place of addresses."""
    for context_start, start, end in _iterate_sentences_with_context(text_with_blanks):
        for mention in mentions:
            if not start <= mention.start < end:
                continue
            text_before = text_with_blanks[context_start : mention.start]
            kind = _kind_of_last_phrase_or_blank(text_before) or SEE_ALSO
            evidence = shorten_sentence_around_match(
                text, (context_start, end), mention.start, mention.end
            )
            yield ReferenceMatch(kind, mention.slug, mention.start, evidence)


class _SentenceWithContext(NamedTuple):
    """A sentence at text[start:end], or a line of a list. The context of a line begins at the words above
    the list, the context of a sentence at the sentence."""

    context_start: int
    start: int
    end: int


def _iterate_sentences_with_context(text_with_blanks: str) -> Iterator[_SentenceWithContext]:
    context_start = 0
    is_in_list = False
    for start, end in sentence_spans(text_with_blanks):
        if not is_in_list:
            context_start = start
        yield _SentenceWithContext(context_start, start, end)
        words_of_line = text_with_blanks[start:end].replace(BLANK_CHARACTER, "").strip()
        begins_list = words_of_line.endswith(":")  # "Listen to these first:"
        is_address_alone = not words_of_line
        is_in_list = begins_list or (is_in_list and is_address_alone)


class _PhraseMatch(NamedTuple):
    """A phrase before a mention. The greatest one ends last. Of equal ends the longest counts."""

    end: int
    length: int
    kind: str


def _kind_of_last_phrase_or_blank(text_before: str) -> str:
    """Return the kind of reference of the phrase that ends last in the text before a mention, or ""
    if none is near."""
    max_phrase_length = 180  # characters
    text_without_addresses = text_before.replace(BLANK_CHARACTER, "")
    near_text = text_without_addresses[-(REACH + max_phrase_length) :]
    matches = []
    for kind, phrases in _BEFORE.items():  # "listen first", "stay tuned for"
        for match in phrases.pattern.finditer(near_text):
            matches.append(_PhraseMatch(match.end(), len(match[0]), kind))
    if not matches:
        return ""
    last = max(matches)  # of phrases that end together the longest: "listen first" before "first"
    distance = len(near_text) - last.end
    return last.kind if distance <= REACH else ""
