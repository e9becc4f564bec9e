"""The topics and what there is about each."""

from __future__ import annotations

from itertools import groupby

from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..facets import in_groups, share
from ..models import Episode, EpisodeTopic, FormerTopic, Reference, Topic
from ..reading_order import prerequisites_of, reading_order
from ..shows import site
from ..topic_map import AXIS, WIDTH, shared, topic_map
from ..wording import episodes, together

MOST_RELATED = 8


@require_safe
def topics(request: HttpRequest) -> HttpResponse:
    """Every topic in its group, with the number of its episodes."""
    ordered = in_groups(Topic.objects.all())
    counts, pairs = shared()
    most = max(counts.values(), default=1)
    used = [(t, counts[t.slug], share(counts[t.slug], most)) for t in ordered if t.slug in counts]
    context = {
        "section": "topics",
        "groups": [(name, list(group)) for name, group in groupby(used, key=lambda row: row[0].group)],
        "unused": [t for t in ordered if t.slug not in counts],
        "count": len(used),
        "map": topic_map([row[0] for row in used], counts, pairs),
        "width": WIDTH,
        "axis": AXIS,
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
    about = Episode.objects.about_all([slug])
    extent = about.extent()
    of_site = site()
    rows = about.sorted_by("oldest", one_show=not of_site.several).for_list()
    ordered, circles = in_reading_order(list(rows.defer("description_html", "provenance", "conflicts").in_batches()))
    context = {
        "section": "topics",
        "site": of_site,
        "words": "",
        "topic": found,
        "episodes": ordered,
        "circles": circles,
        "count": episodes(extent["episodes"]),
        "together": together(extent),
        "kin": related_topics(found),
        "canonical": request.build_absolute_uri(found.get_absolute_url()),
    }
    return render(request, "episodes/topic.html", context)


def in_reading_order(rows: list[Episode]) -> tuple[list[Episode], list[list[Episode]]]:
    """The episodes, which come oldest first, with prerequisites first; and those that wait for each other in a circle."""
    said = Reference.objects.filter(kind__in=("prerequisite", "follow-up"))
    before = prerequisites_of(said.values_list("episode__slug", "kind", "target__slug"))
    by_slug = {row.slug: row for row in rows}
    ordered, circles = reading_order(list(by_slug), before, {slug: place for place, slug in enumerate(by_slug)})
    return [by_slug[slug] for slug in ordered], [[by_slug[slug] for slug in circle] for circle in circles]


def related_topics(topic: Topic) -> QuerySet[Topic]:
    """The topics that most of its episodes have too, with their number as `shared`."""
    about = EpisodeTopic.objects.filter(topic=topic).values("episode")
    others = Topic.objects.filter(uses__episode__in=about).exclude(pk=topic.pk)
    return others.annotate(shared=Count("uses")).order_by("-shared", "position", "slug")[:MOST_RELATED]
