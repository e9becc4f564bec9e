"""Reads the category page of the host's blog: posts that end in "Read more...", which give title and summary to links."""

from __future__ import annotations

import re

from ...records import Page, Reading, Refused, Said, Show
from ..html import Line, lines

TITLE = "ezyang's blog"
HOSTS = ("blog.ezyang.com",)
MIN_ENTRIES = 1
MIN_WITH_TEXT = 0.5

MORE = re.compile(r"read more\s*(?:\.\.\.|…|»|→)?", re.I)
NAME = re.compile(r"ezyang.s blog", re.I)
PROSE = 12  # words that make a line a paragraph rather than a heading or a caption


def recognises(page: Page) -> bool:
    return any(NAME.search(line.text) for line in lines(page)[:20]) and any(
        MORE.fullmatch(line.text) for line in lines(page)
    )


def read(page: Page, show: Show) -> Reading:
    """The posts in their order, each with title and summary; they are never episodes."""
    found = lines(page)
    ends = [place for place, line in enumerate(found) if MORE.fullmatch(line.text)]
    starts = [0, *(end + 1 for end in ends[:-1])]
    posts = [_post(found[start:end]) for start, end in zip(starts, ends, strict=True)]
    entries = tuple(post for post in posts if post)
    if not entries:
        raise Refused('no post that ends in "Read more..." in it')
    return Reading(entries, show.title, posts=True)


def _post(block: tuple[Line, ...]) -> Said | None:
    first = next((place for place, line in enumerate(block) if len(line.text.split()) >= PROSE), None)
    if not first:
        return None
    head = next((line for line in reversed(block[:first]) if line.text != "image"), None)
    if head is None:
        return None
    paragraphs = [line.text for line in block[first:] if line.text != "image"]
    return Said(
        title=head.text,
        text="\n".join(paragraphs),
        url=next((a.href for a in head.links), ""),
        raw="\n".join(line.text for line in (head, *block[first:])),
    )
