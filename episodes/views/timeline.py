"""The whole show on one page, by year and month."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..facets import in_groups
from ..models import Episode, Topic
from ..months import BASE, WIDTH, bands

UNSHOWN = ("description_text", "description_html", "provenance", "conflicts")


@require_safe
def timeline(request: HttpRequest) -> HttpResponse:
    """Every episode at its date, as tall as it is long; those without a date beneath."""
    episodes = Episode.objects.order_by("podcast", "order").for_list().defer(*UNSHOWN).in_batches()
    found = bands(episodes)
    groups = dict.fromkeys(topic.group for topic in in_groups(Topic.objects.filter(uses__isnull=False).distinct()))
    context = {
        "section": "timeline",
        "bands": found,
        "several": len(found) > 1,
        "groups": list(groups),
        "width": WIDTH,
        "base": BASE,
        "canonical": request.build_absolute_uri(reverse("timeline")),
    }
    return render(request, "episodes/timeline.html", context)
