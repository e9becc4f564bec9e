"""A show as strips of twelve months, a year each: every episode a bar as long as it lasts, and what each year was about."""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import groupby

from django.db.models import Count, Max, Q, Sum

from ...models import Episode, EpisodeQuerySet, EpisodeTopic, Podcast, YearOf
from ...text import formatting
from ..lists.facets import share

MOST_COLOURS = 3  # of one bar
NO_EPISODES = {"episodes": 0, "timed": 0, "seconds": 0}
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
    """What there is of a show on all pages together: its years with their extents as `formatting.together` takes them."""

    longest: int
    undated: int
    years: dict[int, dict[str, int]]
    themes: dict[int, Groups]


def wholes(page: Iterable[Episode]) -> dict[int, Whole]:
    """The shows of the page by their ids; of their years those from the first on the page to the last."""
    years: dict[int, list[int]] = {}
    for episode in page:
        dated = [episode.published_at.astimezone(UTC).year] if episode.published_at else []
        years.setdefault(episode.podcast_id, []).extend(dated)
    shows = Episode.objects.listed().filter(podcast__in=years).order_by().values("podcast")
    sums = shows.annotate(longest=Max("duration_seconds"), undated=Count("pk", filter=Q(published_at=None)))
    found = {row["podcast"]: Whole(row["longest"] or 0, row["undated"], {}, {}) for row in sums}
    shown = _published_in(years)
    extents = shown.values("podcast", year=YearOf("published_at"))
    for row in extents.annotate(episodes=Count("pk"), timed=Count("duration_seconds"), seconds=Sum("duration_seconds")):
        extent = {name: row[name] or 0 for name in ("episodes", "timed", "seconds")}
        found[row["podcast"]].years[row["year"]] = extent
    for podcast, year, group, count in _theme_counts(shown):
        found[podcast].themes.setdefault(year, {})[group] = count
    return found


def _published_in(years: Mapping[int, Sequence[int]]) -> EpisodeQuerySet:
    """The episodes of each show from the first to the last of its years."""
    within = Q(pk=None)
    for podcast, known in years.items():
        if known:
            within |= Q(podcast=podcast, published_at__year__gte=min(known), published_at__year__lte=max(known))
    return Episode.objects.listed().filter(within).order_by()


def _theme_counts(shown: EpisodeQuerySet) -> Iterable[tuple[int, int, str, int]]:
    """Show, year, group of topics, and the number of episodes about it."""
    uses = EpisodeTopic.objects.within(shown).order_by()
    rows = uses.values_list("episode__podcast", YearOf("episode__published_at"), "topic__group")
    return rows.annotate(n=Count("episode", distinct=True))


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
    extent = whole.years.get(year, NO_EPISODES)
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
    uses = episode.topic_uses.all()
    length = formatting.minutes(episode.duration_seconds) or "length unknown"
    topics = ", ".join(use.topic.name for use in uses)
    return TimelineMark(
        episode,
        share(episode.duration_seconds, longest) if episode.duration_seconds else 0,
        list(dict.fromkeys(use.topic.group for use in uses))[:MOST_COLOURS],
        " · ".join(filter(None, (formatting.day(episode.published_at), length, topics))),
    )


def themes(counts: Groups, groups: Sequence[str]) -> list[Theme]:
    """The groups of a year in their order, each with its part of a bar of 100."""
    total, start, found = sum(counts.values()), 0, []
    for group in sorted(counts, key=groups.index):
        found.append(Theme(group, counts[group], round(100 * start / total, 2), round(100 * counts[group] / total, 2)))
        start += counts[group]
    return found
