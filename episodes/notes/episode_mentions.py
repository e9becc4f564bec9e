"""Tells where prose names an episode by title or number, and not just the thing that has the same name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..text.sentences import WORD
from ..text.vocabulary import Phrases
from . import reference_phrases as phrases
from .episode_names import TITLE, EpisodeName, NamesAtHand, word_key

MOST_BEFORE, MOST_AFTER = 240, 500  # characters around a mention in which phrases are looked for
LONG_TITLE = 5  # words: such a title, as it is written, needs no words around it

_INTRODUCED = re.compile(r"[^\W\d_]|[\"“'‘«„]\Z")  # by any word, or an opening quotation mark
_JOINT = re.compile(
    rf"{phrases.CLOSES}\s*(?:,?\s*\b(?:and|or|to|as well as)\b|[,&/])\s*(?:(?:to|of|on|in) )?{phrases.OPENS}",
    re.IGNORECASE,
)
_GAP = re.compile(r"(?!.{0,4}[.?!;]\s)[\s\-./:,'\"“”‘’()–—|]{0,5}")
_NEXT_WORD = re.compile(rf"[\s']*\s'?({WORD.pattern})")
_GOES_ON = re.compile(r"[-%]|[.:,]\d")  # "vmap-like", "34%", "2.0"
_QUOTES = "\"“'‘«(["


class Mention(NamedTuple):
    """An episode at a place of a text, by a name or by an address."""

    start: int
    end: int
    slug: str
    name: EpisodeName = EpisodeName("", (), "address")


class Context(NamedTuple):
    """Mentions that share the words on both sides, in a sentence that is [start:end] of the text."""

    start: int
    end: int
    run: Sequence[Mention]
    before: str
    after: str


@dataclass(frozen=True)
class EpisodeMentions:
    """The names of episodes in a text whose addresses and markup are blanked out."""

    text: str
    known: NamesAtHand
    own: str
    show: str

    def context(self, start: int, end: int, run: Sequence[Mention]) -> Context:
        first, last = run[0].start, run[-1].end
        before = self.text[max(start, first - MOST_BEFORE) : first]
        return Context(start, end, run, before, self.text[last : min(end, last + MOST_AFTER)])

    def named(self, start: int, end: int, is_list: bool) -> Iterator[Context]:
        """The enumerations of titles and numbers in a sentence that name episodes; `is_list` for one below a lead."""
        for run in self._runs(start, end):
            context = self.context(start, end, run)
            meant = [mention for mention in run if self._is_meant(mention, context, is_list)]
            if meant:
                yield context._replace(run=meant)

    # --- Names that occur ---

    def _runs(self, start: int, end: int) -> Iterator[list[Mention]]:
        run: list[Mention] = []
        for mention in self._mentions(start, end):
            if run and not _JOINT.fullmatch(self.text, run[-1].end, mention.start):
                yield run
                run = []
            run.append(mention)
        yield from [run] if run else []

    def _mentions(self, start: int, end: int) -> Iterator[Mention]:
        """The longest name at each place; one that two episodes share names neither, nor does a shorter one."""
        words = [(word_key(word[0]), word.start(), word.end()) for word in WORD.finditer(self.text, start, end)]
        place = 0
        while place < len(words):
            last, name = self._longest(words, place)
            if name and self._ends(words[last][2], end):
                yield Mention(words[place][1], words[last][2], name.slug, name)
            place = last + 1 if name else place + 1

    def _longest(self, words: Sequence[tuple[str, int, int]], place: int) -> tuple[int, EpisodeName | None]:
        best: tuple[int, EpisodeName | None] = (place, None)
        keys: tuple[str, ...] = ()
        for ahead in range(place, len(words)):
            keys = (*keys, words[ahead][0])
            is_apart = ahead > place and not _GAP.fullmatch(self.text, words[ahead - 1][2], words[ahead][1])
            if is_apart or keys not in self.known.beginnings:
                break
            best = (ahead, self.known.names[keys]) if keys in self.known.names else best
        return best

    def _ends(self, place: int, end: int) -> bool:
        """True where the name ends where the title does: "the episode on vmap rules" is not the one on vmap."""
        following = _NEXT_WORD.match(self.text, place, min(end, place + 40))
        if following:
            return _plain(following[1]) in phrases.GOES_ON
        return _GOES_ON.match(self.text, place, end) is None

    # --- Names that mean the episode ---

    def _is_meant(self, mention: Mention, context: Context, is_list: bool) -> bool:
        if mention.slug == self.own or self._is_foreign(phrases.OF_ANOTHER, context.after):
            return False
        level = self._level(mention)
        if any(self._is_led(lead, context.before) for lead in phrases.LEADS.get(level, ())):
            return True
        is_title = mention.name.how == TITLE
        return is_title and (self._is_followed(context) or self._is_enough(mention, level, context, is_list))

    def _level(self, mention: Mention) -> str:
        """How a name is written: as the title is or in other letters, and whether that takes several words."""
        how, words = mention.name.how, mention.name.words
        written = WORD.findall(self.text, mention.start, mention.end)
        is_exact = all(word in (own, own[:1].upper() + own[1:]) for word, own in zip(written, words, strict=False))
        return f"exact {how}{' several' * (len(words) > 1)}" if is_exact else how

    def _is_led(self, lead: Phrases, before: str) -> bool:
        found = lead.search(before)
        return found is not None and self._is_ours(before[: found.start()])

    def _is_followed(self, context: Context) -> bool:
        """True for "the vmap episode" and "… in an earlier episode"."""
        if noun := phrases.EPISODE_BEHIND.match(context.after):
            is_ours = self._is_ours(context.before.rstrip(_QUOTES))
            return is_ours and not self._is_foreign(phrases.OF_ANOTHER, context.after[noun.end() - 1 :])
        is_told = phrases.SUBJECT.search(context.before) and phrases.IN_ANOTHER.match(context.after)
        return bool(is_told) and not phrases.DENIED.search(context.before)

    def _is_enough(self, mention: Mention, level: str, context: Context, is_list: bool) -> bool:
        """True for a title that needs no other words: alone in its line below a lead, a long one, another part."""
        count, is_exact = len(mention.name.words), level.startswith("exact")
        if is_list and count > 1 and not any(map(str.isalpha, context.before + context.after)):
            return True
        is_long = count >= LONG_TITLE and _INTRODUCED.search(context.before) is not None
        return is_exact and (is_long or bool(self.known.by_part(self.own, mention.slug)))

    def _is_ours(self, before: str) -> bool:
        """True where an episode with these words before it is another one, and of this show."""
        is_none = phrases.SELF.search(before) or phrases.DENIED.search(before)
        return not is_none and not self._is_foreign(phrases.OTHER_SHOW, before)

    def _is_foreign(self, pattern: re.Pattern[str], text: str) -> bool:
        """True where a show is named that is not this one: "the Lex Fridman", but not "the Widget Show" of ours."""
        for found in pattern.finditer(text):
            words = map(_plain, WORD.findall(" ".join(found.groups(""))))
            names = [word for word in words if word not in phrases.PLAIN]
            if names and names[0] not in self._own_words:
                return True
        return False

    @property
    def _own_words(self) -> frozenset[str]:
        return self.known.first_words | {word_key(word) for word in WORD.findall(self.show)}


def _plain(word: str) -> str:
    """The word without what an apostrophe parts from it: "I'll", "Lattner's"."""
    return word_key(word.replace("’", "'").partition("'")[0])
