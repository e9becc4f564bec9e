"""A show as strips of twelve months, a year each: every episode a bar as long as it lasts, and what each year was about."""

from __future__ import annotations

import calendar
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db.models import Count, Max, Sum, Value
from django.db.models.functions import Coalesce, Substr

from ...models import Episode, EpisodeTopic, MonthOf, Podcast
from ...text import formatting
from ..lists.facets import share

MOST_COLOURS = 3  # of one bar
NOTHING = {"episodes": 0, "timed": 0, "seconds": 0}
Groups = dict[str, int]  # how many episodes are about a topic of each group


@dataclass(frozen=True)
class TimelineMark:
    """An episode of a month; `share` is its length in tenths of the longest, `groups` give it its colours."""

    episode: Episode
    share: int
    groups: list[str]
    about: str


@dataclass(frozen=True)
class Month:
    name: str
    whole_name: str
    marks: list[TimelineMark]


@dataclass(frozen=True)
class Theme:
    """A group of topics in a year: the number of episodes about it, and its part of the year's bar."""

    group: str
    count: int
    start: float
    width: float


@dataclass(frozen=True)
class TimelineYear:
    """Twelve months, empty ones included, and what the episodes of the year come to."""

    year: int
    months: list[Month]
    extent: str
    themes: list[Theme]


@dataclass(frozen=True)
class Band:
    """A show: its years from the first episode of the page to the last, and those without a date.

    How long the longest lasts, and how many have no date, are of the whole show.
    """

    podcast: Podcast
    episodes: list[Episode]
    years: list[TimelineYear]
    longest: str
    undated: list[Episode]
    all_undated: int

    @property
    def drifts(self) -> bool:
        """True where a comparison of years says something."""
        return sum(bool(year.themes) for year in self.years) > 1


class Whole:
    """A show on all pages together: by year its counts, "" for the undated, and the episodes about each group of topics."""

    def __init__(self) -> None:
        self.years: dict[str, dict[str, int]] = {}
        self.themes: defaultdict[str, Groups] = defaultdict(dict)

    @property
    def longest(self) -> int:
        return max(extent["longest"] for extent in self.years.values())


def wholes(page: Iterable[Episode]) -> dict[int, Whole]:
    """The shows of the page by their ids, each with all its years; two queries."""
    found: defaultdict[int, Whole] = defaultdict(Whole)
    listed = Episode.objects.listed().filter(podcast__in={episode.podcast_id for episode in page}).order_by()
    by_year: Any = listed.values("podcast", year=year_of("published_at")).annotate(
        episodes=Count("pk"),
        timed=Count("duration_seconds"),
        seconds=Coalesce(Sum("duration_seconds"), 0),
        longest=Coalesce(Max("duration_seconds"), 0),
    )
    for row in by_year:
        found[row["podcast"]].years[row["year"]] = row
    uses = EpisodeTopic.objects.filter(episode__in=listed.values("pk")).order_by()
    by_group = uses.values_list("episode__podcast", year_of("episode__published_at"), "topic__group")
    for show, year, group, count in by_group.annotate(n=Count("episode", distinct=True)):
        found[show].themes[year][group] = count
    return found


def year_of(column: str) -> Coalesce:
    """The year of an instant in UTC; "" where there is none."""
    return Coalesce(Substr(MonthOf(column), 1, 4), Value(""))


def bands(page: Iterable[Episode], wholes: Mapping[int, Whole], groups: Sequence[str]) -> list[Band]:
    """A band for each show; the episodes come show by show, the oldest first, with their topics; `groups` in order."""
    by_show = groupby(page, key=lambda episode: episode.podcast)
    return [_band(podcast, list(rows), wholes[podcast.pk], groups) for podcast, rows in by_show]


def _band(podcast: Podcast, episodes: list[Episode], whole: Whole, groups: Sequence[str]) -> Band:
    # Those of one instant stay in the order of the show.
    dated: list[Any] = [episode for episode in episodes if episode.published_at]
    dated.sort(key=lambda episode: episode.published_at)
    by_month = groupby(dated, key=lambda episode: (episode.published_at.year, episode.published_at.month))
    months = {month: list(of_month) for month, of_month in by_month}
    years = range(min(months)[0], max(months)[0] + 1) if months else range(0)
    return Band(
        podcast,
        episodes,
        [_year(year, months, whole, groups) for year in years],
        formatting.minutes(whole.longest or None),
        [episode for episode in episodes if not episode.published_at],
        whole.years.get("", {}).get("episodes", 0),
    )


def _year(
    year: int, months: Mapping[tuple[int, int], Sequence[Episode]], whole: Whole, groups: Sequence[str]
) -> TimelineYear:
    strip = []
    for month in range(1, 13):
        marks = [_mark(episode, whole.longest) for episode in months.get((year, month), ())]
        strip.append(Month(calendar.month_abbr[month], calendar.month_name[month], marks))
    extent = whole.years.get(str(year), NOTHING)
    words = filter(None, (formatting.episodes(extent["episodes"]), formatting.together(extent)))
    return TimelineYear(year, strip, " · ".join(words), themes(whole.themes[str(year)], groups))


def _mark(episode: Episode, longest: int) -> TimelineMark:
    topics = episode.topics_in_order
    length = formatting.minutes(episode.duration_seconds) or "length unknown"
    about = (formatting.day(episode.published_at), length, ", ".join(topic.name for topic in topics))
    return TimelineMark(
        episode,
        share(episode.duration_seconds or 0, max(longest, 1)),
        list(dict.fromkeys(topic.group for topic in topics))[:MOST_COLOURS],
        " · ".join(filter(None, about)),
    )


def themes(counts: Groups, groups: Sequence[str]) -> list[Theme]:
    """The groups of a year in their order, each with its part of a bar of 100."""
    total, start, found = sum(counts.values()), 0, []
    for group in sorted(counts, key=groups.index):
        found.append(Theme(group, counts[group], round(100 * start / total, 2), round(100 * counts[group] / total, 2)))
        start += counts[group]
    return found
