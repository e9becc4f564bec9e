"""Reads the chapters of an episode, from the file or the feed that lists them or from lines of its
notes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..text.addresses import is_link, link_address
from ..text.markup import storable
from ..text.timecodes import IN_TEXT, OF_THE_DAY, position, seconds_of
from ..text.timecodes import LONGEST as MOST_SECONDS
from .decoding import opened, rows_of, text_of
from .offered import OfferedChapter

MOST = 1000  # chapters of an episode
LONGEST_TITLE = 300  # characters
LONGEST_ADDRESS = 2000

# "00:00 Intro", "(12:34) Topic", "- 1:02:03 – Topic", "1. [2:03-4:00]: Topic"
_BULLET = r"(?:[^\w\s(\[$€£+:.,#/]{1,3}\s*|\d{1,3}[.)]\s+)?"
_LINE = re.compile(
    rf"{_BULLET}[\[(]?{IN_TEXT}(?:\s*(?:-|–|—|to)\s*[0-9]{{1,3}}(?::[0-5][0-9]){{1,2}})?[\])]?(?!\d|[:.,/%]\d)"
    r"(?P<rest>(?:\s*[-–—:|•·>=]{1,3}\s*|\s+)(?P<title>\S.*))"
)
_LINK_AT_END = re.compile(r"[\s:(<–—-]*(?P<url>https?://[^\s<>()\"]+)[)>]?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedChapter:
    """A chapter: start in seconds from the beginning of the audio, title, and http(s) addresses or
    ""."""

    start: float
    title: str
    url: str
    image: str


def from_json(body: bytes) -> tuple[ParsedChapter, ...]:
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


def from_psc(found: Iterable[OfferedChapter]) -> tuple[ParsedChapter, ...]:
    """The chapters that stand in the feed itself.

    Format: https://podlove.org/simple-chapters/, whose times are `hh:mm:ss.mmm`, `mm:ss` or
    seconds.
    """
    return _ordered(_chapter(one.start, one.title, one.address, one.image) for one in found)


def from_notes(text: str, end: int = MOST_SECONDS) -> tuple[ParsedChapter, ...]:
    """The chapters that lines of plain notes list, at least two that ascend; where several rows do,
    the longest.

    What is not before the `end`, in seconds, is none.
    """
    rows: list[list[ParsedChapter]] = [[]]
    for line in text.split("\n"):
        chapter = _from_line(line)
        if chapter is None or chapter.start >= end:
            continue
        if rows[-1] and chapter.start <= rows[-1][-1].start:
            rows.append([])
        rows[-1].append(chapter)
    longest = max(rows, key=len)
    return _ordered(longest) if len(longest) > 1 else ()


def _from_line(line: str) -> ParsedChapter | None:
    found = _LINE.match(line[:1000].strip())
    if found is None or OF_THE_DAY.match(found["rest"]):
        return None
    link = _LINK_AT_END.search(found["title"])
    title = _LINK_AT_END.sub("", found["title"]) or found["title"]
    return _chapter(seconds_of(found), title, link["url"].rstrip(".,;:!?") if link else "", "")


def _chapter(start: Any, title: Any, url: Any, image: Any) -> ParsedChapter | None:
    at = position(start)
    named = (
        " ".join(storable(title).split())[:LONGEST_TITLE].strip() if isinstance(title, str) else ""
    )
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
