"""The topics and the learning paths: an index of each, and a page of each one."""

from collections.abc import Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from ..models import (
    ON_CARDS,
    Counts,
    Episode,
    EpisodeQuerySet,
    EpisodeTopic,
    LearningPath,
    Podcast,
    Redirect,
    Route,
    Topic,
    add_shows_and_topics,
    counts_of,
    routes,
)
from ..site import site
from ..text.formatting import counted, episodes, together
from .facets import in_groups, share
from .moments import listen_first, needs, of_topic
from .page import (
    ON_ONE_PAGE,
    moved,
    offered_as,
    paged,
    paged_episodes,
    show_page,
    subscription,
    thing_page,
)


def topics_of(counts: Counts, topics: QuerySet[Topic]) -> list[tuple[Topic, int]]:
    """The topics of counted episodes with their numbers, those of most episodes first."""
    used = counts.of("topic")
    return sorted(
        ((topic, used[str(topic.pk)]) for topic in topics.filter(pk__in=used)),
        key=lambda row: -row[1],
    )


MOST_RELATED = 8


@require_safe
def topics(request: HttpRequest) -> HttpResponse:
    """The topics in their groups, each with the number of its episodes; those without any; and the
    shows whose episodes have some."""
    counts = counts_of(Episode.objects.listed()).of("topic")
    page = paged(request, in_groups(Topic.objects.filter(pk__in=counts)), ON_ONE_PAGE)
    numbers = {topic: counts[str(topic.pk)] for topic in page}
    most = max(numbers.values(), default=1)
    having = EpisodeTopic.objects.filter(episode__listed=True).values("episode__podcast")
    return thing_page(
        request,
        "topics",
        site(),
        page,
        title=counted(page.paginator.count, "topic", "topics"),
        groups=[
            (name, [(topic, numbers[topic], share(numbers[topic], most)) for topic in group])
            for name, group in groupby(numbers, key=lambda topic: topic.group)
        ],
        unused=in_groups(Topic.objects.exclude(pk__in=counts)),
        having=Podcast.objects.shown().filter(pk__in=having).order_by("title"),
    )


@require_safe
def topic(request: HttpRequest, slug: str) -> HttpResponse:
    """A topic with its episodes in the order of the path that has most of them, else the oldest
    first; one that builds on others says so."""
    found = Topic.objects.filter(slug=slug).first()
    if found is None:
        return moved(Redirect.objects.filter(kind="topic"), "topic", slug, "topics")
    of_site, about = site(), Episode.objects.listed().about_all([found.pk])
    oldest = about.sorted_by("oldest", one_show=not of_site.several)
    counts = counts_of(about, f"topic:{found.pk}")
    ways = paths_through(about) if "paths" in of_site.filled else []
    guide = next((way for way, n in ways if 2 * n > counts["matches"]), None)
    ids: Sequence[int] | QuerySet[Any, int] = oldest.values_list("pk", flat=True)
    if guide:
        # Those that the path leaves out follow as they are.
        steps = {episode.pk: place for place, episode in enumerate(guide.episodes)}
        ids = sorted(ids, key=lambda pk: steps.get(pk, len(steps)))
    page = paged_episodes(request, of_site, ids, count=counts["matches"])
    return thing_page(
        request,
        "topic",
        of_site,
        page,
        found.get_absolute_url(),
        **offered_as("topic", slug),
        section="topics",
        topic=found,
        extent=counts,
        count=episodes(counts["matches"]),
        together=together(counts),
        episodes=page.object_list,
        moments=of_topic(found, list(page)),
        reasons=listen_first(page, needs()),
        kin=topics_of(counts, Topic.objects.exclude(pk=found.pk))[:MOST_RELATED],
        ways=ways,
        guide=guide,
        subscription=subscription(request.build_absolute_uri, "topic", slug, extent=counts),
    )


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
        "reasons": listen_first(route.episodes, needs()),
        "canonical": request.build_absolute_uri(found.get_absolute_url()),
    }
    return show_page(request, "episodes/path.html", context)


def whole(found: Sequence[LearningPath]) -> list[Route]:
    """Paths with everything that a card shows of their episodes."""
    read = routes(found, Episode.objects.only(*ON_CARDS))
    add_shows_and_topics([*chain.from_iterable(route.episodes for route in read)])
    return read


def summary(route: Route) -> dict[str, object]:
    """A path with its episodes, how many they are, and how long together, as far as is known."""
    known = [e.duration_seconds for e in route.episodes if e.duration_seconds is not None]
    count, seconds = len(route.parts), sum(known)
    return {
        "path": route.path,
        "parts": route.parts,
        "count": episodes(count),
        "length": together({"episodes": count, "timed": len(known), "seconds": seconds}),
    }


@require_safe
def paths(request: HttpRequest) -> HttpResponse:
    """The published paths with their episodes."""
    published = whole(list(LearningPath.objects.shown()))
    page = paged(request, [summary(route) for route in published if route.parts], ON_ONE_PAGE)
    return thing_page(
        request,
        "paths",
        site(),
        page,
        title=counted(page.paginator.count, "learning path", "learning paths"),
        paths=page.object_list,
    )


def places(episode: Episode) -> list[dict[str, object]]:
    """The place of an episode in each of the published paths that leads through it, and the part
    after it."""
    found = []
    for route in routes(LearningPath.objects.shown()):
        for number, part in enumerate(route.parts, 1):
            if part.episode == episode:
                found.append(
                    {
                        "path": route.path,
                        "number": number,
                        "count": len(route.parts),
                        "next": next(iter(route.parts[number:]), None),
                    }
                )
    return found


def paths_through(about: EpisodeQuerySet) -> list[tuple[Route, int]]:
    """The published paths through some of these episodes, with the number of these, most first."""
    published = routes(LearningPath.objects.shown())
    steps = [{episode.pk for episode in route.episodes} for route in published]
    through = {*about.among(set[int]().union(*steps)).values_list("pk", flat=True)}
    counts = [len(ids & through) for ids in steps]
    return sorted(
        filter(itemgetter(1), zip(published, counts, strict=True)), key=lambda row: -row[1]
    )
