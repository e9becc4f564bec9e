"""What changed upstream, as a page and as RSS."""

from __future__ import annotations

from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import snapshot
from ...site import site
from ..page import show_page
from .differences import newest
from .rss import feed


@require_safe
def changes(request: HttpRequest) -> HttpResponse:
    """The newest changes, by day."""
    now = snapshot()
    days = [(day, list(found)) for day, found in groupby(newest(now), key=lambda change: change.at.date())]
    canonical = request.build_absolute_uri(reverse("changes"))
    context = {"section": "changes", "site": site(now), "days": days, "canonical": canonical}
    return show_page(request, "episodes/changes.html", context)


@require_safe
def changes_rss(request: HttpRequest) -> HttpResponse:
    """The same as RSS, for those who want to be told."""
    text = feed(newest(snapshot()), request.build_absolute_uri)
    return HttpResponse(text, content_type="application/rss+xml; charset=utf-8")
