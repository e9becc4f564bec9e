"""The topics and what there is about each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, EpisodeTopic, FormerTopic, Topic, snapshot
from ...site import site
from ...text.formatting import episodes, together
from .. import listen_first
from ..lists.facets import in_groups, share
from ..pages import UNSHOWN, page_links, paged
from ..paths import paths_through

MOST_RELATED = 8


@require_safe
def topics(request: HttpRequest) -> HttpResponse:
    """Every topic in its group, with the number of its episodes."""
    ordered = in_groups(Topic.objects.all())
    counts = EpisodeTopic.objects.filter(episode__listed=True).counts()
    most = max(counts.values(), default=1)
    used = [(t, counts[t.slug], share(counts[t.slug], most)) for t in ordered if t.slug in counts]
    context = {
        "section": "topics",
        "groups": [(name, list(group)) for name, group in groupby(used, key=lambda row: row[0].group)],
        "unused": [t for t in ordered if t.slug not in counts],
        "count": len(used),
        "canonical": request.build_absolute_uri(reverse("topics")),
    }
    return render(request, "episodes/topics.html", context)


@require_safe
def topic(request: HttpRequest, slug: str) -> HttpResponse:
    """A topic with its episodes in the order in which to hear them: what others build on first, else the oldest."""
    found = Topic.objects.filter(slug=slug).first()
    if found is None:
        former = get_object_or_404(FormerTopic.objects.select_related("topic"), slug=slug)
        return redirect(former.topic or "topics", permanent=True)
    about = Episode.objects.listed().about_all([slug])
    now = snapshot()
    of_site = site(now)
    in_order = about.sorted_by("oldest", one_show=not of_site.several)
    slugs = list(in_order.values_list("slug", flat=True))
    before = listen_first.needs()
    ordered, circles = listen_first.in_reading_order(slugs, before)
    extent = now.index.extent(now.index.set("topic", found.pk))
    page = paged(request, ordered)
    shown = cards(list(page))
    context = page_links(request, page, found.get_absolute_url()) | {
        "section": "topics",
        "site": of_site,
        "words": "",
        "topic": found,
        "episodes": shown,
        "reasons": listen_first.notes(shown, before),
        "figure": listen_first.figure([(e.numbering, e) for e in shown], before),
        "circles": [cards(circle) for circle in circles if not set(circle).isdisjoint(page.object_list)],
        "count": episodes(extent["episodes"]),
        "together": together(extent),
        "extent": extent,
        "kin": related_topics(found),
        "paths": paths_through(slugs),
    }
    return render(request, "episodes/topic.html", context)


def cards(slugs: Sequence[str]) -> list[Episode]:
    """These episodes in this order, with what a card shows."""
    found = {e.slug: e for e in Episode.objects.filter(slug__in=slugs).for_list().defer(*UNSHOWN)}
    return [found[slug] for slug in slugs]


def related_topics(topic: Topic) -> QuerySet[Topic]:
    """The topics that most of its episodes have too, with their number as `shared`."""
    about = EpisodeTopic.objects.filter(topic=topic, episode__listed=True).values("episode")
    others = Topic.objects.filter(uses__episode__in=about).exclude(pk=topic.pk)
    return others.annotate(shared=Count("uses")).order_by("-shared", "position", "slug")[:MOST_RELATED]
