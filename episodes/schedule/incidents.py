"""Tells people of sources that begin to fail and of those that work again, each once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings

from ..models import IngestRun, Podcast, Source, SourceSchedule, worst_first
from . import marks
from .notices import Notice

SHOWN = 50  # sources that one notice names
SOURCE = "source "  # how the keys of their marks begin


def report_incidents(now: datetime) -> None:
    """Send a notice of the sources that have failed NOTIFY_FAILURES times in a row (0: of none), and
    one of those that work again."""
    active = Source.objects.active().order_by().values("pk")
    plans = SourceSchedule.objects.filter(source__in=active)
    limit = settings.NOTIFY_FAILURES
    rows = plans.filter(failures__gte=limit) if limit else plans.none()
    failing = set(rows.values_list("source", flat=True))
    before = {int(key.removeprefix(SOURCE)) for key in marks.begun(SOURCE)}
    began = [pk for pk in failing - before if marks.begin(f"{SOURCE}{pk}", now)]
    ended = [pk for pk in before - failing if marks.end(f"{SOURCE}{pk}")]
    # A source that was paused, or whose address was taken away, has not recovered.
    works = SourceSchedule.objects.filter(source__in=ended, failures=0)
    recovered = list(works.values_list("source", flat=True))
    _tell("source.failing", "failing", began, now)
    _tell("source.recovered", "working again", recovered, now)


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
    subject = one if len(sources) == 1 else f"{len(sources)} sources are"
    Notice(event, f"{subject} {words}", tuple(lines), {"sources": data}).send()
