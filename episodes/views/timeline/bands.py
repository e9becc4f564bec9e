"""A show as marks on months: where each episode stands, how tall its length makes it, and its topics' groups."""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date
from itertools import groupby

from django.db.models import Count, Max, Q, Sum
from django.db.models.functions import ExtractYear

from ...models import Episode, Podcast
from ...text import formatting

DAY = 8  # units from one day to the next
WIDTH = 31 * DAY
TALL = 88  # the longest episode
UNKNOWN = 11  # a length that is not known
DOT = 7  # from the middle of one dot to the next
MOST_DOTS = 3
NO_EPISODES = {"episodes": 0, "timed": 0, "seconds": 0}
BASE = TALL + DOT * MOST_DOTS  # the line on which the marks stand


@dataclass(frozen=True)
class TimelineMark:
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
    marks: list[TimelineMark]


@dataclass(frozen=True)
class TimelineYear:
    """Twelve months, empty ones included, with what the episodes of the year come to."""

    year: int
    months: list[Month]
    extent: str


@dataclass(frozen=True)
class Band:
    """A show: its years from the first episode of the page to the last, and those without a date, who stand nowhere.

    How long the tallest mark lasts, and how many have no date, are of the whole show.
    """

    podcast: Podcast
    episodes: list[Episode]
    years: list[TimelineYear]
    longest: str
    undated: list[Episode]
    all_undated: int


@dataclass(frozen=True)
class Whole:
    """What there is of a show on all pages together: its years with their extents as `formatting.together` takes them."""

    longest: int
    undated: int
    years: dict[int, dict[str, int]]


def wholes(page: Iterable[Episode]) -> dict[int, Whole]:
    """The shows of the page by their ids; of their years those from the first on the page to the last."""
    years: dict[int, list[int]] = {}
    for episode in page:
        dated = [episode.published_at.astimezone(UTC).year] if episode.published_at else []
        years.setdefault(episode.podcast_id, []).extend(dated)
    shows = Episode.objects.listed().filter(podcast__in=years).order_by().values("podcast")
    sums = shows.annotate(longest=Max("duration_seconds"), undated=Count("pk", filter=Q(published_at=None)))
    found = {row["podcast"]: Whole(row["longest"] or 0, row["undated"], {}) for row in sums}
    on_page = Q(pk=None)
    for podcast, known in years.items():
        if known:
            on_page |= Q(podcast=podcast, published_at__year__gte=min(known), published_at__year__lte=max(known))
    extents = Episode.objects.listed().filter(on_page).order_by().values("podcast", year=ExtractYear("published_at"))
    for row in extents.annotate(episodes=Count("pk"), timed=Count("duration_seconds"), seconds=Sum("duration_seconds")):
        extent = {name: row[name] or 0 for name in ("episodes", "timed", "seconds")}
        found[row["podcast"]].years[row["year"]] = extent
    return found


def bands(page: Iterable[Episode], wholes: Mapping[int, Whole]) -> list[Band]:
    """A band for each show; the episodes come show by show, the oldest first, with their topics."""
    by_show = groupby(page, key=lambda episode: episode.podcast)
    return [_band(podcast, list(rows), wholes[podcast.pk]) for podcast, rows in by_show]


def _band(podcast: Podcast, episodes: list[Episode], whole: Whole) -> Band:
    days: dict[date, list[Episode]] = {}
    for episode in episodes:
        if episode.published_at:
            days.setdefault(episode.published_at.astimezone(UTC).date(), []).append(episode)
    years = range(min(days).year, max(days).year + 1) if days else range(0)
    return Band(
        podcast,
        episodes,
        [_year(year, days, whole) for year in years],
        formatting.minutes(whole.longest or None),
        [episode for episode in episodes if not episode.published_at],
        whole.undated,
    )


def _year(year: int, days: dict[date, list[Episode]], whole: Whole) -> TimelineYear:
    here = {day: rows for day, rows in days.items() if day.year == year}
    months = [
        Month(
            calendar.month_abbr[month],
            calendar.month_name[month],
            [mark for day in sorted(here) if day.month == month for mark in _marks(day, here[day], whole.longest)],
        )
        for month in range(1, 13)
    ]
    extent = whole.years.get(year, NO_EPISODES)
    return TimelineYear(
        year, months, " · ".join(filter(None, (formatting.episodes(extent["episodes"]), formatting.together(extent))))
    )


def _marks(day: date, episodes: Sequence[Episode], longest: int) -> Iterator[TimelineMark]:
    """Those of a day share its width."""
    width = (DAY - 2) / len(episodes)
    for place, episode in enumerate(episodes):
        height = _height(episode.duration_seconds, longest) if episode.duration_seconds else UNKNOWN
        groups = list(dict.fromkeys(use.topic.group for use in episode.topic_uses.all()))[:MOST_DOTS]
        dots = [(BASE - height - DOT * (nth + 1) + 1, group) for nth, group in enumerate(groups)]
        x = round((day.day - 1) * DAY + 1 + place * width, 2)
        yield TimelineMark(episode, x, BASE - height, round(width, 2), height, dots, _words(episode))


def _words(episode: Episode) -> str:
    length = formatting.minutes(episode.duration_seconds) or "length not known"
    topics = ", ".join(use.topic.name for use in episode.topic_uses.all())
    parts = (f"{episode.numbering} {episode.heading}".strip(), formatting.day(episode.published_at), length, topics)
    return " · ".join(filter(None, parts))


def _height(seconds: int, longest: int) -> int:
    return max(2, round(seconds * TALL / longest))
