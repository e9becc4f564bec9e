"""Words and short phrases that some episodes of a show share and that could name a topic; pure.

Words are read only in languages that `data/topic_proposals.toml` has common words of: in any other language, and in
scripts that put no space between words, nothing tells a word from a subject.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from ..text.normalize import fold
from ..text.sentences import WORD, sentences
from ..text.vocabulary import Phrases, load, word_set
from .related import singular

LONGEST_PHRASE = 3  # words
SPONSORS = 4  # lines below a heading that speaks of sponsors
TIES = (" ", "-", ".")  # that may be between the words of a phrase
POSSESSIVE = ("'s", "’s")
DOTTED = (".", " .")  # before ".NET"
HANDLES = ("@", "#")  # before a name that is none
KNOWN_LANGUAGE = 0.15  # the share of words on its list from which a show is in a language
PROPER = 0.7  # the share of mentions with a capital from which a word is a name
PROSE = 5  # words from which a repeated sentence is boilerplate; shorter ones are lines of a list
HEADLINE = 0.6  # the share of words with a capital from which a line is set like a title
OFTEN = 0.1  # the share of the episodes from which a repeated line of a list is boilerplate
MANY = 8  # episodes in which a phrase in lower case needs no title
TITLES = 2  # that a common noun is in; a name of something, or a phrase, needs none

_DATA = load(__file__, "topic_proposals")
_COMMON = {language: word_set(fold(listed)) for language, listed in _DATA["common"].items()}
BOILERPLATE = word_set(fold(_DATA["boilerplate"])) | word_set(fold(_DATA["when"]))
_NEVER = BOILERPLATE | word_set(fold(_DATA["function"]))
GIVEN_NAMES = word_set(_DATA["people"]["given"])
_GIVEN = {name.capitalize() for name in GIVEN_NAMES}
_CAPITAL_NOUNS = frozenset(_DATA["capital_nouns"])
_SPONSORED = Phrases(_DATA["sponsored"])
_NUMBERED = ("", "s", "ep", "se", "sep")  # letters of "12", "S2", "Ep3", "S01E02"
_DIGITS = str.maketrans("", "", "0123456789")


@dataclass(slots=True)
class SharedWords:
    """A word or phrase by its key, with the forms in which it is written and the episodes that have it."""

    length: int = 1  # words
    episodes: set[int] = field(default_factory=set)
    titles: set[int] = field(default_factory=set)
    forms: Counter[str] = field(default_factory=Counter)
    names: int = 0  # mentions inside a sentence that have a capital
    inside: int = 0  # all mentions inside a sentence

    @property
    def is_name(self) -> bool:
        return self.names >= 2 and self.names >= PROPER * self.inside

    @property
    def score(self) -> float:
        """The more episodes the better; titles count most, phrases and names of things more than single nouns."""
        weight = 1 + 2 * len(self.titles) / len(self.episodes) + 0.5 * (self.length > 1) + 0.5 * self.is_name
        return weight * math.sqrt(len(self.episodes))


def topic_key(words: str) -> str:
    """Equal for "LLM" and "LLMs", for "web development" and "Web-Development"."""
    found = WORD.findall(words)
    return "".join([*map(fold, found[:-1]), *map(one_of, found[-1:])])


def one_of(written: str) -> str:
    """A word, folded, in what its singular and its plural have in common: "APIs" and "API", "movies" and "movie"."""
    written = written[:-1] if written.endswith("s") and written[:-1].isupper() else written
    one = singular(fold(written))
    return f"{one[:-2]}y" if one.endswith("ie") else one


def languages_of(texts: Sequence[str]) -> frozenset[str]:
    """The languages with a list in which the texts are written; empty for any other."""
    counted: Counter[str] = Counter()
    for word, count in Counter(chain.from_iterable(map(WORD.findall, texts))).items():
        counted[fold(word)] += count
    total = sum(counted.values()) or 1
    shares = {name: sum(counted[word] for word in listed) / total for name, listed in _COMMON.items()}
    return frozenset(name for name, share in shares.items() if share >= KNOWN_LANGUAGE)


def shared_words(titles: Sequence[str], texts: Sequence[str], people: Collection[str]) -> dict[str, SharedWords]:
    """The words and phrases of each episode's title and notes, by key. `people` are names, folded."""
    spoken = languages_of([*titles, *texts])
    if not spoken:
        return {}
    told = [list(_lines(text)) for text in texts]
    repeated = _repeated(told)
    reader = _Phrasebook(spoken, people)
    for line in chain(titles, *told):
        reader.learn_people(line)
    for place, (title, lines) in enumerate(zip(titles, told, strict=True)):
        reader.read(place, title, is_title=True)
        for line in lines:
            if _unnumbered(line) not in repeated:
                reader.read(place, line)
    return {key: one for key, one in reader.found.items() if reader.may_name(one)}


