"""Episodes by time: the timeline of a show, in strips of twelve months with every episode a bar as
long as it lasts, and a list for the time there is."""

import calendar
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django import forms
from django.core.paginator import Page
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import Counts, Episode, EpisodeCount, Podcast, Topic, for_cards
from ..records import NO_DATE
from ..site import Site, site
from ..text import formatting
from .facets import in_groups, share
from .filters import AppliedFilters, EpisodeFilters, KnownValue, ListFilter
from .page import on_cards, paged, show_page, thing_page

MOST_COLOURS = 3  # of one bar
MONTHS = range(1, 13)


class TimelineFilters(AppliedFilters):
    """The show whose timeline an address asks for."""

    podcast = ListFilter(KnownValue, field_name="podcast__slug", model=Podcast)


@require_safe
def timeline(request: HttpRequest) -> HttpResponse:
    """Every episode of a show in its month, as long as it lasts; those without a date beneath."""
    asked, of_site = TimelineFilters(request.GET, Episode.objects.listed()), site()
    show = of_site.of(asked.selection.one("podcast"))
    page: Page[Any]
    if show:
        ids = asked.queryset.filter(podcast=show).sorted_by("oldest", one_show=True)
        page = paged(request, ids.values_list("pk", flat=True))
        bands = [band(show, for_cards(page, [show]))] if page.paginator.count else []
        context: dict[str, Any] = {"bands": bands, "rows": []}
    else:
        page = paged(request, Podcast.objects.shown().order_by(Lower("title"), "pk"))
        context = {"bands": [], "rows": overview(list(page))}
    return thing_page(
        request,
        "timeline",
        of_site,
        page,
        chosen=asked.selection,
        asked=asked.selection,
        complaints=asked.complaints(),
        **context,
    )


def overview(shows: Sequence[Podcast]) -> list[dict[str, object]]:
    """Shows with the years of their episodes in words, and as bars: the place of each year, and its
    share of the fullest one in tenths, in a picture that is `width` years wide, from the first year
    of all to the last."""
    stored = EpisodeCount.objects.filter(about="", podcast__in=shows)
    years = {
        row.podcast_id: {int(year): n for year, n in Counts(row.counts).by_year().items() if year}
        for row in stored
    }
    every = set[int]().union(*years.values())
    # Without any dated episode the picture is no year wide.
    first, last = min(every, default=0), max(every, default=-1)
    rows: list[dict[str, object]] = []
    for show in shows:
        # A show may have no counts yet.
        own = years.get(show.pk, {})
        most = max(own.values(), default=1)
        bars = [(year - first, share(n, most)) for year, n in sorted(own.items())]
        # The first year may be the last one, too.
        ends = dict.fromkeys(sorted(own)[:1] + sorted(own)[-1:])
        words = " to ".join(map(str, ends)) or "Undated"
        rows.append({"podcast": show, "years": words, "bars": bars, "width": last + 1 - first})
    return rows


def band(podcast: Podcast, episodes: list[Episode]) -> dict[str, object]:
    """The episodes of a show on a page, which come oldest first: its years, empty months included,
    and those without a date; the groups of their topics have a colour each."""
    longest = max(episode.duration_seconds or 0 for episode in episodes)
    marks: defaultdict[tuple[int, int], list[dict[str, object]]] = defaultdict(list)
    undated = []
    # Those of one instant stay in the order of the show.
    for episode in sorted(episodes, key=lambda episode: episode.published_at or NO_DATE):
        if at := episode.published_at:
            marks[at.year, at.month].append(_mark(episode, longest))
        else:
            undated.append(episode)
    years = range(min(marks)[0], max(marks)[0] + 1) if marks else ()
    return {
        "podcast": podcast,
        "episodes": episodes,
        "years": [
            (
                year,
                [
                    {
                        "name": calendar.month_abbr[number],
                        "whole_name": calendar.month_name[number],
                        "marks": marks[year, number],
                    }
                    for number in MONTHS
                ],
            )
            for year in years
        ],
        "groups": sorted(set[str]().union(*map(_groups, episodes))),
        "longest": formatting.minutes(longest),
        "undated": undated,
    }


