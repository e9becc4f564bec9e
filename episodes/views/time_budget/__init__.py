"""A list for the time there is."""

from __future__ import annotations

from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Snapshot, Status, for_cards, snapshot
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
    now = snapshot()
    topics = now.topics
    asked = TimeBudget(request.GET, now)
    chosen = asked.selection
    list_url, of_site = reverse("time"), site(now)
    context = {
        "section": "time",
        "site": of_site,
        "list_url": list_url,
        "asked_topic": chosen.one("topic"),
        "asked_podcast": chosen.one("podcast"),
        "complaints": asked.complaints(),
        "minutes": asked.minutes,
        "most": MOST_MINUTES,
        "often": [(n, chosen.replaced(minutes=str(n)).query(), n == asked.minutes) for n in OFTEN],
        "groups": [
            (name, list(group)) for name, group in groupby(in_groups(topics.values()), lambda topic: topic.group)
        ],
        "orders": ORDERS.items(),
        "order": asked.order,
        "podcasts": [one for one in now.podcasts.values() if one.status != Status.REMOVED],
        "canonical": request.build_absolute_uri(list_url + chosen.query()),
    }
    if asked.minutes:
        context |= fitting(asked, now, of_site)
    return show_page(request, "episodes/time.html", context)


def fitting(asked: TimeBudget, now: Snapshot, of_site: Site) -> dict[str, object]:
    """What fits, in the order asked for, how long it lasts, and what could not be counted."""
    index, among = now.index, within(asked, now)
    timed = among & index.within(1, None)
    one_show = bool(asked.selection.one("podcast")) or not of_site.several
    places = in_order(now, timed, asked.order, one_show=one_show)
    lengths = [index.seconds[place] for place in places]
    chosen = best_fill(lengths, asked.minutes * 60)
    seconds = sum(lengths[place] for place in chosen)
    shown = for_cards(now, [index.ids[places[place]] for place in chosen])
    shortest = index.places(timed, index.order("shortest", one_show=one_show), 0, 1)
    return {
        "episodes": shown,
        "total": hours(seconds),
        "leaves": asked.minutes - round(seconds / 60),
        "exact": all(episode.duration_exact for episode in shown),
        "shortest": hours(index.seconds[shortest[0]]) if shortest else "",
        "untimed": (among & ~timed).bit_count(),
    }


def within(asked: TimeBudget, now: Snapshot) -> int:
    """The episodes to choose from."""
    found = now.index.all
    if topic := asked.selection.one("topic"):
        found &= now.index.set("topic", now.topics[topic].pk)
    if show := asked.selection.one("podcast"):
        found &= now.index.set("show", now.show_ids[show])
    return found


def in_order(now: Snapshot, timed: int, order: str, *, one_show: bool) -> list[int]:
    """The first of these in that order, no more than are weighed."""
    index = now.index
    by_date = index.order("oldest" if order == "reading" else order, one_show=one_show)
    places = index.places(timed, by_date, 0, MOST_WEIGHED)
    if order != "reading":
        return places
    place_of = {index.ids[place]: place for place in places}
    return [place_of[pk] for pk in in_reading_order(list(place_of), needs(now))[0]]
