"""The one seam to Procrastinate, the queue of jobs on PostgreSQL. On SQLite nothing is queued:
`run_schedule` looks for what is due.

A job is its name and a key, and both together are its lock: it waits at most once and runs at most
once at a time. When something is due is data of the catalog; nothing is queued for later.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from functools import wraps
from signal import SIGINT, SIGTERM
from typing import Any

from asgiref.sync import async_to_sync
from django.db import OperationalError, connection, connections
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

# Seconds without a heartbeat after which a worker is taken for dead: four beats, so that what it had
# in hand is asked for again within half a minute.
STALLED = 12
END_SESSION = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = %s AND datname = current_database()"""


def is_queued() -> bool:
    return connection.vendor == "postgresql"


def enqueue(name: str, key: str, priority: int = 0) -> None:
    """Queue a job. Do nothing if a job of this name and key waits already. Do not call it inside a
    transaction, which such a job would undo."""
    from procrastinate.contrib.django import app
    from procrastinate.exceptions import AlreadyEnqueued

    lock = f"{name} {key}"
    job = app.configure_task(
        name, queue=name, lock=lock, queueing_lock=lock, priority=priority, allow_unknown=True
    )
    with suppress(AlreadyEnqueued):
        job.defer(key=key)


def enqueue_due(due: Iterable[tuple[str, str]], queues: Sequence[str]) -> int:
    """Queue the due jobs that neither wait nor run, and again the jobs of dead workers. Return how many
    jobs wait in `queues`."""
    from procrastinate.contrib.django.models import ProcrastinateJob

    _requeue_failed_jobs()
    jobs = ProcrastinateJob.objects.filter(status__in=("todo", "doing"))
    locks = set(jobs.values_list("lock", flat=True))
    for name, key in due:
        if f"{name} {key}" not in locks:
            enqueue(name, key)
    return jobs.filter(status="todo", queue_name__in=queues).count()


def _requeue_failed_jobs() -> None:
    """End the jobs of workers without a heartbeat, and queue them again. If such a worker wakes up, it
    ends a job that is gone."""
    from procrastinate.contrib.django import app
    from procrastinate.exceptions import ConnectorException
    from procrastinate.jobs import Status

    manager = app.job_manager
    for job in _stalled():
        with (
            connection.cursor() as cursor
        ):  # a worker that stands still may hold locks that others need
            cursor.execute(END_SESSION, [session_of(job.id)])
        with suppress(ConnectorException):  # another sweep was first
            async_to_sync(manager.finish_job_by_id_async)(job.id, Status.FAILED, delete_job=True)
            name, key = job.lock.split(" ", 1)
            enqueue(name, key, priority=1)  # it has waited already


def session_of(job: int) -> str:
    """The name of a worker's session while it does a job."""
    return f"job {job}"


def count_jobs() -> Counter[tuple[str, str]]:
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


BEAT, SWEEP = 3, 5  # seconds
# A worker that stands still within a transaction holds its show. Others end its sessions; this is
# for when there are none.
TIMEOUTS = " -c idle_in_transaction_session_timeout=300s -c lock_timeout=60s"


def run_worker(
    tasks: Mapping[str, Callable[[str], None]],
    sweep: Callable[[], object],
    stop: Callable[[], None],
    *,
    queues: Sequence[str],
    at_once: int = 1,
    once: bool = False,
) -> None:
    """Work as one of any number of workers until SIGTERM or SIGINT, which call `stop`; `once`:
    until the queue is empty. `sweep` is called every few seconds.

    Raises:
        OperationalError: the database does not answer.
    """
    from procrastinate import App
    from procrastinate.contrib.django import app
    from procrastinate.exceptions import ConnectorException
    from psycopg import Error

    options = connections["default"].settings_dict["OPTIONS"]
    if TIMEOUTS not in options["options"]:
        options["options"] += TIMEOUTS
        connection.close()
    own = App(connector=app.connector.get_worker_connector())  # type: ignore[attr-defined]  # Django's
    for name, run in tasks.items():
        own.task(name=name, queue=name, pass_context=True)(_with_connection(run))
    how = {
        "queues": list(queues),
        "concurrency": at_once,
        "wait": not once,
        "update_heartbeat_interval": BEAT,
        "delete_jobs": "always",
        "install_signal_handlers": False,
    }
    try:
        asyncio.run(_work(own, sweep, stop, how))
    except (ConnectorException, Error) as error:
        raise OperationalError(str(error.__cause__ or error)) from error


async def _work(
    own: Any, sweep: Callable[[], object], stop: Callable[[], None], how: Mapping[str, Any]
) -> None:
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(how["concurrency"]))
    async with own.open_async():
        worker = asyncio.ensure_future(own.run_worker_async(**how))
        # Beside the jobs: it frees those that wait for what a dead worker holds.
        sweeps = asyncio.ensure_future(_sweep(sweep))
        sweeps.add_done_callback(lambda _: worker.cancel())

        def end() -> None:
            stop()
            worker.cancel()  # it ends after the jobs in hand

        for signal in (SIGTERM, SIGINT):
            loop.add_signal_handler(signal, end)
        with suppress(asyncio.CancelledError):
            await worker
        sweeps.cancel()
        with suppress(asyncio.CancelledError):
            await sweeps


async def _sweep(sweep: Callable[[], object]) -> None:
    with ThreadPoolExecutor(1) as own:
        try:
            while True:
                await asyncio.get_running_loop().run_in_executor(own, sweep)
                await asyncio.sleep(SWEEP)
        finally:
            own.submit(connections.close_all)


def _with_connection(run: Callable[..., object]) -> Callable[..., None]:
    """A job with a connection of its own, which has the job's name. It is closed with the job: a
    thread pool that ends does not close connections."""

    @wraps(run)
    def ran(context: Any, **arguments: Any) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT set_config('application_name', %s, false)", [session_of(context.job.id)]
                )
            run(*arguments.values())
        finally:
            connection.close()

    return ran
