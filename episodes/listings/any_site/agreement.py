"""What a date or a length on a page says about an episode that is known."""

from __future__ import annotations

from datetime import date

from ...dates import Mark, day_in
from .episode_index import KnownEpisode


def days_of(mark: Mark) -> list[date]:
    """Days that a date can mean: two where day and month cannot be told apart."""
    if mark.day:
        return [mark.day]
    if not mark.numbers:
        return []
    first, second, year = mark.numbers
    return [day for day in (day_in(year, second, first), day_in(year, first, second)) if day]


def agreement(mark: Mark, episode: KnownEpisode) -> int:
    """1 where a date or length is the episode's, -1 where it is not, 0 where it says nothing."""
    if mark.kind == "date":
        return episode.agrees_with_day(days_of(mark))
    if mark.kind in ("length", "clock") and mark.span:
        return episode.agrees_with_span(*mark.span)
    return 0
