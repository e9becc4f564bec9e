"""Reads the numbered list of newest episodes: the show's name, then "1) Title" and a text that may end in "...Show More"."""

from __future__ import annotations

import re

from ...records import Page, Reading, Refused, Said, Show
from ..dates import moment, printed_length
from ..html import Line, lines, title_of
from ..json_ld import fill
from ..names import show_above

TITLE = "Numbered list"
HOSTS: tuple[str, ...] = ()
MIN_ENTRIES = 1
MIN_WITH_TEXT = 0.5

RANK = re.compile(r"(\d{1,4})(?:\)\s*|\.(?:\s+|$))")
LABEL = re.compile(r"\s*show (more|less)$", re.I)
DOTS = re.compile(r"\s?(?:\.\.\.|…)$")
LIMIT = 190  # the site cuts at 200 characters before it collapses white space


def recognises(page: Page) -> bool:
    return len(_ranked(lines(page))) >= 2


def read(page: Page, show: Show) -> Reading:
    """Entries in the order of their ranks; a rank is a position, never an episode number.

    Raises:
        Refused: it has no such entry, or does not say that they are the show's.
    """
    found = lines(page)
    starts = _ranked(found)
    if not starts:
        raise Refused('no entry of the form "1) Title" in it')
    named = show_above(found[: starts[0]], show.title, title_of(page))
    if named != show.title:
        raise Refused(
            f"it is about another show: {named}, not {show.title}" if named else "it names no show above its list"
        )
    ends = [*starts[1:], len(found)]
    entries = tuple(_entry(found[start:end]) for start, end in zip(starts, ends, strict=True))
    return Reading(fill(tuple(said for said in entries if said.title), page, show), named)


def _ranked(found: tuple[Line, ...]) -> list[int]:
    """Where each entry begins: the lines that count 1, 2, 3 …, so that "2) …" inside a text does not break one."""
    starts: list[int] = []
    for place, line in enumerate(found):
        match = RANK.match(line.text)
        if match and int(match[1]) == len(starts) + 1:
            starts.append(place)
    return starts


def _entry(block: tuple[Line, ...]) -> Said:
    title, rest = RANK.sub("", block[0].text, count=1), block[1:]
    links = block[0].links
    if not title and rest:  # the rank stands in an element of its own
        title, links, rest = rest[0].text, rest[0].links, rest[1:]
    text, cut = _text(rest)
    date = next((line.text for line in rest if moment(line.text)), "")
    length = next((line.text for line in rest if printed_length(line.text)), "")
    at, span = moment(date), printed_length(length)
    return Said(
        title=title,
        text=text,
        cut=cut,
        url=next(iter(links), ""),
        date_raw=date,
        published=at.isoformat() if at else "",
        length_raw=length,
        seconds_low=span[0] if span else None,
        seconds_high=span[1] if span else None,
    )


def _text(rest: tuple[Line, ...]) -> tuple[str, bool | None]:
    """An entry's text and whether the site cut it. What follows the last entry is no text: a text is one paragraph, or
    goes up to the label that unfolds it or folds it up again."""
    rest = rest[: next((place for place, line in enumerate(rest) if line.heading), len(rest))]
    start = next((place for place, line in enumerate(rest) if line.is_prose and not moment(line.text)), None)
    if start is None:
        return "", None
    while start and rest[start].glued:
        start -= 1
    label = next((place for place, line in enumerate(rest[start:], start) if LABEL.search(line.text)), None)
    end = start + 1
    while end < len(rest) and (rest[end].glued or (label is not None and end <= label)):
        end += 1
    body = "\n".join(line.text for line in rest[start:end])
    found = LABEL.search(body)
    text = LABEL.sub("", body)
    if found and found[1].lower() == "more":
        return DOTS.sub("", text), True
    if not found and len(text) > LIMIT and DOTS.search(text):
        return DOTS.sub("", text), True
    return text, False
