"""Reads the numbered list of newest episodes: the show's name, then "1) Title" and a text that may end in "...Show More"."""

from __future__ import annotations

import re
from dataclasses import replace

from ...listings.dates import moment
from ...listings.entries import check_show, entry, paragraph
from ...listings.html import TextLine, lines, title_of
from ...listings.json_ld import fill
from ...listings.show_names import show_above
from ...records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show

TITLE = "Numbered list"
HOSTS: tuple[str, ...] = ()
MIN_ENTRIES = 1
MIN_WITH_TEXT = 0.5

RANK = re.compile(r"(\d{1,4})(?:\)\s*|\.(?:\s+|$))")
LABEL = re.compile(r"\s*show (more|less)$", re.I)
DOTS = re.compile(r"\s?(?:\.\.\.|…)$")
LIMIT = 190  # the site cuts at 200 characters before it collapses white space


def recognises(page: FetchedDocument) -> bool:
    return len(_ranked(lines(page))) >= 2


def read(page: FetchedDocument, show: Show) -> ParsedPage:
    """Entries in the order of their ranks; a rank is a position, never an episode number.

    Raises:
        DocumentRejected: it has no such entry, or does not say that they are the show's.
    """
    found = lines(page)
    starts = _ranked(found)
    if not starts:
        raise DocumentRejected('no entry of the form "1) Title" in it')
    named = show_above(found[: starts[0]], show.title, title_of(page))
    check_show(named, show)
    ends = [*starts[1:], len(found)]
    entries = tuple(_entry(found[start:end]) for start, end in zip(starts, ends, strict=True))
    return ParsedPage(fill(tuple(said for said in entries if said.title), page, show), named)


def _ranked(found: tuple[TextLine, ...]) -> list[int]:
    """Where each entry begins: the lines that count 1, 2, 3 …, so that "2) …" inside a text does not break one."""
    starts: list[int] = []
    for place, line in enumerate(found):
        match = RANK.match(line.text)
        if match and int(match[1]) == len(starts) + 1:
            starts.append(place)
    return starts


def _entry(block: tuple[TextLine, ...]) -> EntryData:
    head, rest = replace(block[0], text=RANK.sub("", block[0].text, count=1)), block[1:]
    if not head.text and rest:  # the rank stands in an element of its own
        head, rest = rest[0], rest[1:]
    text, cut = _text(rest)
    return entry(head, text, cut, (line.text for line in rest))


def _text(rest: tuple[TextLine, ...]) -> tuple[str, bool | None]:
    """An entry's text and whether the site cut it. What follows the last entry is no text: a text is one paragraph, or
    goes up to the label that unfolds it or folds it up again."""
    rest = rest[: next((place for place, line in enumerate(rest) if line.heading), len(rest))]
    start = next((place for place, line in enumerate(rest) if line.is_prose and not moment(line.text)), None)
    if start is None:
        return "", None
    start, end = paragraph(rest, start)
    label = next((place for place, line in enumerate(rest[start:], start) if LABEL.search(line.text)), None)
    if label is not None:
        end = max(end, paragraph(rest, label)[1])
    body = "\n".join(line.text for line in rest[start:end])
    found = LABEL.search(body)
    text = LABEL.sub("", body)
    if found and found[1].lower() == "more":
        return DOTS.sub("", text), True
    if not found and len(text) > LIMIT and DOTS.search(text):
        return DOTS.sub("", text), True
    return text, False
