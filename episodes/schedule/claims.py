"""Decides who reads what: a source is claimed by one change of its row, for a limited time.

The claim of a worker that was killed runs out, and another one takes the source. While a source is claimed, and for a
moment after it was read, nobody asks its host for anything else.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, Min, Q, QuerySet

from ..ingest import schedule_host
from ..models import Source, SourceSchedule

LEASE = timedelta(minutes=10)
PAUSE = timedelta(seconds=2)  # between two requests to one host
ATTEMPTS = 5


def add_missing(now: datetime) -> None:
    """Plan the sources that have no plan yet, and those that have another address than their plan: they are due now."""
    sources = Source.objects.active().fetchable().select_related("schedule")
    for source in sources.filter(Q(schedule=None) | ~Q(schedule__address=F("address"))):
        fields = {"address": source.address, "host": schedule_host(source), "next_at": now}
        # Not while somebody reads it: the plan that follows has the new address.
        free = SourceSchedule.objects.filter(source=source, worker="")
        if not free.update(**fields):
            SourceSchedule.objects.get_or_create(source=source, defaults=fields)


def due(now: datetime) -> QuerySet[SourceSchedule]:
    """The plans of active sources whose time has come, claimed or not, the longest overdue first."""
    sources = Source.objects.active().fetchable().order_by().values("pk")
    return SourceSchedule.objects.filter(source__in=sources, next_at__lte=now).order_by("next_at", "pk")


def claim(worker: str, now: datetime, lease: timedelta) -> SourceSchedule | None:
    """The next source that is due and free, which is the worker's from now on; None where there is none."""
    for _ in range(ATTEMPTS):
        try:
            return _claim(worker, now, lease)
        except IntegrityError:
            continue  # at this moment another worker claimed a source of the same host
    return None


@transaction.atomic
def _claim(worker: str, now: datetime, lease: timedelta) -> SourceSchedule | None:
    held = SourceSchedule.objects.filter(held_until__gt=now).order_by()
    free = due(now).exclude(held_until__gt=now).exclude(host__in=held.values("host"))
    # SQLite has no row locks: there the transaction lets nobody else write.
    row = free.select_for_update(skip_locked=True, of=("self",)).first()
    if row is None:
        return None
    SourceSchedule.objects.filter(host=row.host, held_until__lte=now).exclude(worker="").update(worker="")
    SourceSchedule.objects.filter(pk=row.pk).update(worker=worker, held_until=now + lease)
    return row


def extend(row: SourceSchedule, worker: str, until: datetime) -> None:
    """Keep a claim, unless it has run out and somebody else has it."""
    SourceSchedule.objects.filter(pk=row.pk, worker=worker).update(held_until=until)


def release(row: SourceSchedule, worker: str, now: datetime) -> None:
    """End a claim; the host is left alone for a moment."""
    SourceSchedule.objects.filter(pk=row.pk, worker=worker).update(worker="", held_until=now + PAUSE)


def is_held_up(now: datetime) -> bool:
    """True where a source is due and only waits for the pause between two requests to its host."""
    pausing = SourceSchedule.objects.filter(held_until__gt=now, worker="").order_by()
    claimed = SourceSchedule.objects.filter(held_until__gt=now).exclude(worker="").order_by()
    return due(now).filter(host__in=pausing.values("host")).exclude(host__in=claimed.values("host")).exists()


def next_event(now: datetime) -> datetime | None:
    """The moment from which there may be something to claim; None where nothing is planned."""
    sources = Source.objects.active().fetchable().order_by().values("pk")
    planned = SourceSchedule.objects.filter(source__in=sources, next_at__gt=now).aggregate(at=Min("next_at"))["at"]
    held = SourceSchedule.objects.filter(held_until__gt=now).aggregate(at=Min("held_until"))["at"]
    return min(filter(None, (planned, held if due(now).exists() else None)), default=None)
