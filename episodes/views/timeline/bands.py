"""A show as strips of twelve months, a year each: every episode a bar as long as it lasts, and what each year was about."""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from itertools import groupby

from django.db.models import Count, Max, Sum

from ...models import Counts, Episode, EpisodeTopic, MonthOf, Podcast
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


@dataclass
class Whole:
    """A show on all pages together: its longest episode in seconds, its undated episodes, and its years: their counts, and
    the number of episodes about each group of topics."""

    longest: int = 0
    undated: int = 0
    years: dict[int, Counts] = field(default_factory=dict)
    themes: dict[int, Groups] = field(default_factory=dict)


def wholes(page: Iterable[Episode]) -> dict[int, Whole]:
    """The shows of the page by their ids, each with all its years; three queries."""
    shows = {episode.podcast_id for episode in page}
    found = {show: Whole() for show in shows}
    listed = Episode.objects.listed().filter(podcast__in=shows).order_by()
    by_month = listed.values_list("podcast", MonthOf("published_at")).annotate(
        episodes=Count("pk"),
        timed=Count("duration_seconds"),
        seconds=Sum("duration_seconds"),
        most=Max("duration_seconds"),
    )
    for show, month, episodes, timed, seconds, most in by_month:
        whole = found[show]
        whole.longest = max(whole.longest, most or 0)
        if month:
            extent = whole.years.setdefault(int(month[:4]), Counts())
            extent.update(episodes=episodes, timed=timed, seconds=seconds or 0)
        else:
            whole.undated += episodes
    uses = EpisodeTopic.objects.filter(episode__in=listed.exclude(published_at=None).values("pk")).order_by()
    by_group = uses.values_list("episode__podcast", MonthOf("episode__published_at"), "topic__group")
    for show, month, group, n in by_group.annotate(n=Count("episode", distinct=True)):
        themes = found[show].themes.setdefault(int(month[:4]), {})
        themes[group] = themes.get(group, 0) + n
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
