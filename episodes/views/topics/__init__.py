"""The topics and what there is about each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, FormerTopic, Snapshot, Topic, for_cards, snapshot
from ...site import Site, site
from ...text.formatting import episodes, together
from .. import listen_first
from ..lists.facets import in_groups, share
from ..lists.filters import Cards
from ..page import offered_as, show_page, subscription
from ..pages import page_links, paged
from ..paths import paths_through

MOST_RELATED = 8


@require_safe
def topics(request: HttpRequest) -> HttpResponse:
    """Every topic in its group, with the number of its episodes."""
    now = snapshot()
    ordered = in_groups(now.topics.values())
    counts = now.index.counts("topic", now.index.all)
    most = max(counts.values(), default=1)
    used = [(t, counts[t.pk], share(counts[t.pk], most)) for t in ordered if t.pk in counts]
    context = {
        "section": "topics",
        "site": site(now),
        "groups": [(name, list(group)) for name, group in groupby(used, key=lambda row: row[0].group)],
        "unused": [t for t in ordered if t.pk not in counts],
        "count": len(used),
        "canonical": request.build_absolute_uri(reverse("topics")),
    }
    return show_page(request, "episodes/topics.html", context)


@require_safe
def topic(request: HttpRequest, slug: str) -> HttpResponse:
    """A topic with its episodes in the order in which to hear them: what others build on first, else the oldest."""
    now = snapshot()
    found = now.topics.get(slug)
    if found is None:
        former = get_object_or_404(FormerTopic.objects.select_related("topic"), slug=slug)
        return redirect(former.topic or "topics", permanent=True)
    of_site = site(now)
    about = now.index.set("topic", found.pk)
    before = listen_first.needs(now)
    order = (found.pk, of_site.several)
    ordered, circles = now.kept(("reading order", *order), lambda: reading_order(now, about, before, of_site))
    extent = now.index.extent(about)
    page = paged(request, Cards(now, ordered))
    shown = list(page)
    context = page_links(request, page, found.get_absolute_url())
    context |= above(found, extent, shown, circles, now) | beside(found, shown, before, now)
    context |= offered_as("topic", slug, audible=bool(extent["audible"])) | {
        "section": "topics",
        "site": of_site,
        "episodes": shown,
        "reasons": listen_first.notes([e.pk for e in shown], before),
        "subscription": subscription(request.build_absolute_uri, "topic", slug, extent=extent),
    }
    return show_page(request, "episodes/topic.html", context)


def above(
    topic: Topic, extent: dict[str, int], shown: Iterable[Episode], circles: Iterable[tuple[int, ...]], now: Snapshot
) -> dict[str, object]:
    """What the topic is, and what there is about it."""
    on_page = {episode.pk for episode in shown}
    return {
        "topic": topic,
        "extent": extent,
        "count": episodes(extent["episodes"]),
        "together": together(extent),
        "circles": [for_cards(now, circle) for circle in circles if not on_page.isdisjoint(circle)],
    }


def beside(topic: Topic, shown: Iterable[Episode], before: listen_first.Needs, now: Snapshot) -> dict[str, object]:
    """What to hear first of the episodes of a page, and where the topic leads to."""
    return {
        "figure": listen_first.figure([(e.numbering, e) for e in shown], before),
        "kin": related_topics(topic, now),
        "paths": paths_through(now.index.set("topic", topic.pk), now),
    }


def reading_order(
    now: Snapshot, about: int, before: listen_first.Needs, of_site: Site
) -> tuple[array[int], list[tuple[int, ...]]]:
    """The ids of these episodes as they are to be heard, and those that wait for each other in a circle."""
    index = now.index
    oldest = index.order("oldest", one_show=not of_site.several)
    ordered, circles = listen_first.in_reading_order(
        [index.ids[place] for place in index.places(about, oldest)], before
    )
    return array("q", ordered), circles


def related_topics(topic: Topic, now: Snapshot) -> list[tuple[Topic, int]]:
    """The topics that most of its episodes have too, with their number."""
    shared = now.index.counts("topic", now.index.set("topic", topic.pk))
    others = [(other, shared[other.pk]) for other in now.topics.values() if other.pk in shared and other != topic]
    return sorted(others, key=lambda row: -row[1])[:MOST_RELATED]
