"""Tells people of troubles that need them: each once when it begins, and of a source also when it
is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Min

from ..models import Held, IngestRun, Podcast, Source, SourceSchedule, worst_first
from . import marks
from .channels import Channels
from .notices import Notice
from .outbox import send

SHOWN = 50  # sources that one notice names
SOURCE = "source "


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on people are told; 0 for never."""

    failures: int = 3  # in a row
    waiting: int = 50  # entries that need review
    waiting_days: int = 14  # that one of them has waited


def report_incidents(thresholds: Thresholds, channels: Channels, now: datetime) -> None:
    """Send a notice of each incident that began or ended. One that many sources share is one
    notice."""
    for notice in (*_sources(thresholds, now), *_review(thresholds, now)):
        send(channels, notice, now)


def _sources(thresholds: Thresholds, now: datetime) -> Iterator[Notice]:
    active = Source.objects.active().order_by().values("pk")
    failing = SourceSchedule.objects.filter(
        source__in=active, failures__gte=thresholds.failures or 1_000_000_000
    )
    current = {f"{SOURCE}{number}": number for number in failing.values_list("source", flat=True)}
    before = marks.begun(SOURCE)
    began = [current[key] for key in sorted(current.keys() - before) if marks.begin(key, now)]
    ended = [
        int(key.removeprefix(SOURCE)) for key in sorted(before - current.keys()) if marks.end(key)
    ]
    if began:
        yield _about(began, "source.failing", "failing", now)
    # A source that was paused, or whose address was taken away, has not recovered.
    works = SourceSchedule.objects.filter(source__in=ended, failures=0).values_list(
        "source", flat=True
    )
    if recovered := list(works):
        yield _about(recovered, "source.recovered", "working again", now)


def _about(numbers: list[int], event: str, words: str, now: datetime) -> Notice:
    several = Podcast.objects.several()
    rows = list(worst_first(Source.objects.filter(pk__in=numbers[:SHOWN]), now))
    reasons = last_reasons(rows)
    lines = [line(source, reasons, several=several) for source in rows]
    if len(numbers) > SHOWN:
        lines.append(f"and {len(numbers) - SHOWN} more")
    subject = f"{rows[0].name(several=several)} is {words}" if len(numbers) == 1 and rows else ""
    data = {"sources": [_data(source, reasons) for source in rows]}
    return Notice(event, subject or f"{len(numbers)} sources are {words}", tuple(lines), data)


def last_reasons(sources: Sequence[Source]) -> dict[int, str]:
    """By source why its last import failed; empty if it did not."""
    return dict(
        IngestRun.objects.newest().filter(source__in=sources).values_list("source", "reason")
    )


def line(source: Source, reasons: Mapping[int, str], *, several: bool) -> str:
    """A source in trouble in one line."""
    failures = source.schedule.failures if hasattr(source, "schedule") else 0
    count = f" ({failures} times in a row)" if failures > 1 else ""
    reason = f": {reasons[source.pk]}" if reasons.get(source.pk) else ""
    state = source.state  # type: ignore[attr-defined]  # an annotation
    return f"{source.name(several=several)}: {state}{count}{reason}"


def _data(source: Source, reasons: Mapping[int, str]) -> dict[str, object]:
    return {
        "podcast": source.podcast.slug,
        "source": source.slug,
        "state": source.state,  # type: ignore[attr-defined]
        "failures": source.schedule.failures,
        "reason": reasons.get(source.pk, ""),
    }


def _review(thresholds: Thresholds, now: datetime) -> Iterator[Notice]:
    count = Held.objects.count()
    oldest = Held.objects.aggregate(at=Min("item__revisions__recorded_at"))["at"]
    too_many = bool(thresholds.waiting) and count >= thresholds.waiting
    too_old = bool(thresholds.waiting_days and oldest) and oldest <= now - timedelta(
        days=thresholds.waiting_days
    )
    data = {"waiting": count, "oldest": oldest and oldest.isoformat()}
    entries = "1 entry needs" if count == 1 else f"{count} entries need"
    if _begins("review size", too_many, now):
        yield Notice(
            "review.many", f"{entries} review", ("Open “Needs review” in the admin.",), data
        )
    if _begins("review age", too_old, now):
        lines = (
            f"The oldest has waited since {oldest:%Y-%m-%d}. Open “Needs review” in the admin.",
        )
        yield Notice("review.old", f"{entries} review", lines, data)


def _begins(key: str, now_so: bool, now: datetime) -> bool:
    """True for the one process that finds that it has begun."""
    if now_so:
        return marks.begin(key, now)
    marks.end(key)
    return False
