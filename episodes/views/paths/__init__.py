"""The learning paths, each path with its episodes in order, and the place of an episode in the
paths through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from ...models import (
    ON_CARDS,
    Episode,
    EpisodeQuerySet,
    LearningPath,
    Part,
    Redirect,
    Route,
    add_shows_and_topics,
    routes,
)
from ...site import site
from ...text.formatting import episodes, together
from .. import listen_first
from ..page import offered_as, show_page, subscription
from ..pages import ON_ONE_PAGE
from ..shared import Index, moved


@dataclass(frozen=True)
class PathSummary:
    """A path with its episodes, how many they are, and how long together."""

    path: LearningPath
    parts: list[Part]
    count: str
    length: str


@dataclass(frozen=True)
class Place:
    """The place of an episode in a path, and the part after it."""

    path: LearningPath
    number: int
    count: int
    next: Part | None


@require_safe
def path(request: HttpRequest, slug: str) -> HttpResponse:
    """A path; an address it once had leads to the one it has."""
    found = LearningPath.objects.shown().filter(slug=slug).first()
    if found is None:
        return moved(Redirect.objects.filter(kind="path"), "path", slug, "paths")
    (route,) = whole([found])
    context = offered_as("path", slug) | {
        "section": "paths",
        "site": site(),
        "path": found,
        "summary": summary(route),
        "subscription": subscription(request.build_absolute_uri, "path", slug),
        "reasons": listen_first.notes(route.episodes, listen_first.needs()),
        "canonical": request.build_absolute_uri(found.get_absolute_url()),
    }
    return show_page(request, "episodes/path.html", context)


def whole(found: Sequence[LearningPath]) -> list[Route]:
    """Paths with everything that a card shows of their episodes."""
    read = routes(found, Episode.objects.only(*ON_CARDS))
    add_shows_and_topics([*chain.from_iterable(route.episodes for route in read)])
    return read


def summary(route: Route) -> PathSummary:
    return PathSummary(route.path, route.parts, episodes(len(route.parts)), length(route))


def summaries() -> list[PathSummary]:
    """The published paths with their episodes."""
    read = whole(list(LearningPath.objects.shown()))
    return [summary(route) for route in read if route.parts]


def on_page(page: Page[PathSummary]) -> dict[str, Any]:
    return {"paths": page.object_list}


paths = require_safe(
    Index("paths", ("learning path", "learning paths"), summaries, on_page, ON_ONE_PAGE)
)


def length(route: Route) -> str:
    """The length of a path as far as it is known."""
    known = [e.duration_seconds for e in route.episodes if e.duration_seconds is not None]
    return together({"episodes": len(route.parts), "timed": len(known), "seconds": sum(known)})


def places(episode: Episode) -> list[Place]:
    """The place of an episode in each of the published paths that leads through it."""
    found = []
    for route in routes(LearningPath.objects.shown()):
        for number, part in enumerate(route.parts, 1):
            if part.episode == episode:
                following = next(iter(route.parts[number:]), None)
                found.append(Place(route.path, number, len(route.parts), following))
    return found


def paths_through(about: EpisodeQuerySet) -> list[tuple[Route, int]]:
    """The published paths through some of these episodes, with the number of these, most first."""
    published = routes(LearningPath.objects.shown())
    steps = [{episode.pk for episode in route.episodes} for route in published]
    through = {*about.among(set[int]().union(*steps)).values_list("pk", flat=True)}
    counts = [len(ids & through) for ids in steps]
    found = filter(itemgetter(1), zip(published, counts, strict=True))
    return sorted(found, key=lambda row: -row[1])
