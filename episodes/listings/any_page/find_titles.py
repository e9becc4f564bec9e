"""Finds the titles of known episodes, and the openings of their texts, in the lines of a page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...dates import is_month_name
from ...identity import MIN_DISTINCTIVE_TITLE
from ...text.numbering import SEASON_AND_NUMBER, season_and_number_of_match
from ..show_names import name_pattern
from .known_episodes import COUNTER, NUMBER, PART_WORD, KnownEpisodes, KnownTitle
from .page_lines import MAX_TITLE_LINE, PageLine, is_prose, key_of

WORD = re.compile(r"[^\W_]+|[\u2e80-\ud7ff]")
# A character within a word. From U+2E80 on, scripts put no spaces between words.
WITHIN_WORD = re.compile(r"(?<=[^\W_])[^\W_\u2e80-\U0010ffff]")
SIGNS = r"[\W_]*"
BEFORE_TITLE = re.compile(rf"{SIGNS}(?:{COUNTER}{SIGNS}){{0,2}}")
COUNTERS_AND_SIGN = re.compile(rf"{BEFORE_TITLE.pattern}(?<![^\W_])")
BEHIND_TITLE = re.compile(rf"{SIGNS}(?:[(\[#–—|-]{SIGNS}{COUNTER}{SIGNS})?")
PRINTED_NUMBER = re.compile(
    r"(?:(?P<word>[^\W\d_]{1,12})[.\s]{0,2}|[#№]\s?)(?P<number>\d{1,5})(?!\d)"
)
CUT_END = re.compile(r"\s?(?:…|\.{3})\W*$")
MAX_PIECES = 60  # of a line that are looked at, which bounds the time for hostile pages


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """A stretch of a line that names an episode by its title, a form of its title, or its text."""

    line_index: int
    start: int
    end: int
    episode_indexes: frozenset[int]
    is_title: bool = True
    is_whole: bool = False  # of the episode: nothing is cut off
    is_alone: bool = False  # in its element, but for numbers, dates, lengths and the show's name
    is_long: bool = False
    printed_numbers: frozenset[int] = frozenset()  # beside it, behind a sign or a word
    numbers_in_title: frozenset[int] = frozenset()
    link: str = ""  # the target of its element

    @property
    def is_enough(self) -> bool:
        """Return True for a whole title that is unique in the show, long, and alone in its element."""
        return self.is_whole and self.is_alone and self.is_long and len(self.episode_indexes) == 1


def find_title_matches(line: PageLine, known_episodes: KnownEpisodes) -> list[TitleMatch]:
    """Return the matches in a line, in their order. No two of them overlap."""
    if line.row.in_menu:
        return []
    # The line is the text of an episode. Titles in it are only mentions.
    notes_match = _find_match_of_notes_opening(line, known_episodes)
    if notes_match:
        return [notes_match]
    matches = _find_cut_title_matches(line, known_episodes)
    for match in _iterate_titles_outside_sentences(line, known_episodes):
        # The title "The long" is only the beginning of "The long wait…".
        if not any(match.start < cut.end and cut.start < match.end for cut in matches):
            matches.append(match)
    if matches:
        return sorted(matches, key=lambda match: match.start)
    shortened_title = _find_shortened_title_match(line, known_episodes)
    return [shortened_title] if shortened_title else []


def _find_match_of_notes_opening(
    line: PageLine, known_episodes: KnownEpisodes
) -> TitleMatch | None:
    """Return a match if the line, or one of its elements, begins like the text of an episode, else None."""
    for start in sorted({0, *line.piece_starts[:MAX_PIECES]}):
        key_from_piece_on = line.key[line.key_offset(start) :]
        indexes = known_episodes.episode_indexes_by_opening(key_from_piece_on)
        # A long title may also open the text.
        if indexes and key_from_piece_on not in known_episodes.titles:
            end = len(line.text)
            return TitleMatch(line.index, start, end, frozenset(indexes), is_title=False)
    return None


def _iterate_titles_outside_sentences(
    line: PageLine, known_episodes: KnownEpisodes
) -> Iterator[TitleMatch]:
    """Yield matches of titles that begin and end with a word, the longest at each position, without overlap.

    A title within a sentence is skipped: "We talked of Springs again, as we had promised to do".
    """
    end_of_last_title = 0
    for start in _word_starts(line):
        # The title "Wells" within the title "Springs and Wells" is not looked for.
        if start < end_of_last_title:
            continue
        key = _longest_title_key_at(line, start, known_episodes)
        if key is None:
            continue
        end = _end_of_key(line, start, key)
        if not _is_within_sentence(line, start, end, known_episodes):
            yield _build_match(line, start, end, known_episodes.titles[key], known_episodes)
        end_of_last_title = end


def _longest_title_key_at(line: PageLine, start: int, known_episodes: KnownEpisodes) -> str | None:
    for key in known_episodes.title_keys_at_offset_longest_first(line.key, line.key_offset(start)):
        if _is_word_end(line, _end_of_key(line, start, key)):
            return key
    return None


def _end_of_key(line: PageLine, start: int, key: str) -> int:
    """Return the offset behind the text with this key that begins at an offset of a line."""
    # The key has no signs, so its last character is found again in the text.
    last_of_key = line.key_offset(start) + len(key) - 1
    return line.position(last_of_key) + 1


def _word_starts(line: PageLine) -> list[int]:
    starts = {match.start() for match in WORD.finditer(line.text)}
    starts.update(line.seams)
    return sorted(starts)


def _is_word_end(line: PageLine, end: int) -> bool:
    if end in line.seams:
        return True
    return WITHIN_WORD.match(line.text, end) is None


def _find_cut_title_matches(line: PageLine, known_episodes: KnownEpisodes) -> list[TitleMatch]:
    """Return the matches of elements that end in a cut mark and begin like titles of episodes."""
    matches: list[TitleMatch] = []
    has_cut_mark = "…" in line.text or "..." in line.text
    if len(line.text) > MAX_TITLE_LINE or not has_cut_mark:
        return matches
    for start, end in _spans_of_line_and_elements(line):
        is_in_last_match = matches != [] and start < matches[-1].end
        text = line.text_with_blanks_for_dates_and_lengths(start, end).rstrip()
        without_cut_mark = CUT_END.sub("", text)
        if is_in_last_match or without_cut_mark == text:
            continue
        for title in _titles_with_and_without_counters(without_cut_mark):
            indexes = _episode_indexes_by_cut_title(title, known_episodes)
            if indexes:
                title_start = start + len(without_cut_mark) - len(title)
                known_title = KnownTitle(indexes)
                matches.append(_build_match(line, title_start, end, known_title, known_episodes))
                break
    return matches


def _titles_with_and_without_counters(text: str) -> tuple[str, str]:
    """Return both readings: "12 - Springs of the" begins with a counter, "12 springs of the" with the title."""
    counters = COUNTERS_AND_SIGN.match(text)
    without_counters = text[counters.end() :] if counters else text
    return without_counters, text


def _episode_indexes_by_cut_title(title: str, known_episodes: KnownEpisodes) -> set[int]:
    """Return the episodes with titles that go on behind a text, and those that have it as a title."""
    max_episodes = 50  # bounds the time for hostile pages
    key = key_of(title)
    indexes = known_episodes.episode_indexes_with_prefix(key)
    if len(indexes) > max_episodes:
        return set()
    complete_title = known_episodes.titles.get(key)
    # No title goes on behind the text, so nothing was cut off.
    if complete_title and indexes == complete_title.episode_indexes:
        return set()
    return indexes


def _find_shortened_title_match(line: PageLine, known_episodes: KnownEpisodes) -> TitleMatch | None:
    """Return the match of the first element that begins the title of exactly one episode, else None.

    Without a cut mark it must be long: the category "Podcast" is no title.
    """
    if not line.may_be_title:
        return None
    for start, end in _spans_of_line_and_elements(line):
        text = line.text_with_blanks_for_dates_and_lengths(start, end)
        for title in _titles_with_and_without_counters(text):
            key = key_of(title)
            indexes = known_episodes.episode_indexes_with_prefix(key)
            if len(indexes) == 1 and len(key) >= MIN_DISTINCTIVE_TITLE:
                title_start = start + len(text) - len(title)
                known_title = KnownTitle(indexes)
                return _build_match(line, title_start, end, known_title, known_episodes)
    return None


def _spans_of_line_and_elements(line: PageLine) -> list[tuple[int, int]]:
    end_of_line = len(line.text)
    spans = {(0, end_of_line)}
    for piece in line.row.pieces[:MAX_PIECES]:
        # Elements of the row may end behind the line, see `PageLine.text`.
        spans.add((piece.start, min(piece.end, end_of_line)))
    return sorted(spans)


def _build_match(
    line: PageLine, start: int, end: int, known_title: KnownTitle, known_episodes: KnownEpisodes
) -> TitleMatch:
    """Return the match of a title between two positions of a line, with the facts of its element: the
    numbers beside the title, its link, and whether it stands alone."""
    pieces = line.pieces_between(start, end)
    element_start = min([start, *(piece.start for piece in pieces)])
    element_end = max([end, *(piece.end for piece in pieces)])
    # The element without the title, the show's name, dates and lengths: "#12: " before "Springs".
    show_name = name_pattern(known_episodes.show.title)
    before = show_name.sub(" ", line.text_with_blanks_for_dates_and_lengths(element_start, start))
    behind = show_name.sub(" ", line.text_with_blanks_for_dates_and_lengths(end, element_end))
    numbers_in_title = NUMBER.findall(line.text[start:end])
    key_length = line.key_offset(end) - line.key_offset(start)  # without spaces and signs
    first_link = next((piece.href for piece in pieces if piece.href), "")
    return TitleMatch(
        line.index,
        start,
        end,
        frozenset(known_title.episode_indexes),
        is_whole=known_title.is_whole,
        is_alone=_has_only_counters(before, behind),
        is_long=key_length >= MIN_DISTINCTIVE_TITLE,
        printed_numbers=_numbers_next_to_title(f"{before}\n{behind}"),
        numbers_in_title=frozenset(map(int, numbers_in_title)),
        link=first_link,
    )


def _numbers_next_to_title(text_next_to_title: str) -> frozenset[int]:
    """Return the numbers behind signs and words: 20 of "#20 – ", of "Episode 20" and of "S01E20: "."""
    numbers = set()
    season_and_number = SEASON_AND_NUMBER.search(text_next_to_title)
    if season_and_number:
        _season, number = season_and_number_of_match(season_and_number)
        numbers.add(number)
        # A season is no number of an episode.
        text_next_to_title = (
            text_next_to_title[: season_and_number.start()]
            + text_next_to_title[season_and_number.end() :]
        )
    for match in PRINTED_NUMBER.finditer(text_next_to_title):
        # "Jan 31 » Springs" is a day.
        is_day = match["word"] is not None and is_month_name(match["word"])
        if not is_day:
            numbers.add(int(match["number"]))
    return frozenset(numbers)


def _has_only_counters(before_title: str, behind_title: str) -> bool:
    """Return True if nothing but signs and numbers stands beside a title: "#12 – " and " (12)"."""
    if not (BEFORE_TITLE.fullmatch(before_title) and BEHIND_TITLE.fullmatch(behind_title)):
        return False
    # "Springs (part 2)" is not "Springs".
    return PART_WORD.search(f"{before_title}\n{behind_title}") is None


def _is_within_sentence(
    line: PageLine, start: int, end: int, known_episodes: KnownEpisodes
) -> bool:
    """Return True for a title in a sentence that does not begin with it."""
    max_distance = 400  # characters beside the title, enough to show a sentence
    words = _words_without_other_links(line, start, end)
    before = words[max(0, start - max_distance) : start]
    # The show's name before a title is no part of a sentence: "Bee Talk: Springs".
    before = name_pattern(known_episodes.show.title).sub(" ", before)
    behind = words[end : end + max_distance]
    begins_with_title = BEFORE_TITLE.fullmatch(before) is not None
    return not begins_with_title and is_prose(before + behind)


def _words_without_other_links(line: PageLine, start: int, end: int) -> str:
    """Return the words of a line without the texts of links beside a linked title: a row of links is no
    sentence."""
    words = line.words
    if not any(piece.href for piece in line.pieces_between(start, end)):
        return words
    for piece in line.row.pieces[:MAX_PIECES]:
        is_next_to_title = piece.end <= start or piece.start >= end
        if piece.href and is_next_to_title:
            link_end = min(piece.end, len(words))
            words = words[: piece.start] + " " * (link_end - piece.start) + words[link_end:]
    return words
