"""The timeline of a show: strips of twelve months, every episode a bar as long as it lasts. Of
several shows an overview leads to that of each."""

import calendar
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import Counts, Episode, EpisodeCount, Podcast, for_cards
from ..records import NO_DATE
from ..site import site
from ..text import formatting
from .lists.facets import share
from .lists.filters import AppliedFilters, KnownValue, ListFilter
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


@dataclass(frozen=True)
class ShowYears:
    """A show with the years of its episodes in words, and as bars: the place of each year, and its
    share of the fullest one in tenths, in a picture that is `width` years wide."""

    podcast: Podcast
    years: str
    bars: list[tuple[int, int]]
    width: int


class ShowFilter(AppliedFilters):
    """The show whose timeline an address asks for."""

    podcast = ListFilter(KnownValue, field_name="podcast__slug", model=Podcast)

    names = ("podcast",)


@require_safe
def timeline(request: HttpRequest) -> HttpResponse:
    """Every episode of a show in its month, as long as it lasts; those without a date beneath."""
    asked, of_site = ShowFilter(request.GET, Episode.objects.listed()), site()
    show = of_site.of(asked.selection.one("podcast"))
    page: Page[Any]
    if show:
        ids = asked.queryset.filter(podcast=show).sorted_by("oldest", one_show=True)
        page = paged(request, ids.values_list("pk", flat=True))
        bands = [band(show, for_cards(page, [show]))] if page.paginator.count else []
        context: dict[str, Any] = {"bands": bands, "rows": []}
    else:
        page = paged(request, Podcast.objects.shown().order_by("title", "pk"))
        context = {"bands": [], "rows": overview(list(page))}
    context |= page_links(request, page, reverse("timeline"), asked.selection) | {
        "section": "timeline",
        "site": of_site,
        "asked": asked.selection,
        "complaints": asked.complaints(),
    }
    return show_page(request, "episodes/timeline.html", context)


def overview(shows: Sequence[Podcast]) -> list[ShowYears]:
    """Shows with the number of their episodes by years, from the first year of all to the last."""
    stored = EpisodeCount.objects.filter(about="", podcast__in=shows)
    years = {
        row.podcast_id: {int(year): n for year, n in Counts(row.counts).by_year().items() if year}
        for row in stored
    }
    every = set[int]().union(*years.values())
    # Without any dated episode the picture is no year wide.
    first, last = min(every, default=0), max(every, default=-1)
    rows = []
    for show in shows:
        # A show may have no counts yet.
        own = years.get(show.pk, {})
        most = max(own.values(), default=1)
        bars = [(year - first, share(n, most)) for year, n in sorted(own.items())]
        # The first year may be the last one, too.
        ends = dict.fromkeys(sorted(own)[:1] + sorted(own)[-1:])
        words = " to ".join(map(str, ends)) or "Undated"
        rows.append(ShowYears(show, words, bars, last + 1 - first))
    return rows


def band(podcast: Podcast, episodes: list[Episode]) -> Band:
    """The band of a show's episodes, which come oldest first."""
    longest = max(episode.duration_seconds or 0 for episode in episodes)
    marks: defaultdict[tuple[int, int], list[TimelineMark]] = defaultdict(list)
    undated = []
    # Those of one instant stay in the order of the show.
    for episode in sorted(episodes, key=lambda episode: episode.published_at or NO_DATE):
        if at := episode.published_at:
            marks[at.year, at.month].append(_mark(episode, longest))
        else:
            undated.append(episode)
    years = range(min(marks)[0], max(marks)[0] + 1) if marks else ()
    names = list(zip(calendar.month_abbr, calendar.month_name, strict=True))
    return Band(
        podcast,
        episodes,
        [(year, [Month(*names[m], marks[year, m]) for m in range(1, 13)]) for year in years],
        sorted({topic.group for episode in episodes for topic in episode.topics_in_order}),
        formatting.minutes(longest or None),
        undated,
    )


def _mark(episode: Episode, longest: int) -> TimelineMark:
    topics: Sequence[Any] = episode.topics_in_order
    # A bar shows length and topics by size and colour alone, so its label says them in words.
    length = formatting.minutes(episode.duration_seconds) or "length unknown"
    about = (
        formatting.day(episode.published_at),
        length,
        ", ".join(topic.name for topic in topics),
    )
    return TimelineMark(
        episode,
        # Where no length is known the longest is 0.
        share(episode.duration_seconds or 0, max(longest, 1)),
        list(dict.fromkeys(topic.group for topic in topics))[:MOST_COLOURS],
        " · ".join(filter(None, about)),
    )
