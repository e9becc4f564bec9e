"""Finds lists of chapters: rows whose times begin with the audio and go on through it, whatever their titles are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...text.timecodes import position
from .lines import Line

TIME = re.compile(
    r"^[\W_]*(?P<first>(?:\d{1,2}:)?\d{1,2}:[0-5]\d)(?![\d:])|(?<![\d:])(?P<last>(?:\d{1,2}:)?\d{1,2}:[0-5]\d)\W*$"
)
FIRST = 90  # seconds by which the first chapter has begun
APART = 3  # rows from one chapter to the next
FEWEST = 3


def chapters(lines: Sequence[Line]) -> set[int]:
    """The rows of lists of chapters."""
    found: set[int] = set()
    run: list[int] = []
    before = -1.0
    for line in lines:
        at = _time(line)
        if at is None:
            continue
        if run and before < at and line.place - run[-1] <= APART:
            run.append(line.place)
        else:
            found |= _rows(run)
            run = [line.place] if at <= FIRST else []
        before = at
    return found | _rows(run)


def _time(line: Line) -> float | None:
    match = TIME.search(line.text) if len(line.text) < 300 else None
    return position(match["first"] or match["last"]) if match else None


def _rows(run: Sequence[int]) -> set[int]:
    return set(range(run[0], run[-1] + 1)) if len(run) >= FEWEST else set()
