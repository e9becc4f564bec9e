"""The whole show as marks on months: where each episode stands, how tall its length makes it, and its topics' groups."""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date
from itertools import groupby

from . import wording
from .models import Episode, Podcast

DAY = 8  # units from one day to the next
WIDTH = 31 * DAY
TALL = 88  # the longest episode
UNKNOWN = 11  # a length that is not known
DOT = 7  # from the middle of one dot to the next
MOST_DOTS = 3
BASE = TALL + DOT * MOST_DOTS  # the line on which the marks stand


@dataclass(frozen=True)
class Mark:
    """An episode on its day; `x`, `y`, `width` and `height` in units, `dots` from the mark upwards with their groups."""

    episode: Episode
    x: float
    y: int
    width: float
    height: int
    dots: list[tuple[int, str]]
    words: str

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True)
class Month:
    name: str
    whole_name: str
    marks: list[Mark]


@dataclass(frozen=True)
class Year:
    """Twelve months, empty ones included, with what the episodes of the year come to."""

    year: int
    months: list[Month]
    extent: str


@dataclass(frozen=True)
class Band:
    """A show: its years from the first episode to the last, how long the tallest mark lasts, and who stands nowhere."""

    podcast: Podcast
    episodes: list[Episode]
    years: list[Year]
    longest: str
    undated: list[Episode]


def bands(episodes: Iterable[Episode]) -> list[Band]:
    """A band for each show; `episodes` come show by show, the oldest first, with their topics."""
    return [_band(podcast, list(rows)) for podcast, rows in groupby(episodes, key=lambda episode: episode.podcast)]


def _band(podcast: Podcast, episodes: list[Episode]) -> Band:
    days: dict[date, list[Episode]] = {}
    for episode in episodes:
        if episode.published_at:
            days.setdefault(episode.published_at.astimezone(UTC).date(), []).append(episode)
    longest = max((e.duration_seconds or 0 for e in episodes), default=0)
    years = range(min(days).year, max(days).year + 1) if days else range(0)
    return Band(
        podcast,
        episodes,
        [_year(year, days, longest) for year in years],
        wording.minutes(longest or None),
        [episode for episode in episodes if not episode.published_at],
    )


def _year(year: int, days: dict[date, list[Episode]], longest: int) -> Year:
    here = {day: rows for day, rows in days.items() if day.year == year}
    months = [
        Month(
            calendar.month_abbr[month],
            calendar.month_name[month],
            [mark for day in sorted(here) if day.month == month for mark in _marks(day, here[day], longest)],
        )
        for month in range(1, 13)
    ]
    rows = [episode for found in here.values() for episode in found]
    known = [e.duration_seconds for e in rows if e.duration_seconds is not None]
    together = wording.together({"episodes": len(rows), "timed": len(known), "seconds": sum(known)})
    return Year(year, months, " · ".join(filter(None, (wording.episodes(len(rows)), together))))


def _marks(day: date, episodes: Sequence[Episode], longest: int) -> Iterator[Mark]:
    """Those of a day share its width."""
    width = (DAY - 2) / len(episodes)
    for place, episode in enumerate(episodes):
        height = _height(episode.duration_seconds, longest) if episode.duration_seconds else UNKNOWN
        groups = list(dict.fromkeys(use.topic.group for use in episode.topic_uses.all()))[:MOST_DOTS]
        dots = [(BASE - height - DOT * (nth + 1) + 1, group) for nth, group in enumerate(groups)]
        x = round((day.day - 1) * DAY + 1 + place * width, 2)
        yield Mark(episode, x, BASE - height, round(width, 2), height, dots, _words(episode))


def _words(episode: Episode) -> str:
    number = "" if episode.number is None else f"{episode.number} "
    length = wording.minutes(episode.duration_seconds) or "length not known"
    topics = ", ".join(use.topic.name for use in episode.topic_uses.all())
    parts = (f"{number}{episode.heading}", wording.day(episode.published_at), length, topics)
    return " · ".join(filter(None, parts))


def _height(seconds: int, longest: int) -> int:
    return max(2, round(seconds * TALL / longest))
