"""Reads the numbered list of newest episodes: the show's name, then "1) Title" and a text that may end in "...Show More"."""

from __future__ import annotations

import re

from ...records import Page, Reading, Refused, Said, Show
from ..html import Line, absolute, lines
from ..json_ld import episodes, fill
from ..names import is_show

TITLE = "Numbered list"
HOSTS: tuple[str, ...] = ()
MIN_ENTRIES = 1
MIN_WITH_TEXT = 0.5

RANK = re.compile(r"(\d{1,4})\)\s*(\S.*)")
MORE = re.compile(r"\s*(?:\.\.\.|…)\s*show (?:more|less)$", re.I)


def recognises(page: Page) -> bool:
    return len(_ranked(lines(page))) >= 2


def read(page: Page, show: Show) -> Reading:
    """Entries in the order of their ranks; a rank is a position, never an episode number."""
    found = lines(page)
    starts = _ranked(found)
    if not starts:
        raise Refused('no entry of the form "1) Title" in it')
    named = _named(found[: starts[0]], show)
    ends = [*starts[1:], len(found)]
    entries = tuple(_entry(found[start:end], page) for start, end in zip(starts, ends, strict=True))
    return Reading(fill(entries, episodes(page)), named)


def _ranked(found: tuple[Line, ...]) -> list[int]:
    """Where each entry begins: the lines that count 1, 2, 3 …, so that "2) …" inside a text does not break one."""
    starts: list[int] = []
    for place, line in enumerate(found):
        match = RANK.match(line.text)
        if match and int(match[1]) == len(starts) + 1:
            starts.append(place)
    return starts


def _named(before: tuple[Line, ...], show: Show) -> str:
    """The show that the list is of: ours if a line above the list names it, else the line right above."""
    for line in before:
        if is_show(line.text, show.title):
            return show.title
    return before[-1].text if before else ""


def _entry(block: tuple[Line, ...], page: Page) -> Said:
    rank = RANK.match(block[0].text)
    body = " ".join(line.text for line in block[1:])
    text = MORE.sub("", body)
    link = next((a.href for a in block[0].links), "")
    return Said(
        title=rank[2] if rank else block[0].text,
        text=text,
        cut=text != body,
        url=absolute(link, page.address),
        raw="\n".join(line.text for line in block),
    )
