"""The time between two readings of a source: as often as it changes, less and less while nothing happens, and
rarely where it fails."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from ..models import DEAD_AFTER

READINGS = 20  # between two changes, so a change is noticed after a twentieth of the usual time
NEW_GAP_WEIGHS = 0.3  # in the usual time between two changes
LONGEST_RETRY = timedelta(days=7)
# A refused document is read daily for so long: a change that stays for three days is imported by
# itself.
REFUSED_RETRY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The shortest and the longest time between two readings of a source that works."""

    least: timedelta
    most: timedelta


@dataclass(frozen=True, slots=True)
class Rhythm:
    """The bounds for feeds and for all other pages."""

    feeds: Bounds = Bounds(timedelta(minutes=30), timedelta(days=1))
    pages: Bounds = Bounds(timedelta(days=1), timedelta(days=7))

    def of(self, reader: str) -> Bounds:
        return self.feeds if reader == "feed" else self.pages


def usual_gap(before: timedelta | None, newest: timedelta | None) -> timedelta | None:
    """The usual time between two changes, after one more of them; None before the second change."""
    if before is None or newest is None:
        return newest
    return before + NEW_GAP_WEIGHS * (newest - before)


def interval(bounds: Bounds, gap: timedelta | None, silence: timedelta) -> timedelta:
    """The time to the next reading of a source that works.

    `silence` is the time since the last change: a new source, whose rhythm nobody knows, and one
    that has ended are asked less and less.
    """
    wanted: timedelta = max(gap or timedelta(), silence) / READINGS
    return max(bounds.least, min(wanted, bounds.most))


def retry(bounds: Bounds, failures: int, failing: timedelta, *, refused: bool) -> timedelta:
    """The time to the next attempt at a source that failed: twice as long each time, up to a
    week."""
    longest = REFUSED_RETRY if refused and failing < DEAD_AFTER else LONGEST_RETRY
    doubled: timedelta = bounds.least * 2 ** min(failures - 1, 20)
    return min(doubled, longest)
