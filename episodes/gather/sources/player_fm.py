"""Reads player.fm's list of a series: descriptions that end in "continue reading", with titles only where the page marks them."""

from __future__ import annotations

import re

from ...records import Page, Reading, Refused, Said, Show
from ..dates import moment, seconds
from ..html import Line, lines
from ..json_ld import episodes, fill
from ..names import fold, is_show

TITLE = "Player FM"
HOSTS = ("player.fm", "ru.player.fm", "uk.player.fm", "www.player.fm")
MIN_ENTRIES = 1
MIN_WITH_TEXT = 0.9

MARK = "continue reading"
LIMIT = 350  # characters after which the site cuts a text; it puts "…" after shorter, whole ones too
ADDRESS_AT_END = re.compile(r"https?://\S+$")
SENTENCE_END = re.compile(r"[.!?:)\]\"'’”]$")


def recognises(page: Page) -> bool:
    return sum(line.text.casefold() == MARK for line in lines(page)) >= 2


def read(page: Page, show: Show) -> Reading:
    """Entries newest first, as the page lists them; most have a text and nothing else."""
    found = lines(page)
    marks = [place for place, line in enumerate(found) if line.text.casefold() == MARK]
    if not marks:
        raise Refused('no entry that ends in "continue reading" in it')
    name = _series(found, show)
    starts = [0, *(mark + 1 for mark in marks[:-1])]
    blocks = [found[start:mark] for start, mark in zip(starts, marks, strict=True)]
    entries = tuple(_entry(block, name, place == 0) for place, block in enumerate(blocks) if block)
    return Reading(fill(entries, episodes(page)), _show(name, show))


def _series(found: tuple[Line, ...], show: Show) -> str:
    """The name in the page's heading: "PyTorch відкриті" is a name and the word for "public" in the interface's language."""
    for line in found[:40]:
        if line.heading and is_show(line.text, show.title):
            return show.title
    first = next((line.text for line in found if line.heading), found[0].text)
    words = first.split()
    return " ".join(words[:-1]) if len(words) > 1 and not is_show(first, show.title) else first


def _show(name: str, show: Show) -> str:
    """The site shortens a series' name to its first words: those of ours are ours, anything else is another show's."""
    return show.title if f"{fold(show.title)} ".startswith(f"{fold(name)} ") else name


def _entry(block: tuple[Line, ...], name: str, first: bool) -> Said:
    body = block[-1].text
    text, cut = _text(body, name)
    head = [line for line in block[:-1] if line.heading] if first else [*block[:-1]]
    title, link, date, length = "", "", "", ""
    for line in head:
        if moment(line.text):
            date = line.text
        elif seconds(line.text) and not line.heading:
            length = line.text
        elif len(line.text) <= 200:
            title, link = line.text, next((a.href for a in line.links), "")
    at, span = moment(date), seconds(length)
    return Said(
        title=title,
        text=text,
        cut=cut,
        url=link,
        date_raw=date,
        published=at.isoformat() if at else "",
        length_raw=length,
        seconds_low=span[0] if span else None,
        seconds_high=span[1] if span else None,
        raw="\n".join(line.text for line in (block[-1:] if first and not title else block)),
    )


def _text(body: str, name: str) -> tuple[str, bool | None]:
    """The text without what the site glues to its end, and whether the site cut it."""
    if not body.endswith("…"):
        # A whole text without "…" has the series' name stuck to its last address instead.
        if name and body.endswith(name) and not body[: -len(name)].endswith(" ") and _ends_in_address(body):
            body = body[: -len(name)]
        return body, False
    text = body[:-1]
    if len(text) >= LIMIT:
        return text, True
    if len(text) < LIMIT - 50 or SENTENCE_END.search(text):
        return text, False
    return text, None if _ends_in_address(text) and len(text) >= LIMIT - 10 else not _ends_in_address(text)


def _ends_in_address(text: str) -> bool:
    return ADDRESS_AT_END.search(text) is not None
