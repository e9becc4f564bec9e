"""What is gathered of one entry of a page, and whether its date or length agrees with what is known of its episode."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from ..local_dates import Mark
from .known import KnownEpisode
from .lines import LETTERS, Line
from .starts import Start, fielded

PROSE_WORDS = 8
FIELD_LETTERS = 40  # letters beside a date or a length in a row that is a field
PARTS = re.compile(r"\s*[|·•]\s*")
FAR = 60  # seconds by which equal lengths differ where one is rounded


@dataclass(slots=True)
class PageEntry:
    """What stands at one start."""

    start: Start
    rows: list[int] = field(default_factory=list)  # its own
    block: bool = False  # they are more than those that name it
    text: str = ""
    cut: bool | None = None
    text_rows: set[int] = field(default_factory=set)
    tails: list[tuple[int, int]] = field(default_factory=list)  # row, and where its text ends
    found: dict[str, Mark] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FieldHit:
    """A date, length or clock in a row, with how it is printed."""

    place: int
    mark: Mark
    raw: str


def is_prose(line: Line) -> bool:
    """Whether a row reads as sentences."""
    if line.row.heading or line.text.startswith(("©", "Copyright ")):
        return False
    parts = [part.split() for part in PARTS.split(line.text)]
    if len(parts) > 2 and all(len(part) < 5 for part in parts):
        return False  # "1.9K plays · 12 likes · 3 comments"
    if line.marks and sum(map(len, LETTERS.findall(line.left(0, len(line.text))))) < FIELD_LETTERS:
        return False
    words = len(line.text.split()) if not re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", line.text) else len(line.text) // 3
    return words >= PROSE_WORDS or (
        words >= 4 and line.text.endswith((".", "!", "?", "。")) and not line.text.endswith("..") and not fielded(line)
    )


def agrees(mark: Mark, episode: KnownEpisode) -> int:
    """1 where a date or length agrees with what is known, -1 where it does not, 0 where nothing is known."""
    if mark.kind == "date":
        possible = [mark.day] if mark.day else _readings(mark)
        if not episode.days:
            return -1 if episode.between and not any(_fits(day, episode.between) for day in possible) else 0
        return 1 if any(abs((day - known).days) <= 2 for day in possible if day for known in episode.days) else -1
    if not episode.spans or not mark.span or mark.kind == "ago":
        return 0
    return 1 if any(mark.span[0] - FAR <= high and low <= mark.span[1] + FAR for low, high in episode.spans) else -1


def votes(entries: Iterable[PageEntry], *kinds: str) -> list[int]:
    """What `agrees` says of every date, length or clock of the kinds that entries of known episodes have; of all kinds
    where none is named."""
    found = [(e.start.episode, mark, kind) for e in entries if e.start.episode for kind, mark in e.found.items()]
    return [agrees(mark, episode) for episode, mark, kind in found if not kinds or kind in kinds]


def _fits(day: date, between: tuple[date, date]) -> bool:
    low, high = between
    return (day - low).days >= -2 and (high - day).days >= -2


def _readings(mark: Mark) -> list[date]:
    found = []
    if mark.numbers:
        first, second, year = mark.numbers
        for month, day in ((second, first), (first, second)):
            try:
                found.append(date(year, month, day))
            except ValueError:
                continue
    return found
