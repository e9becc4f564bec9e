"""Every show by year and month."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, Podcast, Topic
from ..lists.facets import in_groups
from ..pages import UNSHOWN, page_links, paged
from .bands import bands, wholes


@require_safe
def timeline(request: HttpRequest) -> HttpResponse:
    """Every episode in its month, as long as it lasts; those without a date beneath."""
    # The timeline is drawn a show after the other.
    episodes = Episode.objects.listed().order_by("podcast", "order")
    page = paged(request, episodes.for_list().defer("description_text", *UNSHOWN))
    shown = list(page.object_list)
    groups = dict.fromkeys(topic.group for topic in in_groups(Topic.objects.filter(uses__isnull=False).distinct()))
    context = page_links(request, page, reverse("timeline")) | {
        "section": "timeline",
        "bands": bands(shown, wholes(shown), list(groups)),
        "several": Podcast.objects.filter(episodes__isnull=False).distinct().count() > 1,
    }
    return render(request, "episodes/timeline.html", context)
