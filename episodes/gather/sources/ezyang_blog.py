"""Reads the category page of the host's blog: posts that end in "Read more...", which give title and summary to links."""

from __future__ import annotations

import re
from dataclasses import replace

from ...listings.dates import moment
from ...listings.html import TextLine, lines, title_of
from ...records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show

TITLE = "ezyang's blog"
HOSTS = ("blog.ezyang.com",)
MIN_ENTRIES = 1
MIN_WITH_TEXT = 0.5

MORE = re.compile(r"(?:^read more\W*|(?:^|(?<=\s))read more\s*(?:\.\.\.|…|»|→))$", re.I)
NAME = re.compile(r"ezyang.s blog", re.I)
BYLINE = re.compile(
    r"(?:image|by|posted|filed|tagged|written|published|categor\w+|comments?|\d+ comments?)\b.{0,80}", re.I
)
PROSE = 12  # words that make a line a paragraph rather than a heading or a caption


def recognises(page: FetchedDocument) -> bool:
    found = lines(page)
    return _is_named(page, found) and any(_end(line) for line in found)


def read(page: FetchedDocument, show: Show) -> ParsedPage:
    """The posts in their order, each with title and summary; they are never episodes.

    Raises:
        DocumentRejected: it has no post, or is a page of another site.
    """
    found = lines(page)
    if not _is_named(page, found):
        raise DocumentRejected("not a page of ezyang's blog")
    marked = sum(bool(line.heading) for line in found) > sum(bool(_end(line)) for line in found)
    entries: list[EntryData] = []
    block: list[TextLine] = []
    for line in found:
        end = _end(line)
        rest = line.text[: end.start()].rstrip() if end else line.text
        if rest:
            block.append(replace(line, text=rest))
        if end:
            entries += _post(block, marked)
            block = []
    if not entries:
        raise DocumentRejected('no post that ends in "Read more..." in it')
    return ParsedPage(tuple(entries), show.title, posts=True)


def _is_named(page: FetchedDocument, found: tuple[TextLine, ...]) -> bool:
    return any(NAME.search(text[:200]) for text in (title_of(page), *(line.text for line in found[:40])))


def _end(line: TextLine) -> re.Match[str] | None:
    return MORE.search(line.text, 0 if len(line.text) < 40 else len(line.text) - 40)


def _post(block: list[TextLine], marked: bool) -> list[EntryData]:
    """The post that a block is: a title, a heading where posts have one, perhaps who wrote it and when, and paragraphs."""
    first = next(
        (n for n, line in enumerate(block) if not line.heading and len(line.text.split(None, PROSE)) >= PROSE), None
    )
    if not first:
        return []
    above = [place for place in range(first) if marked and block[place].heading] or [
        n for n in range(first) if not BYLINE.fullmatch(block[n].text) and not moment(block[n].text)
    ]
    if not above:
        return []
    head = block[above[-1]]
    paragraphs = [line for line in block[first:] if line.text != "image"]
    date = next((line.text for line in block[above[-1] : first] if moment(line.text)), "")
    at = moment(date)
    return [
        EntryData(
            title=head.text,
            text="\n".join(line.text for line in paragraphs),
            url=next(iter(head.links), ""),
            date_raw=date,
            published=at.isoformat() if at else "",
        )
    ]