def _groups(episode: Episode) -> list[str]:
    """The groups of its topics, in their order."""
    return list(dict.fromkeys(topic.group for topic in episode.topics_in_order))


def _mark(episode: Episode, longest: int) -> dict[str, object]:
    """An episode of a month; `share` is its length in tenths of the longest, `groups` give it its
    colours."""
    # A bar shows length and topics by size and colour alone, so its label says them in words.
    about = (
        formatting.day(episode.published_at),
        formatting.minutes(episode.duration_seconds) or "length unknown",
        ", ".join(topic.name for topic in episode.topics_in_order),
    )
    return {
        "episode": episode,
        # Where no length is known the longest is 0.
        "share": share(episode.duration_seconds or 0, max(longest, 1)),
        "groups": _groups(episode)[:MOST_COLOURS],
        "about": " · ".join(filter(None, about)),
    }


ORDERS = {"newest": "Newest first", "oldest": "Oldest first"}
MOST_MINUTES = 24 * 60


class TimeBudget(EpisodeFilters):
    """The parameters of a list for the time there is: how long, about what, of which show,
    beginning with which."""

    minutes = ListFilter(forms.IntegerField, min_value=1, max_value=MOST_MINUTES)
    topic = ListFilter(KnownValue, "about", model=Topic)
    podcast = ListFilter(KnownValue, field_name="podcast__slug", model=Podcast)
    sort = ListFilter(forms.ChoiceField, choices=list(ORDERS.items()))

    @property
    def budget(self) -> int:
        """The minutes that were asked for; 0 where none were, or none that can be read."""
        return self.cleaned.get("minutes") or 0

    @property
    def order(self) -> str:
        return self.selection.one("sort") or "newest"


def fitting(lengths: Sequence[int], seconds: int) -> list[int]:
    """The places of those that fit into `seconds` together; `lengths` are seconds in the order of
    preference, and each is taken that still fits."""
    chosen, left = [], seconds
    for place, length in enumerate(lengths):
        # Not the best filling: what a reader prefers comes first.
        if length <= left:
            chosen.append(place)
            left -= length
    return chosen


OFTEN = (15, 30, 45, 60, 90)
MOST_WEIGHED = 10_000  # episodes


@require_safe
def time_budget(request: HttpRequest) -> HttpResponse:
    """The form, and where minutes are asked for what fits into them."""
    asked, of_site = TimeBudget(request.GET), site()
    chosen, list_url = asked.selection, reverse("time")
    context = {
        "section": "time",
        "site": of_site,
        "list_url": list_url,
        "asked_topic": chosen.one("topic"),
        "asked_podcast": chosen.one("podcast"),
        "complaints": asked.complaints(),
        "minutes": asked.budget,
        "most": MOST_MINUTES,
        "often": [(n, chosen.replaced(minutes=str(n)).query(), n == asked.budget) for n in OFTEN],
        "groups": [
            (name, list(group))
            for name, group in groupby(in_groups(asked.topics.values()), lambda topic: topic.group)
        ],
        "orders": ORDERS.items(),
        "order": asked.order,
        "podcasts": Podcast.objects.shown(),
        "canonical": request.build_absolute_uri(list_url + chosen.query()),
    }
    if asked.budget:
        context |= filled(asked, of_site)
    return show_page(request, "episodes/time.html", context)


def filled(asked: TimeBudget, of_site: Site) -> dict[str, object]:
    """The episodes that fit, in the order asked for, their length together, and the number of those
    without a length."""
    among = asked.narrowed("minutes")
    # An episode of 0 seconds would fit into any time.
    timed = among.filter(duration_seconds__gt=0)
    in_order = timed.sorted_by(asked.order, one_show=asked.is_of_one_show(of_site))
    lengths = list(in_order.values_list("pk", "duration_seconds")[:MOST_WEIGHED])
    seconds = [length for _, length in lengths]
    places = fitting(seconds, asked.budget * 60)
    shown = on_cards((lengths[place][0] for place in places), of_site)
    total = sum(seconds[place] for place in places)
    return {
        "episodes": shown,
        "total": formatting.hours(total),
        "leaves": asked.budget - round(total / 60),
        "shortest": formatting.hours(min(seconds, default=0)),
        "untimed": among.count() - timed.count(),
    }
