"""A list for the time there is."""

from collections.abc import Sequence
from itertools import groupby

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Podcast, Topic
from ...site import Site, site
from ...text.formatting import hours
from ..lists.facets import in_groups
from ..lists.filters import EpisodeFilters, KnownValue, ListFilter
from ..page import show_page
from ..pages import on_cards

NAMES = ("minutes", "topic", "podcast", "sort")
ORDERS = {"newest": "Newest first", "oldest": "Oldest first"}
MOST_MINUTES = 24 * 60


class TimeBudget(EpisodeFilters):
    """The parameters of a list for the time there is: how long, about what, of which show,
    beginning with which."""

    minutes = ListFilter(forms.IntegerField, min_value=1, max_value=MOST_MINUTES)
    topic = ListFilter(KnownValue, "about", model=Topic)
    podcast = ListFilter(KnownValue, field_name="podcast__slug", model=Podcast)
    sort = ListFilter(forms.ChoiceField, choices=list(ORDERS.items()))

    names = NAMES

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
        "total": hours(total),
        "leaves": asked.budget - round(total / 60),
        "shortest": hours(min(seconds, default=0)),
        "untimed": among.count() - timed.count(),
    }
