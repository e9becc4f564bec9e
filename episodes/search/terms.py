"""The terms of what a reader typed into the search box, the facts among them (a number, a year or
month, a length), and their places in a text; the same for both databases."""

import calendar
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, islice, pairwise
from typing import NamedTuple

from ..models import MOST_TERMS
from ..text.formatting import isolated
from ..text.numbering import BOTH, numbers_in
from ..text.search_letters import (
    UNSPACED_LETTER,
    fold_for_search,
    fold_with_places,
    folded_word,
    folded_word_start,
)
from ..text.word_forms import common_beginning, same_word, stem

MONTHS = [name.lower() for name in calendar.month_abbr]
ONE_MONTH = "|".join([*calendar.month_name[1:], "Sept", *calendar.month_abbr[1:]])
# How a length, and a year, is compared, by the words before it.
LIMITS = {
    **dict.fromkeys(("under", "below", "less than", "shorter than"), "lt"),
    **dict.fromkeys(("at most", "no more than", "up to"), "lte"),
    **dict.fromkeys(("over", "above", "more than", "longer than"), "gt"),
    **dict.fromkeys(("at least", "no less than"), "gte"),
}
LIMIT = "|".join([*LIMITS, "about", "around", "roughly"]).replace(" ", r"\ ")
SIDES = {"before": "lt", "until": "lte", "since": "gte", "after": "gt"}
# "2021", "before 2021", "March 2021", "2021-03"; "under 15 minutes", "10-15 min", "1 hour"
FACT = re.compile(
    rf"""(?<!\S)(?:
        (?:(?P<side>{"|".join(SIDES)})\s{{1,9}}(?=\d{{4}}(?!\S))|(?P<name>{ONE_MONTH})[.,]?\s{{1,9}})?
            (?P<year>(?:19|20)\d\d)(?:-(?P<month>0[1-9]|1[0-2]))?
        |(?:(?P<limit>{LIMIT})\s{{1,9}}
            |(?P<least>\d{{1,3}})\s{{0,9}}(?:-|–|\s{{1,9}}to\s{{1,9}})\s{{0,9}})?
        (?P<most>\d{{1,3}})[\s-]?(?:m(?:in|ins|inutes?)?|(?P<hours>h(?:r|rs|ours?)?))\.?
    )(?!\S)""",
    re.IGNORECASE | re.VERBOSE,
)
NUMBER = re.compile(r"(?:episode|ep\.?|number|no\.)?\s{0,9}#?\s{0,9}(\d{1,5})", re.IGNORECASE)


@dataclass(frozen=True)
class Fact:
    """A property that an episode must have, in words and as lookups of its fields; `only` where no
    text says the same."""

    words: str
    lookups: tuple[tuple[str, int], ...]
    only: bool = False


def facts(typed: str) -> list[tuple[int, int, Fact]]:
    """The facts that a query asks for, each with its place in it. A number is one where the query
    says nothing else."""
    if both := BOTH.fullmatch(typed):
        season, number = numbers_in(both)
        words = f"season {season}, episode {number}"
        return [(0, len(typed), Fact(words, (("season", season), ("number", number))))]
    found = [
        (*one.span(), _length(one) if one["most"] else _date(one)) for one in FACT.finditer(typed)
    ]
    alone = NUMBER.fullmatch(typed)
    if found or not alone:
        return found
    number = int(alone[1])
    return [(0, len(typed), Fact(f"episode {number}", (("number", number),)))]


def _date(found: re.Match[str]) -> Fact:
    said = found.groupdict("")
    year, side, name = int(said["year"]), said["side"].lower(), said["name"]
    if side:
        return Fact(f"published {side} {year}", ((f"published_at__year__{SIDES[side]}", year),))
    month = int(found["month"] or MONTHS.index(name[:3].lower()))
    in_month = (("published_at__month", month),) * bool(month)
    words = f"published in {calendar.month_name[month]} {year}".replace("  ", " ")
    return Fact(words, (("published_at__year", year), *in_month))


