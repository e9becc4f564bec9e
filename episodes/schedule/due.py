"""Finds the sources that are due, and gives each reading a token: only the import of the reading
that the plan of its source names is stored. Beside them, things that are done once in a while.

A job reads the due sources of one host after the other; a host that may be asked more than once at
a time has as many slots, each with its own sources."""

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Q, QuerySet

from ..ingest import schedule_host
from ..models import BATCH, ScheduleMark, Source, SourceSchedule

UNFINISHED = timedelta(
    minutes=10
)  # after which a reading that never ended is due again, whatever became of its job
LATER = timedelta(minutes=1)
MOST_ATTEMPTS = 3  # readings in a row that never ended


def add_missing(now: datetime) -> None:
    """Plan the sources that have no plan yet, and those that have another address than their plan:
    they are due now."""
    sources = Source.objects.active().fetchable()
    SourceSchedule.objects.bulk_create(
        (
            SourceSchedule(source=source, **_first_plan(source, now))
            for source in sources.filter(schedule=None)
        ),
        batch_size=BATCH,
        ignore_conflicts=True,  # another worker may have done so meanwhile
    )
    for source in sources.exclude(schedule__address=F("address")):
        # Not while somebody reads it: the plan that follows has the new address.
        SourceSchedule.objects.filter(source=source, token="").update(**_first_plan(source, now))


def _first_plan(source: Source, now: datetime) -> dict[str, Any]:
    return {"address": source.address, "host": schedule_host(source), "next_at": now}


def slots(now: datetime) -> list[str]:
    """The slots of hosts with sources that are due, the longest overdue first; new sources are."""
    add_missing(now)
    rows = _readable().filter(next_at__lte=now).order_by("next_at", "pk")
    return list(dict.fromkeys(slot_of(*row) for row in rows.values_list("host", "source")))


def slot_of(host: str, source: int) -> str:
    return f"{host}/{source % settings.HOST_SLOTS.get(host, 1)}"


def of_slot(slot: str, now: datetime) -> list[SourceSchedule]:
    """The plans of a slot's sources whose reading a killed worker left unfinished, and of those that
    are due."""
    host = slot.rpartition("/")[0]
    rows = _readable().filter(Q(next_at__lte=now) | ~Q(token=""), host=host)
    # Due again only in ten minutes, the unfinished must not be left to the next job.
    rows = rows.order_by("-attempts", "next_at", "pk")
    return [row for row in rows if slot_of(host, row.source_id) == slot]


def last_asked(slot: str) -> datetime | None:
    """The moment at which a source of the slot was asked last."""
    host, _, number = slot.rpartition("/")
    # Asked before each reading: a large host has thousands of sources, which must not be loaded.
    rows = SourceSchedule.objects.alias(part=F("source_id") % settings.HOST_SLOTS.get(host, 1))
    at: datetime | None = rows.filter(host=host, part=number).aggregate(at=Max("attempted_at"))[
        "at"
    ]
    return at


def begin(row: SourceSchedule, now: datetime) -> str:
    """Count an attempt and give the token of the reading that begins; whoever had the last one
    stores nothing more."""
    row.token, row.attempts = uuid.uuid4().hex, row.attempts + 1
    # Due again by then, even where nobody notices that this process has died.
    row.next_at = now + UNFINISHED
    row.save(update_fields=["token", "attempts", "next_at"])
    return row.token


def give_back(row: SourceSchedule, now: datetime) -> None:
    """Leave a reading that the database stopped to a later one."""
    SourceSchedule.objects.filter(pk=row.pk, token=row.token).update(token="", next_at=now + LATER)


def free_unfinished(now: datetime) -> None:
    """Make due what a process left that was killed. Only for the one process that reads."""
    SourceSchedule.objects.exclude(token="").update(token="", next_at=now)


@transaction.atomic
def mark_told(plans: QuerySet[SourceSchedule], *, is_told: bool) -> list[int]:
    """The sources of these plans, which no other process gets, marked as told of or no longer so."""
    sources = list(plans.select_for_update().values_list("source", flat=True))
    SourceSchedule.objects.filter(source__in=sources).update(is_told=is_told)
    return sources


def _readable() -> QuerySet[SourceSchedule]:
    sources = Source.objects.active().fetchable().order_by().values("pk")
    return SourceSchedule.objects.filter(source__in=sources)


# Things that are done once in a while, whatever the number of processes; the database remembers.


def is_time(key: str, period: timedelta, now: datetime) -> bool:
    """True once a period has passed since it was done; the first begins with the first call."""
    mark, is_new = ScheduleMark.objects.get_or_create(key=key, defaults={"at": now})
    return not is_new and mark.at <= now - period


def mark_done(key: str, now: datetime) -> None:
    ScheduleMark.objects.update_or_create(key=key, defaults={"at": now})
