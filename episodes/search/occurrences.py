"""The occurrences of a query's terms in a text, equal for both databases."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from typing import NamedTuple

from ..text.search_letters import (
    fold_with_positions,
    folded_word_pattern,
    folded_word_start_pattern,
)
from ..text.word_forms import are_forms_of_one_word
from .terms import MAX_WORDS_BETWEEN, Query, Term, can_begin_words


class Occurrence(NamedTuple):
    """A stretch of a text that holds the term of this number."""

    start: int
    end: int
    term: int


def find_term_numbers(text: str, query: Query) -> set[int]:
    return {occurrence.term for occurrence in iterate_occurrences(text, query)}


def find_separate_occurrences(text: str, query: Query) -> list[Occurrence]:
    """Return the occurrences of terms in order, without overlaps with an earlier or longer occurrence."""
    separate: list[Occurrence] = []
    by_start_longest_first = sorted(
        iterate_occurrences(text, query), key=lambda occurrence: (occurrence.start, -occurrence.end)
    )
    for occurrence in by_start_longest_first:
        if not separate or occurrence.start >= separate[-1].end:
            separate.append(occurrence)
    return separate


def iterate_occurrences(text: str, query: Query) -> Iterator[Occurrence]:
    """Yield the occurrences of terms. They may overlap."""
    folded = fold_with_positions(text)
    for number, term in enumerate(query.terms):
        # Words such as "how" are never marked.
        if term.title_only:
            continue
        for alternative in (term, *term.alternatives):
            for start, end in _iterate_term_spans(folded.text, alternative):
                yield Occurrence(*folded.source_span(start, end), number)


def _iterate_term_spans(folded: str, term: Term) -> Iterator[tuple[int, int]]:
    """Yield where a term is: two words `near` each other, letters of a script without spaces, or words."""
    if term.near:
        yield from _iterate_spans_of_word_pairs(folded, term)
    # Without spaces there is no start of a word, so these letters may be anywhere.
    elif term.unspaced_substring_or_empty:
        for match in re.finditer(re.escape(term.unspaced_substring_or_empty), folded):
            yield match.span()
    else:
        # "gpt4.5" has the pieces "gpt", "4" and "5". A text has it as "gpt4" and "5".
        if term.written and term.written != term.pieces:
            yield from _iterate_spans_of_words(folded, replace(term, pieces=term.written))
        yield from _iterate_spans_of_words(folded, term)
        yield from _iterate_spans_with_sign_inside(folded, term)


def _iterate_spans_with_sign_inside(folded: str, term: Term) -> Iterator[tuple[int, int]]:
    """Yield where a text has the word of a term with a sign inside: "wi-fi" for "wifi"."""
    if term.punctuated_word_pattern:
        letter_or_digit = r"[^\W_]"
        whole_word = (
            rf"(?<!{letter_or_digit})(?:{term.punctuated_word_pattern})(?!{letter_or_digit})"
        )
        for match in re.finditer(whole_word, folded):
            yield match.span()


def _iterate_spans_of_words(folded: str, term: Term) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each occurrence of a term that begins at the start of a word. Occurrences may
    overlap or repeat."""
    for start in _starts_of_words_that_begin_like(term, folded):
        # As many words as the term has pieces, or fewer at the end of the text.
        matches = list(islice(folded_word_pattern().finditer(folded, start), len(term.pieces)))
        words = [match.group() for match in matches]
        # The term "data-loader" is also found in "dataloaders".
        if words[0].startswith(term.one_word_spellings):
            yield start, matches[0].end()
        if is_occurrence(words, term):
            yield start, matches[-1].end()


def _starts_of_words_that_begin_like(term: Term, folded: str) -> list[int]:
    starts = set[int]()
    for beginning in term.beginnings:
        # To search for letters is ten times as fast as to take all words of a text.
        starts.update(match.start() for match in re.finditer(re.escape(beginning), folded))
    # The letters may also be in the middle of a word.
    return [start for start in sorted(starts) if folded_word_start_pattern().match(folded, start)]


def is_occurrence(words_in_row: list[str], term: Term) -> bool:
    """Return True if words in a row are the pieces of a term. The last one may be longer, or have another form:
    "data-loader" is "data-load", and "data-loading", too."""
    if words_in_row == list(term.pieces):
        return True
    *words, last_word = words_in_row
    *pieces, last_piece = term.pieces
    # Quotes ask for the very words.
    if term.quoted or words != pieces:
        return False
    is_beginning = can_begin_words(last_piece) and last_word.startswith(last_piece)
    return is_beginning or are_forms_of_one_word(last_word, last_piece)


def _iterate_spans_of_word_pairs(folded: str, term: Term) -> Iterator[tuple[int, int]]:
    """Yield the start and end of both words of a term wherever they are near each other, in any order."""
    occurrences = []
    for piece in term.pieces:
        for start, end in _iterate_spans_of_words(folded, Term("", (piece,))):
            occurrences.append((start, end, piece))
    occurrences.sort()
    for (start, end, piece), (next_start, next_end, next_piece) in pairwise(occurrences):
        # Of `near:"tape tapes"` both may be the same word of the text. Then nothing is between them.
        words_between = folded_word_pattern().findall(folded, end, max(end, next_start))
        # Of "tape tape hiss" the first two are no pair.
        if piece != next_piece and len(words_between) <= MAX_WORDS_BETWEEN:
            yield start, end
            yield next_start, next_end
