"""A list for the time there is."""

from __future__ import annotations

from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Podcast
from ...site import Site, site
from ...text.formatting import hours
from ..lists.facets import in_groups
from ..page import show_page
from ..pages import on_cards
from .fitting import MOST_MINUTES, ORDERS, TimeBudget, fitting

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
    timed = among.filter(duration_seconds__gt=0)
    in_order = timed.sorted_by(asked.order, one_show=asked.is_of_one_show(of_site))
    lengths = list(in_order.values_list("pk", "duration_seconds")[:MOST_WEIGHED])
    seconds = [length for _, length in lengths]
    places = fitting(seconds, asked.budget * 60)
    shown = on_cards((lengths[place][0] for place in places), of_site)
    total = sum(seconds[place] for place in places)
    return {
        "episodes": shown,
        "total": hours(total),
        "leaves": asked.budget - round(total / 60),
        "shortest": hours(min(seconds, default=0)),
        "untimed": among.count() - timed.count(),
    }
