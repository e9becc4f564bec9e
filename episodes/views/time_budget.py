"""A playlist for the time a reader has."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import Episode, Podcast, Topic
from ..site import Site, load_site
from ..text import formatting
from .episode_filter import BaseEpisodeFilters
from .facets import order_by_group
from .filters import AddressParameter, KnownValueField
from .rendering import load_cards, render_page

_MAX_MINUTES = 24 * 60


class _PlaylistFilters(BaseEpisodeFilters):
    """The parameters of a playlist: minutes, topic, show and order."""

    minutes = AddressParameter(forms.IntegerField, min_value=1, max_value=_MAX_MINUTES)
    topic = AddressParameter(KnownValueField, "with_topic", model=Topic)
    podcast = AddressParameter(KnownValueField, field_name="podcast__slug", model=Podcast)
    sort = AddressParameter(forms.ChoiceField, choices=[("newest", ""), ("oldest", "")])

    @property
    def budget(self) -> int:
        """Return the minutes in the address; 0 if there are none."""
        return self.values.get("minutes") or 0

    @property
    def order(self) -> str:
        """Return `newest` or `oldest`. The default is the newest first."""
        return self.selection.first("sort") or "newest"


@require_safe
def time_budget_page(request: HttpRequest) -> HttpResponse:
    """Show a form for the minutes a reader has, and the playlist that fits into them."""
    filters = _PlaylistFilters(request.GET)
    selection = filters.selection
    current_site = load_site()
    list_url = reverse("time")
    playlist = _make_playlist(filters, current_site) if filters.budget else None
    context = {
        "section": "time",
        "site": current_site,
        "list_url": list_url,
        "selected_topic": selection.first("topic"),
        "selected_podcast": selection.first("podcast"),
        "complaints": filters.complaints(),
        "minutes": filters.budget,
        "max_minutes": _MAX_MINUTES,
        "common_budgets": _common_budgets(filters),
        "groups": _topics_by_group(filters),
        "orders": (("", "Newest first"), ("oldest", "Oldest first")),
        "order": selection.first("sort"),
        "podcasts": Podcast.objects.listed(),
        "playlist": playlist,
        "canonical": request.build_absolute_uri(list_url + selection.query()),
    }
    return render_page(request, "episodes/time.html", context)


class CommonBudget(NamedTuple):
    """A number of minutes to choose, and the query string of its playlist."""

    minutes: int
    query: str
    is_selected: bool


def _common_budgets(filters: _PlaylistFilters) -> list[CommonBudget]:
    """Return the numbers of minutes that a reader can choose without typing."""
    budgets = []
    for minutes in (15, 30, 45, 60, 90):
        query = filters.selection.replaced(minutes=str(minutes)).query()
        budgets.append(CommonBudget(minutes, query, minutes == filters.budget))
    return budgets


def _topics_by_group(filters: _PlaylistFilters) -> list[tuple[str, list[Topic]]]:
    """Return pairs of a group and its topics."""
    groups = []
    topics = order_by_group(filters.topics.values())
    for group_name, group in groupby(topics, lambda topic: topic.group):
        groups.append((group_name, list(group)))
    return groups


@dataclass(frozen=True)
class Playlist:
    """Episodes that fit into a time."""

    episodes: list[Episode]
    total_length: str
    minutes_left: int
    shortest: str  # the shortest length of all candidates, "" without any
    untimed: int  # candidates without a length


def _make_playlist(filters: _PlaylistFilters, current_site: Site) -> Playlist:
    """Fill the minutes in the address with episodes that pass the other filters."""
    candidates = filters.filtered("minutes")
    # An episode of 0 seconds would fit into any time.
    timed = candidates.filter(duration_seconds__gt=0)
    is_single_show = filters.is_of_one_show(current_site)
    ordered = timed.sorted_by(filters.order, is_single_show=is_single_show)
    # A limit on the work, far above the number of episodes that fit into a day.
    rows = ordered.values_list("pk", "duration_seconds")[:10_000]
    lengths = [EpisodeLength(episode_id, seconds) for episode_id, seconds in rows]
    shortest = ""
    if lengths:
        shortest = formatting.format_hours(min(length.seconds for length in lengths))
    fitting = choose_fitting_episodes(lengths, filters.budget * 60)
    total_seconds = sum(length.seconds for length in fitting)
    episode_ids = [length.episode_id for length in fitting]
    return Playlist(
        episodes=load_cards(episode_ids, current_site),
        total_length=formatting.format_hours(total_seconds),
        minutes_left=filters.budget - round(total_seconds / 60),
        shortest=shortest,
        untimed=candidates.count() - timed.count(),
    )


class EpisodeLength(NamedTuple):
    """The length of an episode."""

    episode_id: int
    seconds: int


def choose_fitting_episodes(
    lengths: Iterable[EpisodeLength], available_seconds: int
) -> list[EpisodeLength]:
    """Choose episodes in their order, each one that still fits into the remaining time.

    That is not the best filling: episodes that a reader prefers come first.
    """
    fitting = []
    remaining = available_seconds
    for length in lengths:
        if length.seconds <= remaining:
            fitting.append(length)
            remaining -= length.seconds
    return fitting
