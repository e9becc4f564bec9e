"""What a reader typed into the search box, as terms, and where a text holds them; the same for both databases."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby, islice, pairwise
from typing import NamedTuple

from ..text.stems import common_beginning, same_word, stem
from .facts import Fact, facts

LONGEST_TEXT = 1_000
LONGEST_WORD = 60
MOST_TERMS = 8
MOST_RANKED = 6  # terms that decide the order
# Shorter words begin too many others.
SHORTEST_BEGINNING = 3

# As the index spells them (migration 0003): signs that are said as words, and letters that no engine takes apart.
SPELLED = (
    ("+", " plus "), ("C#", "c sharp "), ("c#", "c sharp "), ("F#", "f sharp "), ("f#", "f sharp "),
    ("ß", "ss"), ("ẞ", "ss"), ("æ", "ae"), ("Æ", "ae"), ("œ", "oe"), ("Œ", "oe"), ("ø", "o"), ("Ø", "o"),
    ("đ", "d"), ("Đ", "d"), ("ł", "l"), ("Ł", "l"), ("ı", "i"),
)  # fmt: skip
# Before and after each title in the index.
EDGE = "ꙮ"
ACCENTED = re.compile("([A-Za-z])[\u0300-\u036f]+")
QUOTED = re.compile(r'"([^"]*)"|(\S+)')
QUOTES = str.maketrans(dict.fromkeys("“”„«»‟", '"'))
ADDRESS = re.compile(r"https?://(?:www\.|github\.com/|youtu\.be/)?", re.IGNORECASE)
WORD = re.compile(r"\+|(?<=[cCfF])#|[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*")

# Not asked for where a query has other words: "how does vmap work" is about vmap.
STOP_WORDS = frozenset(
    "a an and are as at be but by can did do does for from had has have how i if in into is it its of on or our should so "
    "than that the their then there these they this those to us was we were what when where which who why will with "
    "work works would you your about am my me any some up get gets between difference versus vs many too very much without "
    "while like other each really want need needs use using".split()
)


@dataclass(frozen=True)
class Term:
    """A word, a name of code or a quoted phrase: its pieces in a row, spelled in one or two ways. Or a fact in words."""

    typed: str
    spellings: tuple[tuple[str, ...], ...]
    quoted: bool = False
    fact: Fact | None = None

    @property
    def is_plain(self) -> bool:
        """True if it is one word without signs."""
        return not self.quoted and self.fact is None and all(len(pieces) == 1 for pieces in self.spellings)


@dataclass(frozen=True)
class Query:
    """A query: what must be held, and words that two neighbours make when written together."""

    typed: str
    terms: tuple[Term, ...]
    joined: tuple[tuple[str, ...], ...] = ()
    pieces: tuple[str, ...] = ()
    cut: bool = False  # it has more terms than these

    @property
    def holds_words(self) -> bool:
        return bool(self.terms)

    @property
    def words(self) -> list[int]:
        """The numbers of the terms that are no facts."""
        return [number for number, term in enumerate(self.terms) if not term.fact]


class Span(NamedTuple):
    """A place in a text that holds the term of this number."""

    start: int
    end: int
    term: int


@lru_cache(maxsize=1_024)
def parse_query(text: str) -> Query:
    """What is asked for; whatever the text holds, it is taken as words."""
    typed = " ".join(chain.from_iterable(map(_without_plus, clean(text)[:LONGEST_TEXT].split())))
    whole = list(_terms_and_facts(typed))
    named = [term for term in whole if not (term.is_plain and term.spellings[0][0] in STOP_WORDS)]
    given = tuple(dict.fromkeys(named or whole))
    terms = given[:MOST_TERMS]
    return Query(typed, terms, _joined(whole, terms), pieces_of(plain(typed)), len(given) > MOST_TERMS)


def _without_plus(word: str) -> list[str]:
    """`+memory` and `memory+layout` as other search engines take them; the signs of `C++` and `3+` belong to the word."""
    return [word] if "++" in word or word.endswith("+") else list(filter(None, word.split("+")))


def clean(text: str) -> str:
    """Without what no database takes: halves of characters and the character 0."""
    return "".join(" " if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text).replace(EDGE, " ")


def plain(text: str) -> str:
    """In lower case and without accents on Latin letters, as words stand in the index."""
    if not text.isascii():
        text = ACCENTED.sub(r"\1", unicodedata.normalize("NFD", text))
        text = unicodedata.normalize("NFC", text)
    for sign, word in SPELLED:
        if sign in text:
            text = text.replace(sign, word)
    text = text.lower()
    return text if text.isascii() else ACCENTED.sub(r"\1", text)


def words_in(text: str) -> list[tuple[str, int, int]]:
    """The words of a text as the index spells them, each with its beginning and end."""
    return [(_indexed(m[0]), m.start(), m.end()) for m in WORD.finditer(text)]


def _indexed(word: str) -> str:
    if word.isascii():
        return word.lower() if word.isalnum() else "sharp" if word == "#" else plain(word).strip()
    return plain(word).strip()


def spans(text: str, query: Query) -> list[Span]:
    """The places in a text that hold terms, in order and apart from each other."""
    found = sorted(_found(text, query))
    apart: list[Span] = []
    for span in found:
        if not apart or span.start >= apart[-1].end:
            apart.append(span)
        elif span.end > apart[-1].end:
            apart[-1] = Span(apart[-1].start, span.end, apart[-1].term)
    return [_with_underscores(text, span, query.terms[span.term]) for span in apart]


def terms_in(text: str, query: Query) -> set[int]:
    """The numbers of the terms that a text holds; reads no further than to the last of them."""
    held: set[int] = set()
    for span in _found(text, query):
        held.add(span.term)
        if len(held) == len(query.terms):
            break
    return held


def _terms_and_facts(typed: str) -> Iterator[Term]:
    done = 0
    for start, end, fact in [] if '"' in typed else facts(typed):
        yield from _terms(typed[done:start])
        yield Term(typed[start:end], () if fact.only else (pieces_of(plain(typed[start:end])),), fact=fact)
        done = end
    yield from _terms(typed[done:])


def _terms(typed: str) -> Iterator[Term]:
    for found in QUOTED.finditer(typed.translate(QUOTES)):
        phrase, word = found.groups()
        given = ADDRESS.sub("", (word or phrase or "").strip('"'))
        both = (pieces_of(plain(given)), pieces_of(plain(unicodedata.normalize("NFKC", given))))
        if any(both):
            yield Term(given, tuple(dict.fromkeys(pieces for pieces in both if pieces)), phrase is not None)


def pieces_of(text: str) -> tuple[str, ...]:
    """Runs of letters and digits with the marks on them."""
    runs = groupby(text, key=lambda c: c.isalnum() or unicodedata.category(c).startswith("M"))
    words = ("".join(run)[:LONGEST_WORD] for is_word, run in runs if is_word)
    return tuple(word for word in words if any(map(str.isalnum, word)))


def _joined(whole: list[Term], terms: tuple[Term, ...]) -> tuple[tuple[str, ...], ...]:
    """For each term what it makes with the word before or after it: `tensor accessor` is `TensorAccessor`."""
    found: dict[Term, list[str]] = {}
    for first, second in pairwise(whole):
        if first.is_plain and second.is_plain:
            word = first.spellings[-1][0] + second.spellings[-1][0]
            for term in (first, second):
                found.setdefault(term, []).append(word[:LONGEST_WORD])
    return tuple(tuple(dict.fromkeys(found.get(term, ()))) for term in terms)


def _at(words: list[tuple[str, int, int]], place: int, query: Query) -> Iterator[Span]:
    word, start, end = words[place]
    for number, term in enumerate(query.terms):
        if word in query.joined[number]:
            yield Span(start, end, number)
        for pieces in term.spellings:
            held = words[place : place + len(pieces)]
            if (
                len(held) == len(pieces)
                and all(there == piece for (there, *_), piece in zip(held[:-1], pieces[:-1], strict=True))
                and _is_held(held[-1][0], pieces[-1], term, len(pieces))
            ):
                yield Span(start, held[-1][2], number)


def _found(text: str, query: Query) -> Iterator[Span]:
    """The places in a text that hold terms; they may overlap."""
    begins = _beginnings(query)
    if not begins:
        return
    most = max(len(pieces) for term in query.terms for pieces in term.spellings)
    words = (_words_beginning if is_plain(text, begins) else _all_words)(text, begins, most)
    for following in words:
        yield from (span for span in _at(following, 0, query) if span.end > span.start)


def is_plain(text: str, begins: tuple[str, ...]) -> bool:
    """True if every word that begins so stands in the text as in the index: no other letters, no signs said as words."""
    signs = any(sign.startswith(begins) for sign in ("plus", "sharp"))
    if signs or text.isascii():
        return not signs
    return not any(c > "\x7f" and (c.isalnum() or "\u0300" <= c <= "\u036f") for c in set(text))


def _words_beginning(text: str, begins: tuple[str, ...], most: int) -> Iterator[list[tuple[str, int, int]]]:
    """Each word that begins with one of these, as the first of so many in a row; no other word is read."""
    for found in _starts(begins).finditer(text):
        yield [(_indexed(m[0]), m.start(), m.end()) for m in islice(WORD.finditer(text, found.start()), most)]


def _all_words(text: str, begins: tuple[str, ...], most: int) -> Iterator[list[tuple[str, int, int]]]:
    """The same by reading every word."""
    words = words_in(text)
    for place, (word, *_) in enumerate(words):
        if word.startswith(begins):
            yield words[place : place + most]


@lru_cache(maxsize=1_024)
def _starts(begins: tuple[str, ...]) -> re.Pattern[str]:
    """Where a word begins with one of these."""
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, begins))})", re.IGNORECASE)


@lru_cache(maxsize=1_024)
def _beginnings(query: Query) -> tuple[str, ...]:
    """What a word begins with that a term begins with: most words of a text need no closer look."""
    found = {word for joined in query.joined for word in joined}
    for term in query.terms:
        for first, *_ in term.spellings:
            found |= {first, common_beginning(stem(first)) or first}
    return tuple(sorted(found))


def _is_held(word: str, piece: str, term: Term, pieces: int) -> bool:
    if word == piece:
        return True
    if term.quoted:
        return False
    return (len(piece) >= SHORTEST_BEGINNING and word.startswith(piece)) or (pieces == 1 and same_word(word, piece))


def _with_underscores(text: str, span: Span, term: Term) -> Span:
    start, end, number = span
    while "_" in term.typed and start and text[start - 1] == "_":
        start -= 1
    while "_" in term.typed and end < len(text) and text[end] == "_":
        end += 1
    return Span(start, end, number)
