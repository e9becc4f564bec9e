"""Reads the chapters of an episode, from the file or the feed that lists them or from lines of its
notes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import starmap
from typing import Any

from ..text.addresses import is_link, link_address
from ..text.markup import storable, unescaped, without_formatting
from ..text.timecodes import LONGEST as MOST_SECONDS
from ..text.timecodes import position, timestamps
from .formats import opened, rows_of, text_of

MOST = 1000  # chapters of an episode
LONGEST_TITLE = 300  # characters
LONGEST_ADDRESS = 2000

_SPACE = r"[^\S\n]"
# What follows the time in "00:00 Intro", "(12:34) Topic", "1. [2:03-4:00]: Topic".
_AFTER = re.compile(
    rf"(?:[.,]\d{{3}})?(?:{_SPACE}*(?:-|–|—|to){_SPACE}*[0-9]{{1,3}}(?::[0-5][0-9]){{1,2}})?[\])]?"
    rf"(?:{_SPACE}*[-–—:|•·>=]{{1,3}}{_SPACE}*|{_SPACE}+)(?P<title>\S.{{0,999}})"
)
_LINK_AT_END = re.compile(r"[\s:(<–—-]{0,20}(?P<url>https?://[^\s<>()\"]+)[)>]?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedChapter:
    """A chapter: start in seconds from the beginning of the audio, title, and http(s) addresses or
    ""."""

    start: float
    title: str
    url: str
    image: str


def parse_chapters(body: bytes) -> tuple[ParsedChapter, ...]:
    """The chapters of a Podcasting 2.0 chapters file, but those that are not for a table of
    contents or lack a title.

    Format:
    https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/chapters/jsonChapters.md

    Raises:
        ValueError: the file cannot be read, or is none of chapters.
    """
    rows = rows_of(opened(text_of(body)), "chapters")
    shown = (row for row in rows if row.get("toc") is not False)
    return _ordered(
        _chapter(row.get("startTime"), row.get("title"), row.get("url"), row.get("img"))
        for row in shown
    )


def from_psc(found: Iterable[tuple[str, str, str, str]]) -> tuple[ParsedChapter, ...]:
    """The chapters that stand in the feed itself, each by its start, title, address and image.

    Format: https://podlove.org/simple-chapters/, whose times are `hh:mm:ss.mmm`, `mm:ss` or
    seconds.
    """
    return _ordered(starmap(_chapter, found))


def from_notes(text: str, end: int = MOST_SECONDS) -> tuple[ParsedChapter, ...]:
    """The chapters that lines of plain notes list behind a time, at least two that ascend; where
    several rows do, the longest.

    What is not before the `end`, in seconds, is none.
    """
    rows: list[list[ParsedChapter]] = [[]]
    for _, last, seconds in timestamps(text, end):
        rest = _AFTER.match(text, last)
        title = rest["title"].strip() if rest else ""
        link = _LINK_AT_END.search(title)
        name = _LINK_AT_END.sub("", title) or title
        if chapter := _chapter(seconds, name, link["url"].rstrip(".,;:!?") if link else "", ""):
            if rows[-1] and chapter.start <= rows[-1][-1].start:
                rows.append([])
            rows[-1].append(chapter)
    longest = max(rows, key=len)
    return _ordered(longest) if len(longest) > 1 else ()


def _chapter(start: Any, title: Any, url: Any, image: Any) -> ParsedChapter | None:
    at = position(start)
    plain_title = without_formatting(unescaped(storable(title))) if isinstance(title, str) else ""
    named = plain_title[:LONGEST_TITLE].strip()
    if at is None or not any(map(str.isalnum, named)):
        return None
    return ParsedChapter(at, named, _address(url), _address(image))


def _address(value: Any) -> str:
    address = str(value or "").strip()
    is_shown = len(address) <= LONGEST_ADDRESS and is_link(address)
    return link_address(address) if is_shown else ""


def _ordered(chapters: Iterable[ParsedChapter | None]) -> tuple[ParsedChapter, ...]:
    """By start; the first of those with one start and one title."""
    found: dict[tuple[float, str], ParsedChapter] = {}
    for chapter in chapters:
        if chapter is not None:
            found.setdefault((chapter.start, chapter.title), chapter)
    return tuple(sorted(found.values(), key=lambda chapter: chapter.start)[:MOST])
