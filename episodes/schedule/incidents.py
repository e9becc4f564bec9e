"""Tells people of sources that begin to fail and of those that work again, each once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.utils.translation import ngettext

from ..models import IngestRun, Podcast, Source, SourceSchedule, worst_first
from .due import mark_told
from .notices import Notice

SHOWN = 50  # sources that one notice names


def report_incidents(now: datetime) -> None:
    """Send a notice of the sources that have failed NOTIFY_FAILURES times in a row (0: of none), and
    one of those that work again."""
    if not settings.NOTIFY_FAILURES:
        return
    active = Source.objects.active().order_by().values("pk")
    plans = SourceSchedule.objects.filter(source__in=active)
    failing = plans.filter(failures__gte=settings.NOTIFY_FAILURES, is_told=False)
    _tell("source.failing", "failing", mark_told(failing, is_told=True), now)
    recovered = plans.filter(failures=0, is_told=True)
    _tell("source.recovered", "working again", mark_told(recovered, is_told=False), now)


def _tell(event: str, words: str, sources: Sequence[int], now: datetime) -> None:
    if not sources:
        return
    several = Podcast.objects.several()
    rows = list(worst_first(Source.objects.filter(pk__in=sources), now)[:SHOWN])
    runs = IngestRun.objects.newest().filter(source__in=rows)
    reasons = dict(runs.values_list("source", "reason"))
    lines = [
        f"{row.name(several=several)}: {row.state}: {reasons.get(row.pk, '')}".removesuffix(": ")
        for row in rows
    ]
    data = [
        {
            "podcast": row.podcast.slug,
            "source": row.slug,
            "state": row.state,
            "failures": row.schedule.failures,
            "reason": reasons.get(row.pk, ""),
        }
        for row in rows
    ]
    one = f"{rows[0].name(several=several)} is"
    subject = ngettext(one, f"{len(sources)} sources are", len(sources))
    Notice(event, f"{subject} {words}", tuple(lines), {"sources": data}).send()
