"""The transcript on the page of an episode, by chapter, with searched words marked and symbols linked."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from ..models import Chapter, CodeMention, CodeName, Episode, batches
from ..search import Passage, Query, excerpts, find_passages, parse_query
from ..text.formatting import format_count
from ..text.spoken_time import Speech
from .filters import MAX_QUERY_LENGTH

Part = str | tuple[str, str]  # words, or words with the address that they lead to


class Paragraph(NamedTuple):
    """A paragraph with its words in parts. Every second part is marked, or linked.

    `next_passage` is the number of the paragraph of the next passage, 0 for none. `moment_part` is
    the index of the part at which the page opens, or None.
    """

    number: int
    at: float | None
    speaker: str
    parts: Sequence[Part]
    is_marked: bool
    next_passage: int
    moment_part: int | None = None


class TranscriptSection(NamedTuple):
    """The paragraphs of one chapter, or of chapters that begin together."""

    chapters: Sequence[Chapter]
    paragraphs: Sequence[Paragraph]


@dataclass(frozen=True)
class TranscriptText:
    """A transcript in sections, and the number of the paragraph of each passage with the words."""

    first_sections: Sequence[TranscriptSection]
    folded_sections: Sequence[TranscriptSection]  # empty if the transcript is short
    is_unfolded: bool
    unfold_label: str
    words: str
    passages: Sequence[int]
    is_partial: bool  # no passage has all words
    machine_made: bool | None  # None if it is not known
    times: str  # known seconds of offsets in its text, for scripts: `0:0.0 61:6.0`


def build_transcript_or_none(
    episode: Episode,
    speech: Speech,
    chapters: Sequence[Chapter],
    searched_words: str,
    opening_second: int | None,
) -> TranscriptText | None:
    """Return the transcript of an episode for its page; None if it has no transcript.

    Mark the passages with most of `searched_words`, and the passage nearest to the second at which the page
    opens.
    """
    if not speech.cues:
        return None
    # No database takes NUL.
    query_text = " ".join(searched_words[:MAX_QUERY_LENGTH].replace("\0", "").split())
    passages = _find_best_and_opening_passages(speech, parse_query(query_text), opening_second)
    symbol_links = _load_symbol_links_and_pattern(episode, speech.text)
    paragraphs = _build_paragraphs(speech, passages, symbol_links)
    # A long transcript shows its first paragraphs, and a reader unfolds at least as many.
    first_count = 3
    is_long = len(paragraphs) >= 2 * first_count
    fold_after = first_count if is_long else len(paragraphs)
    first_sections, folded_sections = _divide_into_first_and_folded_sections(
        paragraphs, chapters, fold_after
    )
    last_number_to_show = _number_of_last_paragraph_to_show(speech, passages, opening_second)
    # "61:6.0", for `quote.js`: the word at offset 61 begins 6 seconds from the start.
    times = [f"{offset}:{second:.1f}" for offset, second in speech.known_times]
    return TranscriptText(
        first_sections=first_sections,
        folded_sections=folded_sections,
        is_unfolded=last_number_to_show > fold_after,
        unfold_label=_unfold_label(episode.duration_seconds),
        words=query_text,
        passages=passages.first_paragraph_of_each_best_passage(speech),
        is_partial=passages.is_partial,
        machine_made=episode.transcript.machine_made,
        times=" ".join(times),
    )


def _number_of_last_paragraph_to_show(
    speech: Speech, passages: "_SearchedPassages", opening_second: int | None
) -> int:
    """Return the number, from 1, of the last paragraph that a reader has to see at once, or 0."""
    numbers = passages.all_marked_paragraphs(speech)
    # Without searched words no passage is at the opening second.
    if opening_second is not None:
        numbers.update(speech.paragraph_numbers(opening_second, opening_second + 1))
    return max(numbers, default=0)


def _unfold_label(seconds: int | None) -> str:
    """Return `Read all 16 minutes`, or words without the length if it is unknown."""
    if not seconds:
        return "Read the whole transcript"
    return f"Read all {format_count(max(1, round(seconds / 60)), 'minute', 'minutes')}"


@dataclass(frozen=True)
class _SearchedPassages:
    """The passages of a speech that have the searched words. Paragraphs are given by their numbers, from 1."""

    query: Query
    best: Sequence[Passage]
    marked: Sequence[Passage]  # the best ones, and the opening one
    opening: Passage | None  # the passage at which the page opens
    is_partial: bool

    def first_paragraph_of_each_best_passage(self, speech: Speech) -> list[int]:
        return sorted(speech.paragraph_number(passage.start) for passage in self.best)

    def all_marked_paragraphs(self, speech: Speech) -> set[int]:
        numbers = set[int]()
        for passage in self.marked:
            first = speech.paragraph_number(passage.start)
            last = speech.paragraph_number(passage.end)
            numbers.update(range(first, last + 1))
        return numbers


def _find_best_and_opening_passages(
    speech: Speech, query: Query, opening_second: int | None
) -> _SearchedPassages:
    """Find the passages to mark: all with every word, else the best incomplete passages.

    If the page opens at a second, also find the passage nearest to it.
    """
    # A passage reaches from the first to the last of some terms.
    passages = find_passages(speech.text, query)
    complete = excerpts.with_all_terms(passages, query)
    best = complete or _passages_with_most_or_new_terms(passages)
    marked = list(best)
    opening = None
    # A result of a search leads to the second of its moment, which may not be among the best passages.
    if opening_second is not None and passages:
        opening = excerpts.nearest_passage(passages, speech, opening_second)
        marked.append(opening)
    return _SearchedPassages(query, best, marked, opening, is_partial=not complete)


def _passages_with_most_or_new_terms(passages_best_first: Sequence[Passage]) -> list[Passage]:
    """Return the passages with the most terms, and the best passage with each term.

    A result of a search shows the best passage with a term that the notes lack.
    """
    max_terms = max((len(passage.terms) for passage in passages_best_first), default=0)
    most_or_new = []
    earlier_terms = set[int]()  # of better passages
    for passage in passages_best_first:
        has_most_terms = len(passage.terms) == max_terms
        has_new_term = not passage.terms <= earlier_terms
        if has_most_terms or has_new_term:
            most_or_new.append(passage)
        earlier_terms |= passage.terms
    return most_or_new


def _build_paragraphs(
    speech: Speech, passages: _SearchedPassages, symbol_links: "_SymbolLinks"
) -> list[Paragraph]:
    """Return a paragraph for each cue, with searched words marked, or else symbols linked."""
    marked_numbers = passages.all_marked_paragraphs(speech)
    # [3, 3, 7, 9] becomes {3: 7, 7: 9}: from each paragraph with a passage a reader steps to the next.
    distinct_numbers = dict.fromkeys(passages.first_paragraph_of_each_best_passage(speech))
    next_number_by_number = dict(pairwise(distinct_numbers))
    paragraphs = []
    for number, (at, speaker, words) in enumerate(speech.cues, 1):
        is_marked = number in marked_numbers
        parts: Sequence[Part]
        # Marked words and links are both every second part, so a paragraph has only one of them.
        if is_marked:
            parts = excerpts.split_around_terms(words, passages.query)
        else:
            parts = symbol_links.parts_with_linked_symbols(words)
        paragraph = Paragraph(
            number=number,
            at=at,
            speaker=speaker,
            parts=parts,
            is_marked=is_marked,
            next_passage=next_number_by_number.get(number, 0),
        )
        paragraphs.append(paragraph)
    if passages.opening:
        _set_index_of_moment_part(paragraphs, speech, passages.opening)
    return paragraphs


def _set_index_of_moment_part(
    paragraphs: list[Paragraph], speech: Speech, opening_passage: Passage
) -> None:
    """Set `moment_part` of the paragraph where a passage begins, so that the page opens at the passage: the
    index of the first part with words of the passage."""
    number = speech.paragraph_number(opening_passage.start)  # from 1
    index = number - 1
    offset = opening_passage.start - speech.paragraph_starts[index]
    moment_part = _index_of_first_marked_part_behind(paragraphs[index], offset)
    paragraphs[index] = paragraphs[index]._replace(moment_part=moment_part)


def _index_of_first_marked_part_behind(paragraph: Paragraph, offset: int) -> int | None:
    """Return the index of the first marked part that ends behind an offset."""
    end = 0
    # Each part is a text, as a paragraph with marked words has no links.
    for index, part in enumerate(paragraph.parts):
        end += len(part)
        is_marked = index % 2 == 1
        if is_marked and end > offset:
            return index
    return None


@dataclass(frozen=True)
class _SymbolLinks:
    """Links on the symbols in a transcript that the notes of its show have, too."""

    linked_names: Mapping[str, tuple[str, str]]  # by name, the name with its address
    pattern: re.Pattern[str]

    def parts_with_linked_symbols(self, words: str) -> list[Part]:
        if not self.linked_names:
            return [words]
        # Splitting by a pattern with a group puts each match between the texts around it.
        return [self.linked_names.get(part, part) for part in self.pattern.split(words)]


def _load_symbol_links_and_pattern(episode: Episode, text: str) -> _SymbolLinks:
    linked_names = {}
    for symbol in _load_symbols(episode, _symbol_like_words(text)):
        # The label and the address of a link.
        linked_names[symbol.name] = (symbol.name, symbol.get_absolute_url())
    # The longest first: an expression takes the first name that fits, and would take `torch` of
    # `torch.nn`.
    longest_first = sorted(linked_names, key=len, reverse=True)
    # "" without a symbol: then the pattern is not used.
    any_name = "|".join(re.escape(name) for name in longest_first)
    # A name within a longer one, such as `nn` in `torch.nn` or `torch-nn`, is not this symbol.
    pattern = re.compile(rf"(?<![\w.:/-])({any_name})(?![\w/-]|[.:]+\w)")
    return _SymbolLinks(linked_names, pattern)


def _symbol_like_words(text: str) -> list[str]:
    """Return the words that look like a symbol, sorted. `backward` alone may be a usual word."""
    # An underscore, a dot inside, or capitals inside: `grad_fn`, `torch.nn`, `DataLoader`, `NDArray`.
    symbol_like = re.compile(r"_|\w\.\w|[a-z\d][A-Z]|[A-Z]{2}[a-z]")
    words = set()
    for word in set(text.split()):
        if symbol_like.search(word):
            words.add(word.strip(".,;:!?…()[]\"'“”‘’`"))
    return sorted(words)


def _load_symbols(episode: Episode, names: Sequence[str]) -> Iterable[CodeName]:
    mentions = CodeMention.objects.filter(name=OuterRef("pk"), episode__podcast=episode.podcast_id)
    of_show = CodeName.objects.filter(Exists(mentions))
    # In batches, because databases limit the values of one statement.
    for batch in batches(names):
        yield from of_show.filter(name__in=batch)


def _divide_into_first_and_folded_sections(
    paragraphs: Sequence[Paragraph], chapters: Sequence[Chapter], fold_after: int
) -> tuple[list[TranscriptSection], list[TranscriptSection]]:
    """Return the sections of the first `fold_after` paragraphs, and of all others.

    A section begins where a chapter does. `fold_after` is at most the number of paragraphs.
    """
    chapters_by_index = _chapters_by_index_of_nearest_paragraph(paragraphs, chapters)
    # The indexes of the first paragraphs of all sections, and the end of the last section.
    boundaries = sorted({0, fold_after, *chapters_by_index, len(paragraphs)})
    sections = []
    for first, end in pairwise(boundaries):
        # At the beginning, and at `fold_after`, there may be no chapter.
        chapters_at_beginning = chapters_by_index.get(first, [])
        sections.append(TranscriptSection(chapters_at_beginning, paragraphs[first:end]))
    # A section has the number of the boundary at which it begins.
    first_folded = boundaries.index(fold_after)
    return sections[:first_folded], sections[first_folded:]


def _chapters_by_index_of_nearest_paragraph(
    paragraphs: Sequence[Paragraph], chapters: Sequence[Chapter]
) -> Mapping[int, list[Chapter]]:
    """Return the chapters by the index of the paragraph that starts nearest to each; {} without times.

    A paragraph without a time starts when the paragraph before it does.
    """
    chapters_by_index: defaultdict[int, list[Chapter]] = defaultdict(list)
    # Starts may go back in a transcript, and `bisect` needs them in order.
    starts = list(accumulate((paragraph.at or 0.0 for paragraph in paragraphs), max))
    has_times = starts[-1] > 0
    if not has_times:
        return chapters_by_index
    for chapter in chapters:
        chapters_by_index[_index_of_nearest_start(starts, chapter.start)].append(chapter)
    return chapters_by_index


def _index_of_nearest_start(ascending_starts: Sequence[float], chapter_start: float) -> int:
    """Return the index of the start that is nearest to a chapter's, the first one if several are equal."""
    index_behind = bisect_left(ascending_starts, chapter_start)
    # The last start before the chapter's, and the first one after it or equal to it.
    neighbours = ascending_starts[max(0, index_behind - 1) : index_behind + 1]
    nearest = min(neighbours, key=lambda start: abs(start - chapter_start))
    return ascending_starts.index(nearest)
