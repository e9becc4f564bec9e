"""Chapters of an episode, from a file, from its feed, or from lines of its notes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..text.addresses import address_with_scheme, is_public_link
from ..text.markup import storable_text, strip_formatting_tags, unescape_entities
from ..text.timecodes import MAX_SECONDS, find_timecodes_at_line_edges, parse_seconds
from .formats import decode_text_or_raise, json_rows, parse_limited_json

MAX_CHAPTERS = 1000  # of an episode, far beyond any, because a hostile file may list millions
_SPACE = r"[^\S\n]"
# Text behind the time in "00:00 Intro", "(12:34) Topic", "1. [2:03-4:00]: Topic".
_BEHIND_TIME = re.compile(
    rf"(?:[.,]\d{{3}})?(?:{_SPACE}*(?:-|–|—|to){_SPACE}*[0-9]{{1,3}}(?::[0-5][0-9]){{1,2}})?[\])]?"
    rf"(?:{_SPACE}*[-–—:|•·>=]{{1,3}}{_SPACE}*|{_SPACE}+)(?P<title>\S.{{0,999}})"
)


@dataclass(frozen=True, slots=True)
class ParsedChapter:
    """A chapter. `start` is in seconds, and an address may be ""."""

    start: float
    title: str
    url: str
    image: str


def parse_chapters(body: bytes) -> tuple[ParsedChapter, ...]:
    """Return the chapters of a Podcasting 2.0 chapters file that have a title and belong in a table of
    contents.

    Format:
    https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/chapters/jsonChapters.md

    Raises:
        ValueError: the file cannot be read, or has no chapters.
    """
    rows = []
    for chapter in json_rows(parse_limited_json(decode_text_or_raise(body)), "chapters"):
        # `toc` is false for a chapter that only changes the picture.
        if chapter.get("toc") is not False:
            values = map(chapter.get, ("startTime", "title", "url", "img"))
            rows.append(tuple(values))
    return chapters_of_rows(rows)


def chapters_of_rows(rows: Iterable[tuple[Any, ...]]) -> tuple[ParsedChapter, ...]:
    """Return the chapters of rows of start, title, address and image.

    Format of a feed: https://podlove.org/simple-chapters/ with times as `hh:mm:ss.mmm`, `mm:ss` or seconds.
    """
    chapters = []
    for start, title, url, image in rows:
        chapter = _parse_chapter_or_none(start, title, url, image)
        if chapter:
            chapters.append(chapter)
    return _sorted_distinct_chapters(chapters)


def longest_chapter_list_in_notes(
    notes: str, end_second: int = MAX_SECONDS
) -> tuple[ParsedChapter, ...]:
    """Return the chapters before `end_second` seconds that lines of plain notes list behind a time: "00:00 Intro".

    Times ascend within a list. The longest list of at least two chapters counts.
    """
    chapter_lists: list[list[ParsedChapter]] = [[]]
    for timecode in find_timecodes_at_line_edges(notes, end_second):
        chapter = _chapter_behind_time_or_none(notes, timecode.end, timecode.second)
        if chapter is None:
            continue
        last_list = chapter_lists[-1]
        goes_back = bool(last_list) and chapter.start <= last_list[-1].start
        if goes_back:
            chapter_lists.append([chapter])
        else:
            last_list.append(chapter)
    longest = max(chapter_lists, key=len)  # of equally long lists the first one
    # One time alone may be of a moment that the notes mention.
    return tuple(longest[:MAX_CHAPTERS]) if len(longest) > 1 else ()


def _chapter_behind_time_or_none(notes: str, end_of_time: int, second: int) -> ParsedChapter | None:
    line = _BEHIND_TIME.match(notes, end_of_time)
    return _parse_chapter_or_none(second, line["title"], "", "") if line else None


def _parse_chapter_or_none(start: Any, title: Any, url: Any, image: Any) -> ParsedChapter | None:
    # The values may be of any type of JSON: a start is 90.5 or "1:30.5".
    seconds = parse_seconds(start)
    if seconds is None or not isinstance(title, str):
        return None
    decoded_title = unescape_entities(storable_text(title))  # "Q&amp;A" is "Q&A"
    max_title_length = 300  # characters, far beyond any title
    plain_title = strip_formatting_tags(decoded_title)[:max_title_length].strip()
    # A title such as "–" names nothing.
    has_letter_or_digit = re.search(r"[^\W_]", plain_title)
    if not has_letter_or_digit:
        return None
    return ParsedChapter(
        seconds, plain_title, _public_address_or_empty(url), _public_address_or_empty(image)
    )


def _public_address_or_empty(json_value: Any) -> str:
    address = str(json_value).strip()
    is_usable = len(address) <= 2000 and is_public_link(address)
    return address_with_scheme(address) if is_usable else ""


def _sorted_distinct_chapters(chapters: Iterable[ParsedChapter]) -> tuple[ParsedChapter, ...]:
    by_start_and_title: dict[tuple[float, str], ParsedChapter] = {}
    for chapter in chapters:
        by_start_and_title.setdefault((chapter.start, chapter.title), chapter)
    ordered = sorted(by_start_and_title.values(), key=lambda chapter: chapter.start)
    return tuple(ordered[:MAX_CHAPTERS])
