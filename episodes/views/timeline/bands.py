"""A show as strips of twelve months, a year each: every episode a bar as long as it lasts, and what each year was about."""

from __future__ import annotations

import calendar
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import groupby

from django.db.models import Count, Max

from ...models import Counts, Episode, EpisodeTopic, Podcast, count, stored_counts
from ...text import formatting
from ..lists.facets import share

MOST_COLOURS = 3  # of one bar
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


@dataclass(frozen=True)
class Whole:
    """What there is of a show on all pages together: its years with their counts."""

    longest: int
    undated: int
    years: dict[int, Counts]
    themes: dict[int, Groups]


def wholes(page: Iterable[Episode]) -> dict[int, Whole]:
    """The shows of the page by their ids; of their years those from the first on the page to the last."""
    years: dict[int, set[int]] = {}
    for episode in page:
        dated = [episode.published_at.astimezone(UTC).year] if episode.published_at else []
        years.setdefault(episode.podcast_id, set()).update(dated)
    return {show: _whole(show, known) for show, known in years.items()}


def _whole(show: int, years: Collection[int]) -> Whole:
    listed = Episode.objects.listed().filter(podcast=show)
    counts = stored_counts("", show) or count(listed)
    longest = listed.aggregate(longest=Max("duration_seconds"))["longest"] or 0
    found = Whole(longest, counts["month:"], {}, {})
    for year in range(min(years), max(years) + 1) if years else ():
        found.years[year] = stored_counts(f"year:{year}", show) or count(listed.published_in(year))
        of_year = EpisodeTopic.objects.filter(episode__in=listed.published_in(year).order_by())
        rows = of_year.order_by().values_list("topic__group").annotate(n=Count("episode", distinct=True))
        found.themes[year] = dict(rows)
    return found


def bands(page: Iterable[Episode], wholes: Mapping[int, Whole], groups: Sequence[str]) -> list[Band]:
    """A band for each show; the episodes come show by show, the oldest first, with their topics; `groups` in order."""
    by_show = groupby(page, key=lambda episode: episode.podcast)
    return [_band(podcast, list(rows), wholes[podcast.pk], groups) for podcast, rows in by_show]


def _band(podcast: Podcast, episodes: list[Episode], whole: Whole, groups: Sequence[str]) -> Band:
    months: dict[tuple[int, int], list[Episode]] = {}
    dated = [(e.published_at.astimezone(UTC), e.order, e) for e in episodes if e.published_at]
    for at, _, episode in sorted(dated, key=lambda row: row[:2]):
        months.setdefault((at.year, at.month), []).append(episode)
    years = range(min(months)[0], max(months)[0] + 1) if months else range(0)
    return Band(
        podcast,
        episodes,
        [_year(year, months, whole, groups) for year in years],
        formatting.minutes(whole.longest or None),
        [episode for episode in episodes if not episode.published_at],
        whole.undated,
    )


def _year(
    year: int, months: Mapping[tuple[int, int], Sequence[Episode]], whole: Whole, groups: Sequence[str]
) -> TimelineYear:
    extent = whole.years.get(year, Counts())
    strip = [
        Month(
            calendar.month_abbr[month],
            calendar.month_name[month],
            [_mark(episode, whole.longest) for episode in months.get((year, month), ())],
        )
        for month in range(1, 13)
    ]
    words = filter(None, (formatting.episodes(extent["episodes"]), formatting.together(extent)))
    return TimelineYear(year, strip, " · ".join(words), themes(whole.themes.get(year, {}), groups))


def _mark(episode: Episode, longest: int) -> TimelineMark:
    topics = episode.topics_in_order
    length = formatting.minutes(episode.duration_seconds) or "length unknown"
    return TimelineMark(
        episode,
        share(episode.duration_seconds, longest) if episode.duration_seconds else 0,
        list(dict.fromkeys(topic.group for topic in topics))[:MOST_COLOURS],
        " · ".join(
            filter(None, (formatting.day(episode.published_at), length, ", ".join(topic.name for topic in topics)))
        ),
    )


def themes(counts: Groups, groups: Sequence[str]) -> list[Theme]:
    """The groups of a year in their order, each with its part of a bar of 100."""
    total, start, found = sum(counts.values()), 0, []
    for group in sorted(counts, key=groups.index):
        found.append(Theme(group, counts[group], round(100 * start / total, 2), round(100 * counts[group] / total, 2)))
        start += counts[group]
    return found
