"""Puts jobs into the queue, each once, and again what a dead worker had in hand; says how many
there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

from asgiref.sync import async_to_sync
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

# Seconds without a heartbeat after which a worker is taken for dead: four beats, so that what it had
# in hand is asked for again within half a minute.
STALLED = 12
END_SESSION = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = %s AND datname = current_database()"""


def is_queued() -> bool:
    return connection.vendor == "postgresql"


def put(name: str, key: str = "") -> None:
    """Have a job done as soon as the transaction at hand is committed. Within the
    transaction a second job of the same key would be an error that undoes all of it."""
    if is_queued():
        transaction.on_commit(partial(_put, name, key))


def _put(name: str, key: str, priority: int = 0) -> None:
    from procrastinate.contrib.django import app
    from procrastinate.exceptions import AlreadyEnqueued

    lock = f"{name} {key}"
    job = app.configure_task(
        name, queue=name, lock=lock, queueing_lock=lock, priority=priority, allow_unknown=True
    )
    with suppress(AlreadyEnqueued):
        job.defer(key=key)


def put_due(due: Iterable[tuple[str, str]]) -> int:
    """Put in what is due and neither waits nor runs, and again what a dead worker had in hand; how
    many that was."""
    from procrastinate.contrib.django.models import ProcrastinateJob

    count = _put_again()
    jobs = ProcrastinateJob.objects.filter(status__in=("todo", "doing"))
    locks = set(jobs.values_list("lock", flat=True))
    for name, key in due:
        if f"{name} {key}" not in locks:
            count += 1
            _put(name, key)
    return count


def _put_again() -> int:
    """End the jobs of workers without a heartbeat, and put them in anew: a worker that wakes up
    ends a job that is gone."""
    from procrastinate.contrib.django import app
    from procrastinate.exceptions import ConnectorException
    from procrastinate.jobs import Status

    manager, count = app.job_manager, 0
    for job in _stalled():
        with (
            connection.cursor() as cursor
        ):  # a worker that stands still may hold locks that others need
            cursor.execute(END_SESSION, [session_of(job.id)])
        with suppress(ConnectorException):  # another sweep was first
            async_to_sync(manager.finish_job_by_id_async)(job.id, Status.FAILED, delete_job=True)
            name, key = job.lock.split(" ", 1)
            _put(name, key, priority=1)  # it has waited already
            count += 1
    return count


def session_of(job: int) -> str:
    """The name of a worker's session while it does a job."""
    return f"job {job}"


def counts() -> Counter[tuple[str, str]]:
    """The numbers of jobs of each name that wait and run; those whose worker is gone run as "stalled"."""
    from procrastinate.contrib.django.models import ProcrastinateJob

    jobs = ProcrastinateJob.objects.filter(status__in=("todo", "doing"))
    said = Counter((job.task_name, "stalled") for job in _stalled())
    for name, status in jobs.values_list("task_name", "status"):
        said[name, "waiting" if status == "todo" else "running"] += 1
    return said


def _stalled() -> QuerySet[Any]:
    """The jobs in hand of workers that are gone, or show no sign of life."""
    from procrastinate.contrib.django.models import ProcrastinateJob

    silent = Q(worker__last_heartbeat__lt=Now() - timedelta(seconds=STALLED))
    return ProcrastinateJob.objects.filter(Q(worker=None) | silent, status="doing")
