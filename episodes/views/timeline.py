"""The timeline of a show: every episode in its month, as a bar as long as it lasts."""

import calendar
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple, TypeAlias, cast

from django.core.paginator import Page
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from ..models import Episode, EpisodeCount, FacetCounts, Podcast, load_for_cards
from ..outputs import attach_stored_pictures, join_known
from ..records import NO_DATE
from ..site import load_shows_and_sections
from ..text import formatting
from .facets import share_of_largest
from .filters import AddressFilters, AddressParameter, KnownValueField
from .rendering import load_page, render_list


class _TimelineFilters(AddressFilters):
    """The filter of a timeline: its show."""

    podcast = AddressParameter(KnownValueField, field_name="podcast__slug", model=Podcast)


@require_safe
def timeline_page(request: HttpRequest) -> HttpResponse:
    """Show the episodes of the selected or only show by month, or else the years of each show."""
    filters = _TimelineFilters(request.GET, Episode.objects.listed())
    current_site = load_shows_and_sections()
    show = current_site.find_show_with_slug_or_only_show(filters.selection.first("podcast"))
    page: Page[Any]
    # Either a timeline of one show, or rows of shows with the years of an axis.
    timeline = None
    show_rows: list[ShowYears] = []
    axis = None
    if show:
        episodes = filters.queryset.filter(podcast=show).sorted_by("oldest", is_single_show=True)
        page = load_page(request, episodes.values_list("pk", flat=True))
        # A new show may have no episodes yet.
        if page.paginator.count:
            timeline = build_timeline(show, load_for_cards(page, [show]))
    else:
        page = load_page(request, Podcast.objects.listed().order_by(Lower("title"), "pk"))
        shows_of_page = list(page)
        attach_stored_pictures(shows_of_page)
        show_rows, axis = build_show_rows_and_year_axis(shows_of_page)
    title = "Timeline"
    if timeline and current_site.several:
        title = f"Timeline: {timeline.podcast.title}"
    return render_list(
        request,
        "timeline",
        current_site,
        page,
        selection=filters.selection,
        complaints=filters.complaints(),
        title=title,
        timeline=timeline,
        show_rows=show_rows,
        axis=axis,
    )


class YearBar(NamedTuple):
    """The episodes of a year: its position on the axis, and a height by its share of the fullest year."""

    position: float
    height: float


@dataclass(frozen=True)
class YearAxis:
    """The years from the first of any show to the last."""

    first_year: int
    year_count: int
    width = 320  # of the pictures, in their own units

    @property
    def bar_width(self) -> float:
        """Return the width of a bar. It leaves a gap, and bars of few years are no blocks."""
        return min(24, round(0.8 * self.width / max(1, self.year_count), 2))

    def position(self, year: int) -> float:
        return round((year - self.first_year) * self.width / self.year_count, 2)

    def labelled_years_with_positions(self) -> list[tuple[int, float]]:
        # 2010, 2015 and 2020 for an axis from 2008 to 2022: at most six labels, at round years.
        max_labels = 6
        min_years_per_label = self.year_count / max_labels
        round_steps = (1, 2, 5, 10, 20, 50, 100, 1_000)  # years
        step = min(step for step in round_steps if step >= min_years_per_label)
        first_label = ceil(self.first_year / step) * step  # the first multiple of the step
        # A label begins at its year and needs room to the right, which the last years lack.
        label_width = 30
        years_with_room = ceil(self.year_count * (1 - label_width / self.width))
        years = range(first_label, self.first_year + years_with_room, step)
        return [(year, self.position(year)) for year in years]


@dataclass(frozen=True)
class ShowYears:
    """A show with the years of its episodes, in words and as bars."""

    podcast: Podcast
    years: str
    bars: list[YearBar]


def build_show_rows_and_year_axis(shows: Sequence[Podcast]) -> tuple[list[ShowYears], YearAxis]:
    counts_by_show = _yearly_counts_by_show(shows)
    all_years = set[int]().union(*counts_by_show.values())
    first_year = min(all_years, default=0)
    # Without any dated episode the axis has no years.
    end_year = max(all_years, default=-1) + 1
    axis = YearAxis(first_year, year_count=end_year - first_year)
    rows = []
    for show in shows:
        counts_by_year = counts_by_show.get(show.pk, {})
        years_in_words = _first_to_last_year(sorted(counts_by_year))
        rows.append(ShowYears(show, years_in_words, _year_bars(counts_by_year, axis)))
    return rows, axis


