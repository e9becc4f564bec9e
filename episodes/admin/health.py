"""The board of sources: which are in trouble, why, and what one can do about each."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views import View

from ..models import STATES, TROUBLE, ParsedNotes, Podcast
from ..views import coverage, health
from .base import listing, said_in, screen

PER_PAGE = 25
MOST_UNREAD = 20  # shows
LABELS = {"ok": "OK", "new": "not imported yet"}
TROUBLED = "trouble"  # all states that need a person


class HealthView(View):
    """All sources, worst first; the address can choose a state and a show."""

    http_method_names = ("get", "head")
    model_admin: Any = None

    def get(self, request: HttpRequest) -> HttpResponse:
        if not self.model_admin.has_view_permission(request):
            raise PermissionDenied
        now = timezone.now()
        state, podcast = said_in(request, "state"), health.asked_show(said_in(request, "podcast"))
        rows = health.ranked(podcast, now)
        counts = dict(rows.order_by().values_list("state").annotate(n=Count("pk")))
        chosen = {TROUBLED: TROUBLE}.get(state, (state,) if state in STATES else tuple(STATES))
        page = Paginator(rows.filter(state__in=chosen), PER_PAGE).get_page(said_in(request, "page"))
        shown = health.health_rows(list(page))
        lacking = coverage.missing([row.source for row in shown])
        for row in shown:
            row.label = LABELS.get(row.state, row.state)
            row.missing = lacking.get(row.source.pk, [])
        asked = {name: value for name, value in (("state", state), ("podcast", podcast)) if value}
        return screen(
            self.model_admin,
            request,
            "source_health",
            "Health of sources",
            ((listing("source"), "Sources"),),
            several=Podcast.objects.several(),
            rows=shown,
            page=page,
            total=page.paginator.count,
            state=state if state in (TROUBLED, *STATES) else "",
            podcast=podcast,
            tabs=_tabs(counts, podcast),
            query=urlencode(asked),
            now=now,
            unread=ParsedNotes.objects.unread()[:MOST_UNREAD],
        )


def _tabs(counts: dict[str, int], podcast: str) -> list[tuple[str, str, int, str]]:
    """The states that there are, each with its label, number of sources and address."""
    start = reverse("admin:episodes_source_health")
    show = {"podcast": podcast} if podcast else {}
    trouble = sum(counts.get(name, 0) for name in TROUBLE)
    found = [("", "all", sum(counts.values())), (TROUBLED, "in trouble", trouble)]
    found += [(name, LABELS.get(name, name), counts[name]) for name in STATES if counts.get(name)]
    return [
        (
            name,
            label,
            count,
            f"{start}?{urlencode({**({'state': name} if name else {}), **show})}".removesuffix("?"),
        )
        for name, label, count in found
    ]
