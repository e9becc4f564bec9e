"""The sources: which place knows which episode, what each lost, and how each is doing."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..coverage import places, spans
from ..models import Episode, Podcast
from ..shows import site


@require_safe
def sources(request: HttpRequest) -> HttpResponse:
    """Every show's sources with their coverage and health."""
    shows = []
    for podcast in Podcast.objects.order_by("slug"):
        found = places(podcast)
        total = Episode.objects.filter(podcast=podcast).count()
        shows.append((podcast, total, [(place, spans(place.numbers)) for place in found]))
    canonical = request.build_absolute_uri(reverse("sources"))
    context = {"section": "sources", "site": site(), "shows": shows, "canonical": canonical}
    return render(request, "episodes/sources.html", context)
