"""A list for the time there is."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import EpisodeQuerySet, Podcast, for_cards
from ...site import Site, site
from ...text.formatting import hours
from ..listen_first import in_reading_order, needs
from ..lists.facets import in_groups
from ..page import show_page
from .fitting import MOST_MINUTES, ORDERS, TimeBudget, best_fill

OFTEN = (15, 30, 45, 60, 90)
MOST_WEIGHED = 10_000  # episodes; the sums of more take longer than a page may


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
        context |= fitting(asked, of_site)
    return show_page(request, "episodes/time.html", context)


def fitting(asked: TimeBudget, of_site: Site) -> dict[str, object]:
    """The episodes that fit, in the order asked for, their length together, and the number of those
    without a length."""
    among = asked.narrowed("minutes")
    timed = among.filter(duration_seconds__gt=0)
    one_show = asked.is_of_one_show(of_site)
    lengths = lengths_in_order(timed, asked.order, one_show=one_show)
    ids = list(lengths)
    chosen = [ids[place] for place in best_fill(list(lengths.values()), asked.budget * 60)]
    seconds = sum(lengths[pk] for pk in chosen)
    shown = for_cards(chosen)
    shortest = (
        timed.sorted_by("shortest", one_show=one_show)
        .values_list("duration_seconds", flat=True)
        .first()
    )
    return {
        "episodes": shown,
        "total": hours(seconds),
        "leaves": asked.budget - round(seconds / 60),
        "exact": all(episode.duration_exact for episode in shown),
        "shortest": hours(shortest) if shortest else "",
        "untimed": among.count() - timed.count(),
    }


def lengths_in_order(timed: EpisodeQuerySet, order: str, *, one_show: bool) -> dict[int, int]:
    """Ids and seconds of the first of these episodes in that order, no more than are weighed."""
    by_date = timed.sorted_by(order, one_show=one_show)
    rows: dict[int, Any] = dict(by_date.values_list("pk", "duration_seconds")[:MOST_WEIGHED])
    return (
        {pk: rows[pk] for pk in in_reading_order(list(rows), needs())}
        if order == "reading"
        else rows
    )
