"""Finds the titles of known episodes, and the openings of their texts, in the lines of a page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...identity import MIN_DISTINCTIVE_TITLE
from ..show_names import name_pattern
from .known_episodes import COUNTER, NUMBER, PART_WORD, KnownEpisodes, KnownTitle
from .page_lines import PageLine, is_prose, key_of

WORD = re.compile(r"[^\W_]+|[\u2e80-\ud7ff]")
SIGNS = r"[\W_]*"
BEFORE_TITLE = re.compile(rf"{SIGNS}(?:{COUNTER}{SIGNS}){{0,2}}")
BEHIND_TITLE = re.compile(rf"{SIGNS}(?:[(\[#–—|-]{SIGNS}{COUNTER}{SIGNS})?")
PRINTED_NUMBER = re.compile(r"(?:[^\W\d_][.\s]{0,2}|[#№]\s?)(?P<number>\d{1,5})(?!\d)")
CUT = re.compile(r"\s?(?:…|\.{3})\W*$")
NEAR = 400  # characters beside a title in which a sentence would show
MAX_PIECES = 60  # of a line of which each may be a shortened title


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """A stretch of a line that names an episode by its title, a form of its title, or its text."""

    line: int
    start: int
    end: int
    episodes: frozenset[int]
    is_title: bool = True
    is_whole: bool = False  # of the episode: nothing is cut off
    is_alone: bool = False  # in its element, but for numbers, dates, lengths and the show's name
    is_long: bool = False
    printed_number: int | None = None  # beside it, behind a sign or a word
    own_numbers: frozenset[int] = frozenset()  # within it
    link: str = ""  # the target of its element

    @property
    def is_enough(self) -> bool:
        """Return True for a whole title that is unique in the show, long, and alone in its element."""
        return self.is_whole and self.is_alone and self.is_long and len(self.episodes) == 1


def find_title_matches(line: PageLine, known: KnownEpisodes) -> list[TitleMatch]:
    """Return the matches in a line, in their order. No two of them overlap."""
    if line.row.in_menu:
        return []
    opening = _find_opening_match(line, known)
    if opening:
        return [opening]
    matches = list(_find_whole_title_matches(line, known))
    return matches or list(_find_shortened_title(line, known))


def _find_opening_match(line: PageLine, known: KnownEpisodes) -> TitleMatch | None:
    """Return a match if the line, or one of its elements, begins like the text of an episode, else None."""
    end = len(line.text)
    starts = {0, *(piece.start for piece in line.row.pieces[:MAX_PIECES])}
    for start in sorted(starts):
        if start >= end:  # the text of a line is cut, its pieces are not
            continue
        key_of_rest = line.key[line.key_offset(start) :]
        episodes = known.episodes_that_open_with(key_of_rest)
        if episodes:
            return TitleMatch(line.index, start, end, frozenset(episodes), is_title=False)
    return None


def _find_whole_title_matches(line: PageLine, known: KnownEpisodes) -> Iterator[TitleMatch]:
    """Yield matches of titles that begin and end with a word, the longest at each position, without overlap.

    A title that a sentence quotes is skipped.
    """
    end_of_last = 0
    for start in _word_starts(line):
        if start < end_of_last:
            continue
        key_start = line.key_offset(start)
        for key in known.title_keys_at(line.key, key_start):
            # The key has no signs, so its last character is found again in the text.
            key_end = key_start + len(key)
            end = line.position(key_end - 1) + 1
            if not _is_word_end(line, end):
                continue
            if not _is_quoted(line, start, end, known):
                yield _build_match(line, start, end, known.titles[key], known)
            end_of_last = end
            break


def _word_starts(line: PageLine) -> list[int]:
    """Return the offsets at which a title may begin, in order."""
    starts = {match.start() for match in WORD.finditer(line.text)}
    starts.update(line.seams)
    return sorted(starts)


def _is_word_end(line: PageLine, end: int) -> bool:
    """Return True if a word ends at an offset, or an element does."""
    is_between_letters = WORD.match(line.text, end - 1) and WORD.match(line.text, end)
    if not is_between_letters:
        return True
    # From this character on, scripts put no spaces between words.
    is_unspaced = line.text[end] >= "\u2e80"
    return is_unspaced or end in line.seams


def _find_shortened_title(line: PageLine, known: KnownEpisodes) -> Iterator[TitleMatch]:
    """Yield at most one match: of the first element that is the beginning of one episode's title only."""
    if not line.may_be_title:
        return
    spans = {(0, len(line.text))}
    for piece in line.row.pieces[:MAX_PIECES]:
        spans.add((piece.start, min(piece.end, len(line.text))))
    for start, end in sorted(spans):
        text = line.text_without_times(start, end)
        for candidate in (_without_counters(text), text):
            title_key = key_of(CUT.sub("", candidate))
            number = known.only_episode_with_prefix(title_key)
            if number is not None:
                yield _build_match(line, start, end, KnownTitle({number}), known)
                return


def _without_counters(text: str) -> str:
    """Return a text without the signs and numbers before a title: "#12 - Springs" is "Springs"."""
    counters = BEFORE_TITLE.match(text)
    if counters is None:
        return text
    # "7th" begins with no counter: nothing separates the number from the rest.
    last_character = text[counters.end() - 1 :]
    has_separator = WORD.match(last_character) is None
    return text[counters.end() :] if has_separator else text


def _build_match(
    line: PageLine, start: int, end: int, known_title: KnownTitle, known: KnownEpisodes
) -> TitleMatch:
    """Return the match of a title between two positions of a line, with the facts of its element: the
    numbers beside the title, its link, and whether it stands alone."""
    pieces = line.pieces_between(start, end)
    element_start = start
    element_end = end
    if pieces:
        end_of_pieces = min(pieces[-1].end, len(line.text))
        element_start = min(start, pieces[0].start)
        element_end = max(end, end_of_pieces)
    show_name = name_pattern(known.show.title)
    before = show_name.sub(" ", line.text_without_times(element_start, start))
    behind = show_name.sub(" ", line.text_without_times(end, element_end))
    beside = f"{before}\n{behind}"
    has_only_counters = BEFORE_TITLE.fullmatch(before) and BEHIND_TITLE.fullmatch(behind)
    printed = PRINTED_NUMBER.search(beside)
    links = [piece.href for piece in pieces if piece.href]
    return TitleMatch(
        line.index,
        start,
        end,
        frozenset(known_title.episodes),
        is_whole=known_title.is_whole,
        is_alone=bool(has_only_counters) and not PART_WORD.search(beside),
        is_long=line.key_offset(end) - line.key_offset(start) >= MIN_DISTINCTIVE_TITLE,
        printed_number=int(printed["number"]) if printed else None,
        own_numbers=frozenset(map(int, NUMBER.findall(line.text[start:end]))),
        link=links[0] if links else "",
    )


def _is_quoted(line: PageLine, start: int, end: int, known: KnownEpisodes) -> bool:
    """Return True for a title in a sentence that does not begin with it."""
    before = line.words[max(0, start - NEAR) : start]
    before = name_pattern(known.show.title).sub(" ", before)
    behind = line.words[end : end + NEAR]
    begins_with_title = BEFORE_TITLE.fullmatch(before) is not None
    return not begins_with_title and is_prose(before + behind)
