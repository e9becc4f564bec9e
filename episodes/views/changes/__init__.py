"""The page of source changes: what changed upstream, as a page and as RSS."""

from __future__ import annotations

from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, Podcast
from ...site import site
from ..episode import file_of_episode
from ..page import show_page
from .differences import latest
from .rss import feed

KIND = "application/rss+xml; charset=utf-8"


@require_safe
def changes(request: HttpRequest) -> HttpResponse:
    """The newest changes, by day."""
    of_site = site()
    days = [
        (day, list(found))
        for day, found in groupby(latest(of_site), key=lambda change: change.at.date())
    ]
    canonical = request.build_absolute_uri(reverse("changes"))
    context = {"section": "changes", "site": of_site, "days": days, "canonical": canonical}
    return show_page(request, "episodes/changes.html", context)


@require_safe
def changes_rss(request: HttpRequest) -> HttpResponse:
    """The same as RSS, for those who want to be told."""
    text = feed(latest(site()), request.build_absolute_uri)
    return HttpResponse(text, content_type=KIND)


@require_safe
@file_of_episode("/changes.rss", Episode.objects.all())
def changes_of_episode(request: HttpRequest, episode: Episode) -> HttpResponse:
    """RSS of the changes of an episode in its sources."""
    found = latest(site(), attachment__episode=episode)
    text = feed(found, request.build_absolute_uri, request.path, episode)
    return HttpResponse(text, content_type=KIND)


@require_safe
def changes_of_show(request: HttpRequest, slug: str) -> HttpResponse:
    """RSS of the changes of a show in its sources."""
    show = get_object_or_404(Podcast.objects.shown(), slug=slug)
    found = latest(site(), document__source__podcast=show)
    text = feed(found, request.build_absolute_uri, request.path, show)
    return HttpResponse(text, content_type=KIND)