def _length(found: re.Match[str]) -> Fact:
    """A number alone, or "about", takes what is a tenth longer or shorter, too."""
    unit = 3600 if found["hours"] else 60
    seconds = int(found["most"]) * unit
    limit = " ".join(found.groupdict("")["limit"].lower().split())
    limits, words = {"gte": seconds * 9 // 10, "lte": seconds * 11 // 10}, limit or "about"
    if limit in LIMITS:
        limits = {LIMITS[limit]: seconds}
    if found["least"]:
        least = int(found["least"]) * unit
        limits, words = {"gte": least, "lte": seconds}, f"{least // 60} to"
    lookups = tuple((f"duration_seconds__{name}", value) for name, value in limits.items())
    # A text may say "15 minutes" too.
    return Fact(f"{words} {seconds // 60} min", lookups, only=bool(limit or found["least"]))


LONGEST_TEXT = 1_000
LONGEST_WORD = 60
MOST_RANKED = 6  # terms that decide the order
MOST_NAMES = 12
BRACKETS = re.compile("[()]")
SHORTEST_BEGINNING = 3  # letters: shorter words begin too many others

# Before and after each title in the index.
EDGE = "ꙮ"
QUOTED = re.compile(r'(near:\s*(?="))?(?:"([^"]*)"|(\S+))', re.IGNORECASE)
MOST_BETWEEN = 10  # words between two that are near each other
# Characters that no database takes (halves of characters, the character 0), and the edge of a title.
UNUSABLE = re.compile(f"[\0\ud800-\udfff{EDGE}]")
QUOTES = str.maketrans(dict.fromkeys("“”„«»‟", '"'))
ADDRESS = re.compile(r"https?://(?:www\.|github\.com/|youtu\.be/)?", re.IGNORECASE)
QUOTIENT = re.compile("[0-9]+[/⁄][0-9]+")
# `gpt4` is found where "GPT-4" is written, and the other way round.
NUMBERED = re.compile(r"(?<![^\W_])([^\W\d_]{2,})([0-9]+)(?![^\W_])")
# Japanese writes endings and particles in hiragana, which so part its words.
HIRAGANA = re.compile(r"[\u3041-\u3096\u309d-\u309f、。！？]+")
# Not asked for where a query has other words: "how does vmap work" is about vmap.
STOP_WORDS = frozenset(
    "a an and are as at be but by can did do does for from had has have how i if in into is it its of on or our should so "
    "than that the their then there these they this those to us was we were what when where which who why will with "
    "work works would you your about am my me any some up get gets between difference versus vs many too very much without "
    "while like other each really want need needs use using".split()
)


@dataclass(frozen=True)
class Term:
    """A word, a name of code or a quoted phrase: its pieces in a row. Or a fact in words, without
    any where no text says the same.

    Where it is `near`, its pieces are two words that have to be near each other.
    """

    typed: str
    pieces: tuple[str, ...]
    quoted: bool = False
    fact: Fact | None = None
    near: bool = False
    written: tuple[str, ...] = ()  # its pieces if no number in it is parted from its word: "gpt4.5"
    joined: tuple[str, ...] = ()  # words that it makes with the word before or after it

    @property
    def understood(self) -> str:
        """The reading of a fact or of words near each other, to be shown; "" for other words."""
        if self.near:
            one, other = map(isolated, self.pieces)
            return f"“{one}” and “{other}” with at most {MOST_BETWEEN} words between them"
        return self.fact.words if self.fact else ""

    @property
    def is_plain(self) -> bool:
        """True if it is one word without signs."""
        return len(self.pieces) == 1 and not (self.quoted or self.fact)

    @cached_property
    def letters_inside(self) -> str:
        """Letters that may stand anywhere in a run of letters; "" if it is found by its words alone."""
        folded = fold_for_search(self.typed).strip()
        is_phrase = self.quoted or self.near
        return folded if UNSPACED_LETTER.search(folded) and not is_phrase else ""

    @cached_property
    def made(self) -> tuple[str, ...]:
        """The words that its pieces make, unless they have to stay apart: `gpt4` of `GPT-4`,
        `tensoraccessor` of `tensor accessor`."""
        is_quotient = QUOTIENT.fullmatch(fold_for_search(self.typed))  # "1/2" is not 12
        is_apart = len(self.pieces) < 2 or self.quoted or self.fact or is_quotient
        return self.joined if is_apart else ("".join(self.pieces)[:LONGEST_WORD],)

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """Letters with which each place that holds it begins."""
        first = (common_beginning(stem(piece)) or piece for piece in self.pieces[:1])
        return (*first, *self.made)


@dataclass(frozen=True)
class Query:
    """A query: the terms that must all be held, and its words as the index has them."""

    typed: str
    terms: tuple[Term, ...]
    pieces: tuple[str, ...] = ()
    cut: bool = False  # it has more terms than these

    @cached_property
    def sayable(self) -> frozenset[int]:
        """The numbers of the terms that can be said: a fact need not be."""
        return frozenset(number for number, term in enumerate(self.terms) if not term.fact)


class Span(NamedTuple):
    """A place in a text that holds the term of this number."""

    start: int
    end: int
    term: int


@lru_cache(maxsize=64)  # a page asks for its query once for each text that it marks
def parse_query(text: str) -> Query:
    """The query of a text; whatever the text holds, it is taken as words."""
    typed = " ".join(UNUSABLE.sub(" ", text)[:LONGEST_TEXT].split())
    whole = list(_terms_and_facts(typed))
    asked = [term for term in whole if not (term.is_plain and term.pieces[0] in STOP_WORDS)]
    joined = defaultdict(list)
    for first, second in pairwise(whole):
        if first.is_plain and second.is_plain:
            word = (first.pieces[0] + second.pieces[0])[:LONGEST_WORD]
            joined[first].append(word)
            joined[second].append(word)
    given = dict.fromkeys(asked or whole)
    terms = tuple(replace(term, joined=tuple(joined[term])) for term in given)
    return Query(
        typed, terms[:MOST_TERMS], pieces_of(fold_for_search(typed)), len(terms) > MOST_TERMS
    )


def named_query(names: Iterable[str]) -> Query:
    """The query for any of these names, such as those of a topic; what stands in brackets is a name
    of its own."""
    parts = chain.from_iterable(BRACKETS.split(name) for name in names)
    pieces = dict.fromkeys(filter(None, (pieces_of(fold_for_search(part)) for part in parts)))
    return Query("", tuple(Term(" ".join(name), name) for name in pieces)[:MOST_NAMES])


def words_in(text: str) -> list[tuple[str, int, int]]:
    """The words of a text as the index spells them, each with its beginning and end in the text."""
    folded = fold_with_places(text)
    words = folded_word().finditer(folded.text)
    return [(word[0], *folded.source_span(*word.span())) for word in words]


def spans(text: str, query: Query) -> list[Span]:
    """The places in a text that hold terms, in order and apart from each other."""
    apart: list[Span] = []
    for span in sorted(found_in(text, query), key=lambda span: (span.start, -span.end)):
        if not apart or span.start >= apart[-1].end:
            apart.append(span)
    return apart


def terms_in(text: str, query: Query) -> set[int]:
    """The numbers of the terms that a text holds."""
    return {span.term for span in found_in(text, query)}


def _terms_and_facts(typed: str) -> Iterator[Term]:
    done = 0
    for start, end, fact in [] if '"' in typed else facts(typed):
        yield from _terms(typed[done:start])
        pieces = () if fact.only else pieces_of(fold_for_search(typed[start:end]))
        yield Term(typed[start:end], pieces, fact=fact)
        done = end
    yield from _terms(typed[done:])


def _terms(typed: str) -> Iterator[Term]:
    for near, quoted, word in QUOTED.findall(typed.translate(QUOTES)):
        given = ADDRESS.sub("", quoted or word.strip('"'))
        spelled = fold_for_search(given)
        written = pieces_of(spelled)
        pieces = written if quoted else pieces_of(NUMBERED.sub(r"\1 \2", spelled))
        parts = [] if quoted else list(filter(None, HIRAGANA.split(spelled)))
        if near and len(pieces) != 2:
            yield from _terms(given)
        elif len(parts) > 1:
            yield from _terms(" ".join(parts))
        elif pieces:
            is_phrase = bool(quoted and not near)
            yield Term(given, pieces, is_phrase, near=bool(near), written=written)


def pieces_of(folded: str) -> tuple[str, ...]:
    """The words of a folded text."""
    return tuple(word[0][:LONGEST_WORD] for word in folded_word().finditer(folded))


def found_in(text: str, query: Query) -> Iterator[Span]:
    """The places in a text that hold terms; they may overlap."""
    folded = fold_with_places(text)
    for number, term in enumerate(query.terms):
        for start, end in _places_of(folded.text, term):
            yield Span(*folded.source_span(start, end), number)


def _places_of(folded: str, term: Term) -> Iterator[tuple[int, int]]:
    """The places of a term in a folded text."""
    if term.near:
        return _near_in(folded, term)
    if term.letters_inside:
        return (match.span() for match in re.finditer(re.escape(term.letters_inside), folded))
    return _at_words(folded, term)


def _at_words(folded: str, term: Term) -> Iterator[tuple[int, int]]:
    """The places of a term, each from the beginning of a word on."""
    if term.written not in ((), term.pieces):
        yield from _at_words(folded, replace(term, pieces=term.written))
    starts: set[int] = set()
    for beginning in term.beginnings:
        # To search for letters is ten times as fast as to take all words of a text.
        starts.update(match.start() for match in re.finditer(re.escape(beginning), folded))
    for start in sorted(starts):
        if not folded_word_start().match(folded, start):
            continue
        words = [*islice(folded_word().finditer(folded, start), len(term.pieces))]
        if words[0][0].startswith(term.made):
            yield words[0].span()
        if _is_held([word[0] for word in words], term):
            yield start, words[-1].end()


def _near_in(folded: str, term: Term) -> Iterator[tuple[int, int]]:
    """The places of two words that are near each other, whichever comes first."""
    places = sorted(
        (*place, piece) for piece in term.pieces for place in _at_words(folded, Term("", (piece,)))
    )
    for (start, end, piece), (next_start, next_end, next_piece) in pairwise(places):
        between = folded_word().findall(folded, end, max(end, next_start))
        if piece != next_piece and len(between) <= MOST_BETWEEN:
            yield from ((start, end), (next_start, next_end))


def is_beginning(piece: str) -> bool:
    """True for what is long enough to stand for all words that begin so; a syllable of Korean is
    two or three letters."""
    return len(unicodedata.normalize("NFD", piece)) >= SHORTEST_BEGINNING


def _is_held(words: list[str], term: Term) -> bool:
    """True if words in a row are the pieces of a term, the last one in any form that counts for
    it."""
    pieces = [*term.pieces]
    if words == pieces or term.quoted or words[:-1] != pieces[:-1]:
        return words == pieces
    word, piece = words[-1], pieces[-1]
    begins = is_beginning(piece) and word.startswith(piece)
    return begins or (len(pieces) == 1 and same_word(word, piece))
