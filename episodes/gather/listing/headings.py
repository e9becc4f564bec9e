"""Finds headings that name a year or a month, which complete the dates of the entries below them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..local_dates import month_and_year
from .entries import PageEntry, votes
from .lines import HEADED, Line

BESIDE = re.compile(r"\s*[\[(（][^\[\]()（）]{0,40}[\])）]\s*$|^[\s#*=~·•–—-]+|[\s#*=~·•:–—-]+$")
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
LONGEST = 60


def under_headings(lines: Sequence[Line]) -> list[Line]:
    """The lines, each told the year and month that stand above it, if any do."""
    found: list[Line] = []
    under = (0, 0)
    for line in lines:
        named = _named(line)
        if named:
            under = (named[0] or under[0], named[1])
        found.append(replace(line, under=under, heads=named is not None) if under[0] else line)
    return found


def contradicted(entries: Sequence[PageEntry]) -> bool:
    """Whether more of the dates that headings complete contradict what is known than agree with it."""
    headed = (entry for entry in entries if "date" in entry.found and entry.found["date"].style == HEADED)
    days = votes(headed, "date")
    return days.count(-1) > days.count(1)


def _named(line: Line) -> tuple[int, int] | None:
    """The year (0: as before) and month (0: none) that a row names and nothing else."""
    text, before = line.text, ""
    if len(text) > LONGEST or line.row.region or (line.row.links and not line.row.heading):
        return None
    while text != before:
        text, before = BESIDE.sub("", text), text
    return month_and_year(text, line.language) or _year_of(text, line) if text else None


def _year_of(text: str, line: Line) -> tuple[int, int] | None:
    """The year that a heading names among a few words: "2021, second quarter"."""
    years = YEAR.findall(text)
    alone = line.row.heading or (not line.row.path and line.row.gap)
    few = len(text.split()) < 6 and not line.marks and not text.startswith("©")
    return (int(years[0]), 0) if len(years) == 1 and alone and few and len(re.findall(r"\d", text)) < 6 else None
