"""Reads pod.casts.io's topic pages, which mix shows: title, "Show - August 18, 2021 13:00 - 13 minutes ★★★★★", text."""

from __future__ import annotations

import re

from ...records import Page, Reading, Refused, Said, Show
from ..dates import moment, seconds
from ..html import Line, lines
from ..json_ld import episodes, fill
from ..names import is_show

TITLE = "pod.casts.io"
HOSTS = ("pod.casts.io",)
MIN_ENTRIES = 1
MIN_WITH_TEXT = 0.5

DATE = r"(?P<date>[A-Z][a-z]+ \d{1,2}, \d{4}(?: \d{1,2}:\d{2})?)"
META = re.compile(
    rf"(?P<show>\S.*?)\s+-\s+{DATE}"
    r"(?:\s+-\s+(?P<length>\d[\w ,]*?(?:minutes?|hours?|seconds?)))?(?:[\s-]*[★☆½ ].*)?(?:[\s-]*\d+ ratings?)?"
)
CUT_FROM = 270  # the site cuts at 297 characters before it collapses white space; a shorter text may end in "..." itself


def recognises(page: Page) -> bool:
    return len(_metas(lines(page))) >= 2


def read(page: Page, show: Show) -> Reading:
    """The entries that name the show, in their order; those of other shows are counted and left alone."""
    found = lines(page)
    metas = _metas(found)
    if not metas:
        raise Refused('no entry with a line like "Show - August 18, 2021 13:00 - 13 minutes" in it')
    entries = []
    for number, (start, width, meta) in enumerate(metas):
        end = metas[number + 1][0] - 1 if number + 1 < len(metas) else len(found)
        if is_show(meta["show"], show.title):
            entries.append(_entry(found[start - 1], meta, found[start + width : end]))
    foreign = len(metas) - len(entries)
    if not entries:
        raise Refused(f"none of its {foreign} entries names {show.title}")
    return Reading(fill(tuple(entries), episodes(page)), show.title, foreign)


def _metas(found: tuple[Line, ...]) -> list[tuple[int, int, re.Match[str]]]:
    """Where an entry's second line is, and how many lines of the page make it: HTML may break it at its parts."""
    metas: list[tuple[int, int, re.Match[str]]] = []
    place = 1
    while place < len(found):
        width, match = _meta_at(found, place)
        if match:
            metas.append((place, width, match))
        place += width + 1 if match else 1
    return metas


def _meta_at(found: tuple[Line, ...], place: int) -> tuple[int, re.Match[str] | None]:
    """The longest run of lines from here that makes one such line, each part but the first a date, a length or stars."""
    parts = [found[place].text.strip(" -")]
    for line in found[place + 1 : place + 4]:
        part = line.text.strip(" -")
        if len(part) > 80 or not re.match(rf"{DATE}|\d+ \w+|[★☆]", part):
            break
        parts.append(part)
    for width in range(len(parts), 0, -1):
        whole = " - ".join(parts[:width])
        if len(whole) < 400 and (match := META.fullmatch(whole)):
            return width, match
    return 0, None


def _entry(head: Line, meta: re.Match[str], body: tuple[Line, ...]) -> Said:
    at = moment(meta["date"])
    length = meta["length"] or ""
    span = seconds(length)
    printed = next((line.text for line in body if line.text != f"{meta['show']} artwork"), "")
    text = re.sub(r"\s*(?:\.\.\.|…)$", "", printed)
    marked = text != printed
    return Said(
        title=head.text,
        text=text if marked and len(text) >= CUT_FROM else printed,
        cut=marked and len(text) >= CUT_FROM,
        show=meta["show"],
        url=next((a.href for a in head.links), ""),
        date_raw=meta["date"],
        published=at.isoformat() if at else "",
        length_raw=length,
        seconds_low=span[0] if span else None,
        seconds_high=span[1] if span else None,
        raw="\n".join((head.text, meta.group(), printed)),
    )