def _year_bars(counts_by_year: Mapping[int, int], axis: YearAxis) -> list[YearBar]:
    largest = max(counts_by_year.values(), default=0)
    bars = []
    for year in sorted(counts_by_year):
        tenths = share_of_largest(counts_by_year[year], largest)
        height = round(2.8 * tenths, 1)  # the picture is 28 units high
        bars.append(YearBar(axis.position(year), height))
    return bars


def _yearly_counts_by_show(shows: Sequence[Podcast]) -> dict[int, dict[int, int]]:
    counts_by_show: dict[int, dict[int, int]] = {}
    for row in EpisodeCount.objects.filter(about="", podcast__in=shows):
        counts = FacetCounts(row.counts).counts_by_year()
        counts.pop("", None)  # undated episodes
        dated_counts = {int(year): count for year, count in counts.items()}
        counts_by_show[cast(int, row.podcast_id)] = dated_counts
    return counts_by_show


def _first_to_last_year(sorted_years: Sequence[int]) -> str:
    """Return `2019 to 2021`, `2021` or `Undated` for sorted years."""
    if not sorted_years:
        return "Undated"
    first = sorted_years[0]
    last = sorted_years[-1]
    if first == last:
        return str(first)
    return f"{first} to {last}"


class TimelineBar(NamedTuple):
    """An episode in its month. `share` is its length in tenths of the longest."""

    episode: Episode
    share: int
    topic_groups: list[str]  # they give the bar its colours
    label: str


class TimelineMonth(NamedTuple):
    short_name: str
    name: str
    bars: list[TimelineBar]


@dataclass(frozen=True)
class Timeline:
    """The episodes of a show on a page, oldest first, and their years with empty months included."""

    podcast: Podcast
    episodes: list[Episode]
    years: list[tuple[int, list[TimelineMonth]]]
    topic_groups: list[str]
    longest: str
    undated: list[Episode]


def build_timeline(podcast: Podcast, episodes: list[Episode]) -> Timeline:
    """Return the bars of at least one episode by year and month. Undated episodes are a list without bars."""
    longest_seconds = max(episode.duration_seconds or 0 for episode in episodes)
    bars_by_month: BarsByMonth = defaultdict(list)
    undated = []
    topic_groups = set[str]()
    # Episodes of one instant stay in the order of the show, because `sorted` is stable.
    for episode in sorted(episodes, key=lambda episode: episode.published_at or NO_DATE):
        topic_groups.update(_topic_groups(episode))
        if episode.published_at is None:
            undated.append(episode)
        else:
            month = (episode.published_at.year, episode.published_at.month)
            bars_by_month[month].append(_timeline_bar(episode, longest_seconds))
    return Timeline(
        podcast=podcast,
        episodes=episodes,
        years=_years_with_months(bars_by_month),
        topic_groups=sorted(topic_groups),
        longest=formatting.format_minutes(longest_seconds),
        undated=undated,
    )


BarsByMonth: TypeAlias = defaultdict[tuple[int, int], list[TimelineBar]]  # by (year, month)


def _years_with_months(bars_by_month: BarsByMonth) -> list[tuple[int, list[TimelineMonth]]]:
    # All episodes may be undated.
    if not bars_by_month:
        return []
    first_year, _ = min(bars_by_month)
    last_year, _ = max(bars_by_month)
    years = range(first_year, last_year + 1)
    return [(year, _months_of_year(year, bars_by_month)) for year in years]


def _months_of_year(year: int, bars_by_month: BarsByMonth) -> list[TimelineMonth]:
    months = []
    for number in range(1, 13):
        short_name = calendar.month_abbr[number]
        name = calendar.month_name[number]
        months.append(TimelineMonth(short_name, name, bars_by_month[year, number]))
    return months


def _timeline_bar(episode: Episode, longest_seconds: int) -> TimelineBar:
    # A bar shows length and topics by size and colour alone, so its label says them in words.
    label = join_known(
        " · ",
        formatting.format_day(episode.published_at),
        formatting.format_minutes(episode.duration_seconds) or "length unknown",
        ", ".join(topic.name for topic in episode.topics_in_order),
    )
    share = share_of_largest(episode.duration_seconds or 0, longest_seconds)
    # Readers could not tell more than three colours apart.
    topic_groups = _topic_groups(episode)[:3]
    return TimelineBar(episode, share, topic_groups, label)


def _topic_groups(episode: Episode) -> list[str]:
    return list(dict.fromkeys(topic.group for topic in episode.topics_in_order))
