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
    common_budgets = []
    for minutes in (15, 30, 45, 60, 90):
        query = selection.replaced(minutes=str(minutes)).query()
        common_budgets.append((minutes, query, minutes == filters.budget))
    topic_groups = []
    topics = order_by_group(filters.topics.values())
    for name, group in groupby(topics, lambda topic: topic.group):
        topic_groups.append((name, list(group)))
    context = {
        "section": "time",
        "site": current_site,
        "list_url": list_url,
        "selected_topic": selection.first("topic"),
        "selected_podcast": selection.first("podcast"),
        "complaints": filters.complaints(),
        "minutes": filters.budget,
        "max_minutes": _MAX_MINUTES,
        "common_budgets": common_budgets,
        "groups": topic_groups,
        "orders": (("", "Newest first"), ("oldest", "Oldest first")),
        "order": selection.first("sort"),
        "podcasts": Podcast.objects.listed(),
        "playlist": _make_playlist(filters, current_site) if filters.budget else None,
        "canonical": request.build_absolute_uri(list_url + selection.query()),
    }
    return render_page(request, "episodes/time.html", context)


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
    one_show = filters.is_of_one_show(current_site)
    ordered = timed.sorted_by(filters.order, is_single_show=one_show)
    # A limit on the work, far above the number of episodes that fit into a day.
    rows = ordered.values_list("pk", "duration_seconds")[:10_000]
    lengths = [EpisodeLength(pk, seconds) for pk, seconds in rows]
    fitting = choose_fitting_lengths(lengths, filters.budget * 60)
    total = sum(length.seconds for length in fitting)
    return Playlist(
        load_cards([length.episode_id for length in fitting], current_site),
        formatting.format_hours(total),
        filters.budget - round(total / 60),
        formatting.format_hours(min(length.seconds for length in lengths)) if lengths else "",
        candidates.count() - timed.count(),
    )


class EpisodeLength(NamedTuple):
    """The length of an episode."""

    episode_id: int
    seconds: int


def choose_fitting_lengths(
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
