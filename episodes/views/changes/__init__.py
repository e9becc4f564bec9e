"""The page of source changes: what changed upstream, as a page and as RSS."""

from __future__ import annotations

from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...site import site
from ..page import show_page
from .differences import latest
from .rss import feed


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
    return HttpResponse(text, content_type="application/rss+xml; charset=utf-8")
