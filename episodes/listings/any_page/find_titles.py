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
        """True for a whole title that is unique in the show, long, and alone in its element."""
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
    starts = {0, *(piece.start for piece in line.row.pieces[:MAX_PIECES])}
    for start in sorted(start for start in starts if start < len(line.text)):
        episodes = known.episodes_that_open_with(line.key[line.key_offset(start) :])
        if episodes:
            return TitleMatch(
                line.index, start, len(line.text), frozenset(episodes), is_title=False
            )
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
            end = line.position(key_start + len(key) - 1) + 1
            if _is_word_end(line, end):
                title = known.titles[key]
                if not _is_quoted(line, start, end, known):
                    yield _build_match(line, start, end, title, known)
                end_of_last = end
                break


def _word_starts(line: PageLine) -> list[int]:
    """Return the offsets at which a title may begin, in order."""
    starts = {match.start() for match in WORD.finditer(line.text)}
    starts.update(line.seams)
    return sorted(starts)


def _is_word_end(line: PageLine, end: int) -> bool:
    """Return True if a word ends at an offset, or an element does."""
    following = WORD.match(line.text, end)
    if following is None or not WORD.match(line.text, end - 1):
        return True
    is_ideograph = ord(line.text[end]) >= 0x2E80
    return is_ideograph or end in line.seams


def _find_shortened_title(line: PageLine, known: KnownEpisodes) -> Iterator[TitleMatch]:
    """Yield at most one match: of the first element that is the beginning of one episode's title only."""
    if not line.may_be_title:
        return
    spans = {(0, len(line.text))}
    for piece in line.row.pieces[:MAX_PIECES]:
        spans.add((piece.start, min(piece.end, len(line.text))))
    for start, end in sorted(spans):
        text = line.text_without_times(start, end)
        lead = BEFORE_TITLE.match(text)
        bare = text[lead.end() :] if lead and not WORD.match(text[lead.end() - 1 :]) else text
        for candidate in dict.fromkeys((bare, text)):
            episodes = known.only_episode_with_title_prefix(key_of(CUT.sub("", candidate)))
            if episodes:
                yield _build_match(line, start, end, KnownTitle(episodes), known)
                return


def _build_match(
    line: PageLine, start: int, end: int, known_title: KnownTitle, known: KnownEpisodes
) -> TitleMatch:
    """Return the match of a title between two positions of a line, with the facts of its element: the
    numbers beside the title, its link, and whether it stands alone."""
    pieces = line.pieces_between(start, end)
    element_start = min(start, pieces[0].start) if pieces else start
    element_end = max(end, min(pieces[-1].end, len(line.text))) if pieces else end
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
    above = line.words[max(0, start - NEAR) : start]
    above = name_pattern(known.show.title).sub(" ", above)
    return not BEFORE_TITLE.fullmatch(above) and is_prose(above + line.words[end : end + NEAR])
