"""The terms of a query that a reader typed, equal for both databases."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

from ..models import MAX_QUERY_TERMS
from ..text.formatting import isolate_direction
from ..text.search_letters import (
    UNSPACED_LETTER,
    fold_for_search,
    fold_with_positions,
    folded_word_pattern,
)
from ..text.word_forms import stem, stem_prefix
from .facts import Fact, parse_facts_of_query

MAX_WORD_LENGTH = 60
MAX_WORDS_BETWEEN = 10  # words between two words that are near each other
TITLE_EDGE = "ꙮ"  # before and after each title in the index

# A word that is not searched if a query has other words: "how does vmap work" is about vmap.
STOP_WORDS = frozenset(
    "a an and are as at be but by can did do does for from had has have how i if in into is it its of on or our should so "
    "than that the their then there these they this those to us was we were what when where which who why will with "
    "work works would you your about am my me any some up get gets between difference versus vs many too very much without "
    "while like other each really want need needs use using".split()
)


@dataclass(frozen=True)
class Term:
    """A word, a symbol or a quoted phrase: its words in a row. Or a fact, which may have no words.

    A term that is `near` has two words that have to be near each other.
    """

    typed: str
    pieces: tuple[str, ...]
    quoted: bool = False
    fact: Fact | None = None
    near: bool = False
    title_only: bool = False  # a word such as "how", if a query has no other words
    alternatives: tuple["Term", ...] = ()  # the terms that OR joins to it: any of them is enough
    written: tuple[str, ...] = ()  # its pieces with numbers not parted from their word: "gpt4.5"
    joined: tuple[str, ...] = ()  # the words that it makes with the word before or after it

    @property
    def explanation(self) -> str:
        """Return how a fact, alternatives, or words near each other were read, or ""."""
        if self.alternatives:
            words = [isolate_direction(term.typed) for term in (self, *self.alternatives)]
            return " or ".join(f"“{word}”" for word in words)
        if self.near:
            first, second = map(isolate_direction, self.pieces)
            return f"“{first}” and “{second}” with at most {MAX_WORDS_BETWEEN} words between them"
        return self.fact.words if self.fact else ""

    @property
    def is_plain(self) -> bool:
        """Return True if it is one word without quotes."""
        return len(self.pieces) == 1 and not (self.quoted or self.fact or self.alternatives)

    @property
    def is_stop_word(self) -> bool:
        return self.is_plain and self.pieces[0] in STOP_WORDS

    @cached_property
    def unspaced_substring_or_empty(self) -> str:
        """Return letters of a script without spaces, which may be anywhere in a text; "" for other terms."""
        # Quotes ask for whole words, and `near` is about two words.
        if self.quoted or self.near:
            return ""
        folded = fold_for_search(self.typed).strip()
        return folded if UNSPACED_LETTER.search(folded) else ""

    @cached_property
    def one_word_spellings(self) -> tuple[str, ...]:
        """Return the words that a text may have in place of its pieces: `gpt4` for the pieces of "GPT-4". A term of
        one piece has the words that it makes with its neighbours: `tensoraccessor` of `tensor accessor`."""
        if len(self.pieces) < 2:
            return self.joined
        # A phrase and a fact are searched as typed, and "1/2" is not 12.
        is_fraction = re.fullmatch("[0-9]+[/⁄][0-9]+", fold_for_search(self.typed))
        if self.quoted or self.fact or is_fraction:
            return ()
        return ("".join(self.pieces)[:MAX_WORD_LENGTH],)

    @cached_property
    def halves_if_punctuated(self) -> list[tuple[str, str]]:
        """Return the two parts of its word for each place where a text may have a sign inside: `wi` and `fi` of
        `wifi`, for "Wi-Fi"."""
        if len(self.pieces) != 1 or self.quoted:
            return []
        word = self.pieces[0]
        # Halves are searched in notes, too, but a word such as "how" only in titles. Letters of Chinese are found
        # anywhere in a text without halves.
        if self.title_only or not word.isalpha() or UNSPACED_LETTER.search(word):
            return []
        # "its" is not "it's". A name of more than 30 letters is an identifier.
        if not 4 <= len(word) <= 30:
            return []
        # "shell" is not "she'll", but "dont" is "don't".
        contraction_endings = ("ll", "d")
        return [
            (word[:end], word[end:])
            for end in range(1, len(word))
            if word[end:] not in contraction_endings
        ]

    @cached_property
    def punctuated_word_pattern(self) -> str:
        # For a folded text, in both databases and in Python.
        return "|".join(f"{first}[-‐.'’]{second}" for first, second in self.halves_if_punctuated)

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """Return the possible first letters of its occurrences in a folded text: of its first word the letters
        with which all its forms begin."""
        if not self.pieces:
            return self.one_word_spellings
        first = self.pieces[0]
        return (stem_prefix(stem(first)) or first, *self.one_word_spellings)


@dataclass(frozen=True)
class Query:
    """A query: the terms that an episode should have, and its words as the index has them."""

    typed: str
    terms: tuple[Term, ...]
    pieces: tuple[str, ...] = ()
    excluded: tuple[Term, ...] = ()  # an episode with any of these is no result
    cut: bool = False  # it has more terms than these
    typed_without_exclusions: str = ""

    @cached_property
    def non_fact_terms(self) -> frozenset[int]:
        """Return the numbers of the terms that texts must have: they need not name a fact, such as a year."""
        return frozenset(number for number, term in enumerate(self.terms) if not term.fact)


@lru_cache(maxsize=64)  # a page asks for its query once for each text that it marks
def parse_query(query_text: str) -> Query:
    """Parse the text of a query. Every text is a valid query."""
    # No database takes halves of characters and the character 0. TITLE_EDGE marks titles in the index.
    usable = re.sub(f"[\0\ud800-\udfff{TITLE_EDGE}]", " ", query_text)
    # Far more than the form takes: it limits the work for texts from elsewhere.
    typed = " ".join(usable[:1_000].split())
    remaining, excluded = _split_exclusions(typed)
    all_terms = _merge_terms_beside_or(_iterate_terms_with_facts(remaining))
    joined_words_by_term = _joined_words_by_term(all_terms)
    significant_terms = [term for term in all_terms if not term.is_stop_word]
    # A query of stop words alone, "how to", is searched for these, but only in titles.
    title_only = not significant_terms
    terms = []
    for term in dict.fromkeys(significant_terms or all_terms):  # equal terms once
        joined = tuple(joined_words_by_term[term])
        terms.append(replace(term, joined=joined, title_only=title_only))
    return Query(
        typed=typed,
        terms=tuple(terms[:MAX_QUERY_TERMS]),
        pieces=split_folded(fold_for_search(typed)),
        excluded=excluded[:MAX_QUERY_TERMS],
        cut=len(terms) > MAX_QUERY_TERMS,
        typed_without_exclusions=remaining,
    )


# `-word` or `-"a phrase"` behind other words
_EXCLUSION = re.compile(r'(?<=\s)-(?="?[^\W\d])("[^"]*"|\S+)')


def _split_exclusions(typed_query: str) -> tuple[str, tuple[Term, ...]]:
    # Many keyboards type other quotes.
    straight = re.sub("[“”„«»‟]", '"', typed_query)
    excluded: list[Term] = []
    for text in _EXCLUSION.findall(straight):
        excluded += _iterate_terms_without_facts(text)
    remaining = _EXCLUSION.sub("", straight)
    return " ".join(remaining.split()), tuple(excluded)


def _merge_terms_beside_or(terms: Iterable[Term]) -> list[Term]:
    """Return the terms, with those beside an OR as one: of "jax OR vmap xla" the first has `vmap` as an
    alternative to `jax`. An OR at the beginning or end counts nothing."""
    merged: list[Term] = []
    is_after_or = False
    for term in terms:
        if term.typed == "OR" and not term.quoted:
            is_after_or = bool(merged)
        elif is_after_or:
            first = merged.pop()
            merged.append(replace(first, alternatives=(*first.alternatives, term)))
            is_after_or = False
        else:
            merged.append(term)
    return merged


def _joined_words_by_term(terms: Sequence[Term]) -> defaultdict[Term, list[str]]:
    """Return, by term, the words that a plain term makes with its neighbours: `tensoriterator`."""
    joined = defaultdict(list)
    for first, second in pairwise(terms):
        if first.is_plain and second.is_plain:
            word = (first.pieces[0] + second.pieces[0])[:MAX_WORD_LENGTH]
            joined[first].append(word)
            joined[second].append(word)
    return joined


def _iterate_terms_with_facts(typed_query: str) -> Iterator[Term]:
    """Yield the facts of a query, and the terms of the text between them: of "vmap 2021" the term `vmap`, then
    the year 2021."""
    # Quotes ask for the very words, so nothing in such a query is a fact.
    facts = [] if '"' in typed_query else parse_facts_of_query(typed_query)
    previous_end = 0  # of the fact before
    for start, end, fact in facts:
        yield from _iterate_terms_without_facts(typed_query[previous_end:start])
        fact_text = typed_query[start:end]
        # No text says "under 15 min" in these words, so only the fact is searched.
        pieces = () if fact.is_limit else split_folded(fold_for_search(fact_text))
        yield Term(fact_text, pieces, fact=fact)
        previous_end = end
    yield from _iterate_terms_without_facts(typed_query[previous_end:])


_PHRASE_OR_WORD = re.compile(r'(near:\s*(?="))?(?:"([^"]*)"|(\S+))', re.IGNORECASE)
# `gpt4` finds "GPT-4", and the other way round.
_WORD_WITH_NUMBER = re.compile(r"(?<![^\W_])([^\W\d_]{2,})([0-9]+)(?![^\W_])")
_HIRAGANA = re.compile(r"[\u3041-\u3096\u309d-\u309f、。！？]+")


def _iterate_terms_without_facts(typed: str) -> Iterator[Term]:
    """Yield the terms of a text without facts: phrases in quotes, pairs after `near:`, and words."""
    # `near:"tape hiss"` gives ("near:", "tape hiss", ""), and `vmap` gives ("", "", "vmap").
    for near, phrase, word in _PHRASE_OR_WORD.findall(typed):
        # The index has an address by the key of its link, without its site.
        text = _remove_site(phrase or word.strip('"'))
        pieces = split_folded(fold_for_search(text))
        if not pieces:  # a sign such as "&"
            continue
        if near and len(pieces) == 2:
            yield Term(text, pieces, near=True)
        elif near:
            # Only two words can be near each other. The words of `near:"a b c"` are usual terms.
            yield from _iterate_terms_without_facts(text)
        elif phrase:
            yield Term(text, pieces, quoted=True)
        else:
            yield from _iterate_terms_of_word(text)


def _iterate_terms_of_word(word: str) -> Iterator[Term]:
    folded = fold_for_search(word)
    words_between_hiragana = _words_between_hiragana_or_empty(folded)
    if len(words_between_hiragana) > 1:
        # "病院の猫" is searched as "病院" and "猫".
        yield from _iterate_terms_without_facts(" ".join(words_between_hiragana))
    else:
        # "gpt4" is written so, and searched as "gpt 4", too.
        pieces = split_folded(_WORD_WITH_NUMBER.sub(r"\1 \2", folded))
        yield Term(word, pieces, written=split_folded(folded))


def _words_between_hiragana_or_empty(folded: str) -> list[str]:
    """Return the words between hiragana, or [] if one of them would not be found alone.

    Writers put endings and particles in hiragana, so these part words. Spaces do not: folded, "C++" is
    "c plus plus".
    """
    parts = [part for part in _HIRAGANA.split(folded) if part]
    if all(map(_is_searchable_alone, parts)):
        return [part.strip() for part in parts]
    return []


def _is_searchable_alone(part: str) -> bool:
    # The fold puts a space between hiragana and most other scripts: "AIの船" is "ai の船". So the index has "ai"
    # as a word.
    is_parted_by_space = part != part.strip()
    # Japanese is found anywhere within a run of letters.
    return is_parted_by_space or UNSPACED_LETTER.search(part) is not None


def _remove_site(address: str) -> str:
    """Return an address without its scheme, and without sites that have short keys of links."""
    return re.sub(r"https?://(?:www\.|github\.com/|youtu\.be/)?", "", address, flags=re.IGNORECASE)


# The places where the words in `cudaStreamWait`, `THTensor`, `mark_step` and `std::vector` meet.
_IDENTIFIER_JOINT = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+|::")


def split_names_in_code(text: str) -> str:
    """Return a text with the words of each name in code parted by spaces."""
    return _IDENTIFIER_JOINT.sub(" ", text)


def query_for_names(names: Iterable[str]) -> Query:
    """Return the query for any of these names, at most 12. Text in brackets is a name of its own: "mixed
    precision (AMP)" is found by `mixed precision` and by `amp`."""
    max_names = 12  # each is searched in up to 20 long transcripts
    term_by_pieces = {}  # equal names once
    for name in names:
        for part in re.split("[()]", name):
            pieces = split_folded(fold_for_search(part))
            if pieces:
                term_by_pieces[pieces] = Term(" ".join(pieces), pieces)
    return Query("", tuple(term_by_pieces.values())[:max_names])


def split_folded(folded: str) -> tuple[str, ...]:
    return tuple(word[0][:MAX_WORD_LENGTH] for word in folded_word_pattern().finditer(folded))


def folded_words_with_offsets(text: str) -> list[tuple[str, int, int]]:
    """Return tuples of a word as the index spells it, its start and its end in the text."""
    folded = fold_with_positions(text)
    words = folded_word_pattern().finditer(folded.text)
    return [(word[0], *folded.source_span(*word.span())) for word in words]


def can_begin_words(piece: str) -> bool:
    """Return True if it is long enough to stand for all words that begin so.

    Shorter ones begin too many words. A syllable of Korean counts as two or three letters.
    """
    return len(unicodedata.normalize("NFD", piece)) >= 3
