"""A list for the time there is."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, EpisodeQuerySet, Podcast, Topic
from ...site import Site, site
from ...text.formatting import hours
from ..listen_first import in_reading_order
from ..lists.facets import in_groups
from .fitting import MOST_MINUTES, ORDERS, TimeBudget, best_fill

OFTEN = (15, 30, 45, 60, 90)


@require_safe
def time_budget(request: HttpRequest) -> HttpResponse:
    """The form, and where minutes are asked for what fits into them."""
    topics = {topic.slug: topic for topic in Topic.objects.all()}
    asked = TimeBudget(request.GET, topics)
    chosen = asked.selection
    list_url, of_site = reverse("time"), site()
    context = {
        "section": "time",
        "site": of_site,
        "words": "",
        "list_url": list_url,
        "asked_topic": chosen.one("topic"),
        "asked_podcast": chosen.one("podcast"),
        "complaints": asked.complaints(),
        "minutes": asked.minutes,
        "most": MOST_MINUTES,
        "often": [(n, chosen.replaced(minutes=str(n)).query(), n == asked.minutes) for n in OFTEN],
        "topics": in_groups(topics.values()),
        "orders": ORDERS.items(),
        "order": asked.order,
        "podcasts": Podcast.objects.shown(),
        "canonical": request.build_absolute_uri(list_url + chosen.query()),
    }
    if asked.minutes:
        context |= fitting(asked, of_site)
    return render(request, "episodes/time.html", context)


def fitting(asked: TimeBudget, of_site: Site) -> dict[str, object]:
    """What fits, in the order asked for, how long it lasts, and what could not be counted."""
    about = within(asked)
    one_show = bool(asked.selection.one("podcast")) or not of_site.several
    rows = in_order(about.filter(duration_seconds__gt=0), asked.order, one_show=one_show)
    lengths = [row.duration_seconds or 0 for row in rows]
    places = best_fill(lengths, asked.minutes * 60)
    seconds = sum(lengths[place] for place in places)
    found = Episode.objects.for_list().defer("description_html", "provenance", "conflicts")
    shown = found.in_bulk([rows[place].pk for place in places])
    return {
        "episodes": [shown[rows[place].pk] for place in places],
        "total": hours(seconds),
        "leaves": asked.minutes - round(seconds / 60),
        "exact": all(rows[place].duration_exact for place in places),
        "shortest": hours(min(lengths)) if lengths else "",
        "untimed": about.exclude(duration_seconds__gt=0).count(),
    }


def within(asked: TimeBudget) -> EpisodeQuerySet:
    """The episodes to choose from."""
    found = Episode.objects.listed().about_all(asked.selection.all("topic"))
    show = asked.selection.one("podcast")
    return found.filter(podcast__slug=show) if show else found


def in_order(episodes: EpisodeQuerySet, order: str, *, one_show: bool) -> list[Episode]:
    rows = episodes.only("slug", "order", "podcast", "duration_seconds", "duration_exact")
    if order == "reading":
        by_slug = {row.slug: row for row in rows.sorted_by("oldest", one_show=one_show)}
        return [by_slug[slug] for slug in in_reading_order(list(by_slug))[0]]
    return list(rows.sorted_by(order, one_show=one_show))
