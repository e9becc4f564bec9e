"""The topics and what there is about each."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from ...models import Episode, EpisodeTopic, Podcast, Redirect, Route, Topic, counts_of
from ...site import site
from ...text.formatting import episodes, together
from .. import listen_first
from ..lists.facets import in_groups, share
from ..moments import of_topic
from ..page import offered_as, subscription
from ..pages import ON_ONE_PAGE, paged_episodes
from ..paths import paths_through
from ..shared import Index, moved, thing_page, topics_of

MOST_RELATED = 8


def used_topics() -> list[Topic]:
    """The topics that episodes have, in their groups."""
    return in_groups(Topic.objects.filter(pk__in=topic_counts()))


def grouped(page: Page[Topic]) -> dict[str, Any]:
    """The topics in their groups, each with the number of its episodes; those without any; and the
    shows whose episodes have some."""
    counts = topic_counts()
    having = EpisodeTopic.objects.filter(episode__listed=True).values("episode__podcast")
    numbers = {topic: counts[str(topic.pk)] for topic in page}
    most = max(numbers.values(), default=1)
    return {
        "groups": [
            (name, [(topic, numbers[topic], share(numbers[topic], most)) for topic in group])
            for name, group in groupby(numbers, key=lambda topic: topic.group)
        ],
        "unused": in_groups(Topic.objects.exclude(pk__in=counts)),
        "having": Podcast.objects.shown().filter(pk__in=having).order_by("title"),
    }


def topic_counts() -> dict[str, int]:
    return counts_of(Episode.objects.listed()).of("topic")


topics = require_safe(Index("topics", ("topic", "topics"), used_topics, grouped, ON_ONE_PAGE))


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
    ids = in_order_of(guide, oldest.values_list("pk", flat=True))
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
        reasons=listen_first.notes(page, listen_first.needs()),
        kin=topics_of(counts, Topic.objects.exclude(pk=found.pk))[:MOST_RELATED],
        ways=ways,
        guide=guide,
        subscription=subscription(request.build_absolute_uri, "topic", slug, extent=counts),
    )


def in_order_of(guide: Route | None, ids: QuerySet[Any, int]) -> Sequence[int] | QuerySet[Any, int]:
    """These episodes in the order of a path; those that it leaves out follow as they are."""
    if guide is None:
        return ids
    steps = {episode.pk: place for place, episode in enumerate(guide.episodes)}
    return sorted(ids, key=lambda pk: steps.get(pk, len(steps)))
