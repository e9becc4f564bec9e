"""The timeline: each show as strips of twelve months, every episode a bar as long as it lasts."""

from __future__ import annotations

import calendar
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import Episode, Podcast, counts_of, for_cards
from ..site import site
from ..text import formatting
from .lists.facets import share
from .page import show_page
from .pages import page_links, paged

MOST_COLOURS = 3  # of one bar


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
class Band:
    """The episodes of a show on a page: its years, empty months included, and those without a
    date."""

    podcast: Podcast
    episodes: list[Episode]
    years: list[tuple[int, list[Month]]]
    groups: list[str]  # of topics: a colour each
    longest: str
    undated: list[Episode]


@require_safe
def timeline(request: HttpRequest) -> HttpResponse:
    """Every episode in its month, as long as it lasts; those without a date beneath."""
    listed = Episode.objects.listed()
    # By the show's number, like lists: an index has this order.
    oldest = listed.order_by("podcast_id", "order").values_list("pk", flat=True)
    page = paged(request, oldest, count=counts_of(listed)["matches"])
    shows = groupby(for_cards(page), key=lambda episode: episode.podcast)
    context = page_links(request, page, reverse("timeline")) | {
        "section": "timeline",
        "site": site(),
        "bands": [band(podcast, list(episodes)) for podcast, episodes in shows],
    }
    return show_page(request, "episodes/timeline.html", context)


def band(podcast: Podcast, episodes: list[Episode]) -> Band:
    """The band of a show's episodes, which come oldest first."""
    longest = max(episode.duration_seconds or 0 for episode in episodes)
    # Those of one instant stay in the order of the show.
    dated: list[Any] = [episode for episode in episodes if episode.published_at]
    dated.sort(key=lambda episode: episode.published_at)
    marks: defaultdict[tuple[int, int], list[TimelineMark]] = defaultdict(list)
    for episode in dated:
        at = episode.published_at
        marks[at.year, at.month].append(_mark(episode, longest))
    years = range(min(marks)[0], max(marks)[0] + 1) if marks else ()
    names = list(zip(calendar.month_abbr, calendar.month_name, strict=True))
    return Band(
        podcast,
        episodes,
        [(year, [Month(*names[m], marks[year, m]) for m in range(1, 13)]) for year in years],
        sorted({topic.group for episode in episodes for topic in episode.topics_in_order}),
        formatting.minutes(longest or None),
        [episode for episode in episodes if not episode.published_at],
    )


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
