"""The timeline: each show as strips of twelve months, every episode a bar as long as it lasts."""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db.models import Count, Max, Sum, Value
from django.db.models.functions import Coalesce, Substr
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import Episode, MonthOf, Podcast, for_cards
from ..site import site
from ..text import formatting
from .lists.facets import share
from .page import show_page
from .pages import page_links, paged

MOST_COLOURS = 3  # of one bar
NOTHING = {"episodes": 0, "timed": 0, "seconds": 0, "longest": 0}
Extents = Mapping[str, Mapping[str, int]]  # counts of a show's episodes by year, "" for no date


@dataclass(frozen=True)
class TimelineMark:
    """An episode of a month; `share` is its length in tenths of the longest, `groups` give it its
    colours."""

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
class TimelineYear:
    """Twelve months, empty ones included, and the count and length of the year's episodes."""

    year: int
    months: list[Month]
    extent: str


@dataclass(frozen=True)
class Band:
    """A show: its years from the first episode of the page to the last, and those without a date.

    The length of the longest episode, and the number without a date, are of the whole show.
    """

    podcast: Podcast
    episodes: list[Episode]
    years: list[TimelineYear]
    groups: list[str]  # of topics: a colour each
    longest: str
    undated: list[Episode]
    all_undated: int


@require_safe
def timeline(request: HttpRequest) -> HttpResponse:
    """Every episode in its month, as long as it lasts; those without a date beneath."""
    oldest = Episode.objects.listed().order_by("podcast", "order").values_list("pk", flat=True)
    page = paged(request, oldest)
    rows = for_cards(page)
    by_year = extents({row.podcast_id for row in rows})
    context = page_links(request, page, reverse("timeline")) | {
        "section": "timeline",
        "site": site(),
        "several": Episode.objects.listed().order_by().values("podcast").distinct()[1:2].exists(),
        "bands": [
            band(podcast, list(episodes), by_year[podcast.pk])
            for podcast, episodes in groupby(rows, key=lambda episode: episode.podcast)
        ],
    }
    return show_page(request, "episodes/timeline.html", context)


def extents(podcasts: Iterable[int]) -> dict[int, dict[str, dict[str, int]]]:
    """The counts of all listed episodes of these shows, by show and year."""
    listed = Episode.objects.listed().filter(podcast__in=podcasts).order_by()
    year = Coalesce(Substr(MonthOf("published_at"), 1, 4), Value(""))
    by_year: Any = listed.values("podcast", year=year).annotate(
        episodes=Count("pk"),
        timed=Count("duration_seconds"),
        seconds=Coalesce(Sum("duration_seconds"), 0),
        longest=Coalesce(Max("duration_seconds"), 0),
    )
    counted: dict[int, dict[str, dict[str, int]]] = {}
    for row in by_year:
        counted.setdefault(row["podcast"], {})[row["year"]] = row
    return counted


def band(podcast: Podcast, episodes: list[Episode], by_year: Extents) -> Band:
    """The band of a show's episodes, which come oldest first."""
    longest = max(extent["longest"] for extent in by_year.values())
    # Those of one instant stay in the order of the show.
    dated: list[Any] = [episode for episode in episodes if episode.published_at]
    dated.sort(key=lambda episode: episode.published_at)
    by_month = groupby(
        dated, key=lambda episode: (episode.published_at.year, episode.published_at.month)
    )
    marks = {
        month: [_mark(episode, longest) for episode in of_month] for month, of_month in by_month
    }
    years = range(min(marks)[0], max(marks)[0] + 1) if marks else ()
    return Band(
        podcast,
        episodes,
        [_year(year, marks, by_year.get(str(year), NOTHING)) for year in years],
        sorted({topic.group for episode in episodes for topic in episode.topics_in_order}),
        formatting.minutes(longest or None),
        [episode for episode in episodes if not episode.published_at],
        by_year.get("", NOTHING)["episodes"],
    )


def _year(
    year: int, marks: Mapping[tuple[int, int], list[TimelineMark]], extent: Mapping[str, int]
) -> TimelineYear:
    months = [
        Month(calendar.month_abbr[month], calendar.month_name[month], marks.get((year, month), []))
        for month in range(1, 13)
    ]
    words = filter(None, (formatting.episodes(extent["episodes"]), formatting.together(extent)))
    return TimelineYear(year, months, " · ".join(words))


def _mark(episode: Episode, longest: int) -> TimelineMark:
    topics: Sequence[Any] = episode.topics_in_order
    length = formatting.minutes(episode.duration_seconds) or "length unknown"
    about = (
        formatting.day(episode.published_at),
        length,
        ", ".join(topic.name for topic in topics),
    )
    return TimelineMark(
        episode,
        share(episode.duration_seconds or 0, max(longest, 1)),
        list(dict.fromkeys(topic.group for topic in topics))[:MOST_COLOURS],
        " · ".join(filter(None, about)),
    )