def _lines(text: str) -> Iterator[str]:
    """The sentences and lines but those that somebody paid for, and the first few below "Sponsors:"."""
    skipped = 0
    for start, end in sentences(text):
        if _SPONSORED.search(text, start, end):
            skipped = SPONSORS if text[end - 1] == ":" else 0
        elif skipped:
            skipped -= 1
        else:
            yield text[start:end]


def _unnumbered(line: str) -> str:
    return fold(line).translate(_DIGITS)


def _repeated(told: Sequence[Sequence[str]]) -> set[str]:
    """Sentences of three episodes, and lines of many: what a show says every time."""
    counted = Counter(line for lines in told for line in {_unnumbered(line) for line in lines})
    often = max(2, OFTEN * len(told))
    return {line for line, count in counted.items() if count > (2 if line.count(" ") >= PROSE else often)}


@dataclass(frozen=True, slots=True)
class _Word:
    """A word as it is written; one that `tells` may name something alone, one that `may_join` only beside another."""

    key: str
    one: str  # the key in the singular, as the last word of a phrase
    is_capital: bool
    may_join: bool
    tells: bool


Token = tuple[_Word, int, int]  # with its place in a line


class _Phrasebook:
    """Collects the words of lines, but those that are common, boilerplate or people's."""

    def __init__(self, spoken: Collection[str], people: Collection[str]) -> None:
        self.common = _COMMON["en"].union(*(_COMMON[name] for name in spoken))
        self.nouns_have_capitals = bool(_CAPITAL_NOUNS & set(spoken))
        self.people = set(people)
        self.words: dict[str, _Word] = {}
        self.found: dict[str, SharedWords] = defaultdict(SharedWords)

    def may_name(self, one: SharedWords) -> bool:
        if one.length > 1:
            return one.is_name or bool(one.titles) or len(one.episodes) >= MANY
        signs = (one.is_name, len(one.titles) >= TITLES)
        return all(signs) if self.nouns_have_capitals else any(signs)

    def read(self, place: int, line: str, *, is_title: bool = False) -> None:
        tokens = list(self._tokens(line))
        # Where most words have a capital, and at the beginning of a sentence, one says nothing.
        is_headline = is_title or sum(word.is_capital for word, *_ in tokens) > HEADLINE * len(tokens)
        first = next((start for _, start, _ in tokens), 0)
        inside = range(0) if is_headline else range(first + 1, len(line))
        for phrase in chain.from_iterable(map(_phrases, self._runs(line, tokens, inside))):
            start, end = phrase[0][1], phrase[-1][2]
            one = self.found["".join([*(word.key for word, *_ in phrase[:-1]), phrase[-1][0].one])]
            one.length = len(phrase)
            one.episodes.add(place)
            one.forms[line[start:end]] += 1
            one.titles.update([place] * is_title)
            one.inside += start in inside
            one.names += start in inside and phrase[0][0].is_capital

    def _tokens(self, line: str) -> Iterator[Token]:
        for found in WORD.finditer(line):
            start = found.start()
            written = found[0][:-2] if found[0].endswith(POSSESSIVE) else found[0]
            start -= line[max(0, start - 2) : start] in DOTTED
            if not line.startswith(HANDLES, max(0, start - 1)):
                yield self._word(written), start, found.start() + len(written)

    def learn_people(self, line: str) -> None:
        """Take the word after a given name for a family's."""
        named = (pair for pair in pairwise(WORD.findall(line)) if pair[0] in _GIVEN)
        self.people.update(fold(family) for _, family in named if family[0].isupper())

    def _runs(self, line: str, tokens: Sequence[Token], inside: range) -> Iterator[list[Token]]:
        """Words that may be in one phrase: they follow each other with nothing but a space or hyphen between them.
        A common word is in a name where it has a capital, as in "Touch Bar", or a full stop before it, as in "Node.js"."""
        run: list[Token] = []
        for word, start, end in tokens:
            tie = line[run[-1][2] : start] if run else ""
            joins = word.tells or tie == "." or (word.may_join and start in inside)
            if not (joins and tie in TIES):
                yield run
                run = []
            run += [(word, start, end)] * joins
        yield run

    def _word(self, written: str) -> _Word:
        if written not in self.words:
            self.words[written] = self._known(written)
        return self.words[written]

    def _known(self, written: str) -> _Word:
        key = fold(written)
        forms = {key, singular(key), one_of(written)}
        is_long = len(key) > (1 if written.isupper() else 2)
        is_person = written in _GIVEN or key in self.people
        is_number = key.translate(_DIGITS) in _NUMBERED
        joins = is_long and not (is_person or is_number or forms & _NEVER)
        is_capital = any(map(str.isupper, written))
        return _Word(key, one_of(written), is_capital, joins and is_capital, joins and not forms & self.common)


def _phrases(run: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The words that tell something, alone and with those around them."""
    for start in range(len(run)):
        for end in range(start + 1, min(start + LONGEST_PHRASE, len(run)) + 1):
            if any(word.tells for word, *_ in run[start:end]):
                yield run[start:end]
