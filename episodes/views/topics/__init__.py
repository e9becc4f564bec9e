"""The topics and what there is about each."""

from __future__ import annotations

from itertools import groupby

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Counts, Episode, EpisodeQuerySet, FormerTopic, Topic, count, for_cards, stored_counts
from ...site import Site, site
from ...text.formatting import episodes, together
from .. import listen_first
from ..lists.facets import in_groups, share
from ..page import offered_as, show_page, subscription
from ..pages import page_links, paged_episodes
from ..paths import paths_through

MOST_RELATED = 8


@require_safe
def topics(request: HttpRequest) -> HttpResponse:
    """Every topic in its group, with the number of its episodes."""
    ordered = in_groups(Topic.objects.annotate(n=Count("uses", filter=Q(uses__episode__listed=True))))
    most = max((t.n for t in ordered), default=0) or 1
    used = [(t, t.n, share(t.n, most)) for t in ordered if t.n]
    context = {
        "section": "topics",
        "site": site(),
        "groups": [(name, list(group)) for name, group in groupby(used, key=lambda row: row[0].group)],
        "unused": [t for t in ordered if not t.n],
        "count": len(used),
        "canonical": request.build_absolute_uri(reverse("topics")),
    }
    return show_page(request, "episodes/topics.html", context)


@require_safe
def topic(request: HttpRequest, slug: str) -> HttpResponse:
    """A topic with its episodes in the order in which to hear them: what others build on first, else the oldest."""
    found = Topic.objects.filter(slug=slug).first()
    if found is None:
        former = get_object_or_404(FormerTopic.objects.select_related("topic"), slug=slug)
        return redirect(former.topic or "topics", permanent=True)
    of_site, before = site(), listen_first.needs()
    about = Episode.objects.listed().filter(topics=found)
    ordered, circles = reading_order(about, before, of_site)
    counts = stored_counts(f"topic:{found.pk}", None) or count(about)
    page = paged_episodes(request, ordered)
    ids = [episode.pk for episode in page]
    context = page_links(request, page, found.get_absolute_url())
    context |= offered_as("topic", slug, audible=bool(counts["audible"])) | {
        "section": "topics",
        "site": of_site,
        "topic": found,
        "extent": counts,
        "count": episodes(counts["matches"]),
        "together": together(counts),
        "circles": [for_cards(circle) for circle in circles if not {*ids}.isdisjoint(circle)],
        "episodes": page.object_list,
        "reasons": listen_first.notes(ids, before),
        "figure": listen_first.figure([(e.numbering, e) for e in page], before),
        "kin": related_topics(found, counts),
        "paths": paths_through(set(ordered)),
        "subscription": subscription(request.build_absolute_uri, "topic", slug, extent=counts),
    }
    return show_page(request, "episodes/topic.html", context)


def reading_order(
    about: EpisodeQuerySet, before: listen_first.Needs, of_site: Site
) -> tuple[list[int], list[tuple[int, ...]]]:
    """The ids of these episodes in listening order, and those that need each other in a circle."""
    oldest = about.sorted_by("oldest", one_show=not of_site.several).values_list("pk", flat=True)
    return listen_first.in_reading_order(list(oldest), before)


def related_topics(topic: Topic, counts: Counts) -> list[tuple[Topic, int]]:
    """The topics that most of its episodes have too, with their number."""
    shared = counts.of("topic")
    others = [(other, shared[str(other.pk)]) for other in Topic.objects.filter(pk__in=shared).exclude(pk=topic.pk)]
    return sorted(others, key=lambda row: -row[1])[:MOST_RELATED]
