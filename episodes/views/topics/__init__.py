"""The topics and what there is about each."""

from __future__ import annotations

from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, FormerTopic, Topic, counts_of
from ...site import site
from ...text.formatting import episodes, together
from .. import listen_first
from ..lists.facets import in_groups, share
from ..page import offered_as, show_page, subscription
from ..pages import page_links, paged_episodes
from ..paths import paths_through
from ..shared import moved, topics_of

MOST_RELATED = 8


@require_safe
def topics(request: HttpRequest) -> HttpResponse:
    """Every topic in its group, with the number of its episodes."""
    counts = {int(pk): n for pk, n in counts_of(Episode.objects.listed()).of("topic").items()}
    ordered, most = in_groups(Topic.objects.all()), max(counts.values(), default=1)
    groups = groupby(
        (topic for topic in ordered if topic.pk in counts), key=lambda topic: topic.group
    )
    context = {
        "section": "topics",
        "site": site(),
        "groups": [
            (name, [(topic, counts[topic.pk], share(counts[topic.pk], most)) for topic in group])
            for name, group in groups
        ],
        "unused": [topic for topic in ordered if topic.pk not in counts],
        "count": len(counts),
        "canonical": request.build_absolute_uri(reverse("topics")),
    }
    return show_page(request, "episodes/topics.html", context)


@require_safe
def topic(request: HttpRequest, slug: str) -> HttpResponse:
    """A topic with its episodes in the order in which to hear them: what others build on first,
    else the oldest."""
    found = Topic.objects.filter(slug=slug).first()
    if found is None:
        return moved(FormerTopic.objects.all(), "topic", slug, "topics")
    of_site, before = site(), listen_first.needs()
    about = Episode.objects.listed().filter(topics=found)
    rows = about.sorted_by("oldest", one_show=not of_site.several)
    oldest = rows.values_list("pk", flat=True)
    linked = list(rows.among(set(before).union(*before.values())).values_list("pk", flat=True))
    # Where none of them is moved, the others are in their places as well.
    is_moved = listen_first.in_reading_order(linked, before) != linked
    ids = listen_first.in_reading_order(list(oldest), before) if is_moved else oldest
    counts = counts_of(about, f"topic:{found.pk}")
    page = paged_episodes(request, ids, count=counts["matches"])
    context = page_links(request, page, found.get_absolute_url())
    context |= offered_as("topic", slug, audible=bool(counts["audible"])) | {
        "section": "topics",
        "site": of_site,
        "topic": found,
        "extent": counts,
        "count": episodes(counts["matches"]),
        "together": together(counts),
        "episodes": page.object_list,
        "reasons": listen_first.notes(page, before),
        "kin": topics_of(counts, Topic.objects.exclude(pk=found.pk))[:MOST_RELATED],
        "paths": paths_through(about),
        "subscription": subscription(request.build_absolute_uri, "topic", slug, extent=counts),
    }
    return show_page(request, "episodes/topic.html", context)
