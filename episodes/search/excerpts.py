"""Passages of a text that hold the terms of a query together, and excerpts with the terms marked."""

import re
from bisect import bisect, bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..text.sentences import shorten_sentence_around_match
from ..text.spoken_time import MAX_SENTENCE_LENGTH, Speech
from ..text.summaries import MAX_SUMMARY_LENGTH, shorten_prose
from .occurrences import find_separate_occurrences, iterate_occurrences
from .terms import Query, parse_query

# -- passages --------------------------------------------------------------------------------------

CLOSE = 300  # characters within which words are said together: some twenty seconds


class Passage(NamedTuple):
    """A stretch of a text from the first to the last of some terms."""

    start: int
    end: int
    terms: frozenset[int]
    nearby_occurrences: int  # of any term, up to `CLOSE` characters behind the start

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """Return a key that sorts most terms first, then shorter passages, then more occurrences."""
        # A passage has to be 50 characters shorter to be the better one.
        length_class = (self.end - self.start) // 50
        return -len(self.terms), length_class, -self.nearby_occurrences, self.start


def find_passages(text: str, query: Query) -> list[Passage]:
    """Return the passages of a text that hold terms, best first. Leave out passages close to a better one."""
    passages: list[Passage] = []
    by_position: list[Passage] = []  # the same passages
    for passage in sorted(iterate_passages(text, query), key=lambda passage: passage.rank):
        # Of the others only the last one before this passage and the first one behind it can be close.
        index = bisect(by_position, passage)
        neighbours = by_position[max(index - 1, 0) : index + 1]
        if not any(_are_close(text, passage, neighbour) for neighbour in neighbours):
            by_position.insert(index, passage)
            passages.append(passage)
    return passages


def _are_close(text: str, passage: Passage, neighbour: Passage) -> bool:
    """Return whether two passages begin within 200 characters, with no paragraph beginning between them."""
    first, second = sorted((passage, neighbour))
    is_between_paragraphs = "\n" in text[first.end : second.start]
    return second.start - first.start < 200 and not is_between_paragraphs


def with_all_terms(passages: Sequence[Passage], query: Query) -> list[Passage]:
    return [passage for passage in passages if passage.terms >= query.non_fact_terms]


def iterate_passages(text: str, query: Query) -> Iterator[Passage]:
    """Yield, for each occurrence of a term, the passage that ends with it.

    It starts with the earliest of the terms that last occurred at most `CLOSE` characters before: in "jit … jit
    or vmap" the passage of "vmap" is "jit or vmap".
    """
    occurrences = sorted(iterate_occurrences(text, query))
    starts = [occurrence.start for occurrence in occurrences]
    last_start_by_term: dict[int, int] = {}  # up to this occurrence
    for start, end, term in occurrences:
        last_start_by_term[term] = start
        close_start_by_term = {
            close_term: close_start
            for close_term, close_start in last_start_by_term.items()
            if start - close_start <= CLOSE
        }
        passage_start = min(close_start_by_term.values())
        # Occurrences behind the passage show that the text keeps to its terms, so they count, too.
        first_index = bisect_left(starts, passage_start)
        index_behind_last = bisect_left(starts, passage_start + CLOSE)
        nearby_occurrences = index_behind_last - first_index
        yield Passage(passage_start, end, frozenset(close_start_by_term), nearby_occurrences)


# -- excerpts --------------------------------------------------------------------------------------

_CONTEXT_LENGTH = 60  # characters shown before an occurrence


def split_around_terms(text: str, query: Query) -> list[str]:
    """Return a text in parts. Every second part is an occurrence of a term."""
    parts = []
    previous_end = 0
    for start, end, _ in find_separate_occurrences(text, query):
        parts += [text[previous_end:start], text[start:end]]
        previous_end = end
    return [*parts, text[previous_end:]]


def best_excerpt_split_around_terms(text: str, query_text: str, default_excerpt: str) -> list[str]:
    """Return the best passage of a text with its surroundings, in parts. Every second part is an occurrence
    of a term.

    Return only the default excerpt if the text has no word of the query.
    """
    prose = " ".join(text.split())
    query = parse_query(query_text)
    passages = find_passages(prose, query)
    if not passages:
        return [default_excerpt]
    excerpt = _cut_around(prose, passages[0].start)
    return split_around_terms(excerpt, query)


def split_sentence_at_symbol(sentence: str, symbol: str) -> list[str]:
    """Return a sentence in parts. Every second part is the symbol. A long sentence is cut around it."""
    prose = " ".join(sentence.split())
    whole_symbol = re.compile(rf"(?<!\w)({re.escape(symbol)})(?!\w)")
    match = whole_symbol.search(prose)
    # Shorter sentences are shown whole.
    if match and len(prose) > 400:
        prose = _cut_around(prose, match.start())
    return whole_symbol.split(prose)


def _cut_around(prose: str, offset: int) -> str:
    """Return a line or two around the word at an offset, from the beginning if it is near."""
    start = 0
    if offset >= MAX_SUMMARY_LENGTH - _CONTEXT_LENGTH:
        start = _start_of_word_at(prose, offset - _CONTEXT_LENGTH)
    excerpt = shorten_prose(prose, start)
    word = re.split(r"\W", prose[offset:], maxsplit=1)[0]
    has_word = excerpt.startswith(word, offset - start)
    if not has_word:
        # A long address before the word, or Japanese without spaces, filled the excerpt up to its end. Now it
        # starts with the word itself, or with a part of the address that has the word in it.
        start = max(_start_of_word_at(prose, offset), offset - _CONTEXT_LENGTH)
        excerpt = shorten_prose(prose, start)
    return f"{'…' if start else ''}{excerpt}"


def _start_of_word_at(prose: str, offset: int) -> int:
    return prose.rfind(" ", 0, offset) + 1


# -- moments ---------------------------------------------------------------------------------------


class Moment(NamedTuple):
    """Whole sentences of a transcript as pages show them."""

    second: int | None  # of the first word; None if it is not known
    end: int  # the first second after the last word
    paragraph: int
    text: list[str]  # in parts. Every second part is an occurrence of a term


def moment_of_passage(speech: Speech, passage: Passage, query: Query) -> Moment:
    """Return the moment of a passage: its whole sentences, and the next ones while all are short.

    The text of very long ones is cut around the passage.
    """
    span = speech.span_of_whole_sentences(passage.start, passage.end, MAX_SUMMARY_LENGTH)
    text = shorten_sentence_around_match(
        speech.text, span, passage.start, passage.end, "…", MAX_SENTENCE_LENGTH
    )
    sentence_start, _ = span
    _, end_second = speech.whole_second_range(*span)
    return Moment(
        second=speech.second(sentence_start),
        end=end_second,
        paragraph=speech.paragraph_number(passage.start),
        text=split_around_terms(text, query),
    )


def distinct_moments_of_passages(
    speech: Speech, passages: Sequence[Passage], query: Query, max_count: int
) -> list[Moment]:
    """Return the moments of the first passages, each once: several may be in one sentence."""
    moments: dict[tuple[int, int | None], Moment] = {}
    for passage in passages:
        if len(moments) == max_count:
            break
        moment = moment_of_passage(speech, passage, query)
        moments.setdefault((moment.paragraph, moment.second), moment)
    return list(moments.values())


def nearest_passage(passages: Sequence[Passage], speech: Speech, second: int) -> Passage:
    def distance(passage: Passage) -> int:
        sentence_start, _ = speech.span_of_whole_sentences(passage.start, passage.end)
        return abs((speech.second(sentence_start) or 0) - second)

    return min(passages, key=distance)
