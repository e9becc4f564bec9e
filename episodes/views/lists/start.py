"""The head of the start page: the show in its own words, and the first steps into
it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, QuerySet

from ...models import Credit, Episode, LearningPath, Podcast, Reference
from ...outputs import add_pictures
from ...site import Site
from ..shows import by_newest

MOST_EPISODES = 3
MOST_HOSTS = 3
MOST_SHOWS = 9
NEEDED = (
    2  # episodes that have to name another as their prerequisite before it counts as a basic one
)
MINUTES = (15, 30, 45, 60, 90)


def start(of_site: Site) -> dict[str, Any]:
    """The show with its hosts and where to start; or the shows, where there are several."""
    if of_site.show is None:
        return {
            "minutes": MINUTES,
            "hosts": [],
            "start_paths": [],
            "start_here": [],
            "shows": shows(),
        }
    paths = list(LearningPath.objects.shown()[:MOST_EPISODES])
    return {
        "minutes": MINUTES,
        "hosts": hosts(of_site.show),
        "start_paths": paths,
        "start_here": [] if paths else basics(of_site.show),
        "shows": [],
    }


def hosts(show: Podcast) -> QuerySet[Any, Any]:
    """The people who host most of a show's episodes."""
    rows = (
        Credit.objects.filter(episode__podcast=show, role="host")
        .order_by()
        .values("person__slug", "person__name")
    )
    return rows.annotate(n=Count("pk")).order_by("-n", "person__slug")[:MOST_HOSTS]


def basics(show: Podcast) -> list[Episode]:
    """The episodes that most others name as their prerequisite, then the oldest."""
    listed = (
        Episode.objects.listed()
        .filter(podcast=show)
        .exclude(episode_type__in=("trailer", "bonus"))
        .named()
    )
    named = (
        Reference.objects.filter(kind="prerequisite", target__in=listed)
        .values("target")
        .annotate(n=Count("pk"))
    )
    keys = list(
        named.filter(n__gte=NEEDED)
        .order_by("-n", "target__order")
        .values_list("target", flat=True)[:MOST_EPISODES]
    )
    rows = listed.in_bulk(keys)
    found = [rows[key] for key in keys]
    oldest = listed.exclude(pk__in=keys).sorted_by("oldest", one_show=True)
    return [*found, *oldest[: MOST_EPISODES - len(found)]]


def shows() -> Sequence[Podcast]:
    """The first shows, with their covers and numbers of episodes as `count`."""
    found = list(by_newest().order_by("rank")[:MOST_SHOWS])
    add_pictures(found)
    return found
