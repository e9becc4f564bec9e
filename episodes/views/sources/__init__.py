"""The sources: which place knows which episode, what each lost, and how each is doing."""

from __future__ import annotations

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, Podcast
from ...site import site
from .coverage import EpisodeSpan, SourceCoverage, places, spans


@require_safe
def sources(request: HttpRequest) -> HttpResponse:
    """Every show's sources with their coverage and health."""
    found: dict[int, list[tuple[SourceCoverage, list[EpisodeSpan]]]] = {}
    for place in places():
        found.setdefault(place.source.podcast_id, []).append((place, spans(place.numbers)))
    totals = dict(Episode.objects.order_by().values_list("podcast").annotate(n=Count("pk")))
    podcasts = Podcast.objects.shown()
    shows = [(podcast, totals.get(podcast.pk, 0), found.get(podcast.pk, [])) for podcast in podcasts]
    canonical = request.build_absolute_uri(reverse("sources"))
    context = {"section": "sources", "site": site(), "shows": shows, "canonical": canonical}
    return render(request, "episodes/sources.html", context)
