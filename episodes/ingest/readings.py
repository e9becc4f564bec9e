"""Notes every reading of a source's address in its plan: when it is due again, and how often it
failed.

Every import comes by here, by hand and by schedule.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import uniform

from ..gather import wait_of
from ..models import Source, SourceSchedule
from ..text.urls import host_of
from .rhythm import Rhythm, interval, retry, usual_gap

JITTER = 0.1  # sources that were added together do not stay together
TOO_MANY = 429  # HTTP


class Superseded(Exception):
    """Another worker reads the source now: what this one has read is not stored."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of a reading; `changed`: the source said something new."""

    outcome: str  # taken | unchanged | refused | failed
    changed: bool = False
    trouble: Exception | None = None


def plan(source: Source, reading: Reading, now: datetime, rhythm: Rhythm, token: str = "") -> None:
    """Set the source's next reading. To be called in the transaction that keeps what was read.

    Raises:
        Superseded: a worker reads by `token`, and the source's plan has another one.
    """
    row, _ = SourceSchedule.objects.select_for_update().get_or_create(source=source)
    if token not in ("", row.token):
        raise Superseded
    row.token, row.attempts = "", 0
    wait = wait_of(reading.trouble)
    row.address, row.host, row.attempted_at = source.address, schedule_host(source), now
    delay = (
        _worked(row, reading, now, rhythm)
        if reading.trouble is None
        else _failed(row, reading, now, rhythm)
    )
    row.next_at = now + max(delay * uniform(1 - JITTER, 1 + JITTER), wait)
    row.save()
    if row.status == TOO_MANY:
        SourceSchedule.objects.filter(host=row.host, next_at__lt=now + wait).update(
            next_at=now + wait
        )


def schedule_host(source: Source) -> str:
    """The host that is asked, or a name of its own for an address that has none."""
    return (host_of(source.address) or f"source {source.pk}")[:255]


def _worked(row: SourceSchedule, reading: Reading, now: datetime, rhythm: Rhythm) -> timedelta:
    row.failures, row.failing_since, row.status = 0, None, None
    if reading.changed or row.changed_at is None:
        row.gap = usual_gap(row.gap, now - row.changed_at if row.changed_at else None)
        row.changed_at = now
    return interval(rhythm.of(row.source.reader), row.gap, now - row.changed_at)


def _failed(row: SourceSchedule, reading: Reading, now: datetime, rhythm: Rhythm) -> timedelta:
    row.failures += 1
    row.failing_since = row.failing_since or now
    row.status = getattr(reading.trouble, "status", None)
    bounds, refused = rhythm.of(row.source.reader), reading.outcome == "refused"
    return retry(bounds, row.failures, now - row.failing_since, refused=refused)
