"""The queue of jobs on PostgreSQL: the only module that uses Procrastinate. On SQLite nothing is queued, and
`run_schedule` looks for what is due.

A job is its name and a key, and both together are its lock: it waits at most once and runs at most
once at a time. Tables of the catalog store when a job is due. Nothing is queued for later.
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

# After four missed heartbeats a worker is taken for dead, so that its jobs are queued again within half a
# minute.
STALLED_SECONDS = 12


def is_queued() -> bool:
    return connection.vendor == "postgresql"


def enqueue_unless_waiting(job_name: str, job_key: str, priority: int = 0) -> None:
    """Queue a job, unless a job of this name and key waits already. Jobs with a higher priority run first.

    Must not be called in a transaction: a duplicate job makes a database error, which would break it.
    """
    # Imported here, because on SQLite Procrastinate is not installed as an app.
    from procrastinate.contrib.django import app
    from procrastinate.exceptions import AlreadyEnqueued

    lock = f"{job_name} {job_key}"
    job = app.configure_task(
        job_name,
        queue=job_name,
        lock=lock,  # at most one of these jobs runs at a time
        queueing_lock=lock,  # at most one of them waits
        priority=priority,
        allow_unknown=True,  # only workers have the functions of the jobs
    )
    with suppress(AlreadyEnqueued):
        job.defer(key=job_key)


def enqueue_due_and_count_waiting(
    due_names_and_keys: Iterable[tuple[str, str]], queues: Sequence[str]
) -> int:
    """Queue the due jobs (pairs of name and key) that neither wait nor run. Requeue jobs of dead workers.

    Return the number of jobs that wait in `queues`.
    """
    from procrastinate.contrib.django.models import ProcrastinateJob

    _end_and_requeue_jobs_of_dead_workers()
    waiting_or_running = ProcrastinateJob.objects.filter(status__in=("todo", "doing"))
    locks = set(waiting_or_running.values_list("lock", flat=True))
    for name, key in due_names_and_keys:
        if f"{name} {key}" not in locks:
            enqueue_unless_waiting(name, key)
    return waiting_or_running.filter(status="todo", queue_name__in=queues).count()


def _end_and_requeue_jobs_of_dead_workers() -> None:
    """End the running jobs of dead workers, and queue them again.

    A worker that only stood still, and goes on later, has lost its job and its database session.
    """
    from procrastinate.contrib.django import app
    from procrastinate.exceptions import ConnectorException
    from procrastinate.jobs import Status

    end_session = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = %s AND datname = current_database()"""
    for job in _jobs_of_dead_workers():
        # End the session of a worker that stands still, because it may hold locks that others need.
        with connection.cursor() as cursor:
            cursor.execute(end_session, [session_name(job.id)])
        # Another worker may have done this already.
        with suppress(ConnectorException):
            finish_job = async_to_sync(app.job_manager.finish_job_by_id_async)
            finish_job(job.id, Status.FAILED, delete_job=True)
            # The lock is "NAME KEY", as in `enqueue_unless_waiting`.
            name, _, key = job.lock.partition(" ")
            # Before other jobs, as it has waited already.
            enqueue_unless_waiting(name, key, priority=1)


def session_name(job_id: int) -> str:
    return f"job {job_id}"


def count_jobs_by_name_and_state() -> Counter[tuple[str, str]]:
    """Return the number of jobs by (name, state): "waiting", "running", or "stalled" with a dead worker.

    A stalled job counts as running, too.
    """
    from procrastinate.contrib.django.models import ProcrastinateJob

    counts = Counter[tuple[str, str]]()  # such as {("read_host", "waiting"): 3}
    for job in _jobs_of_dead_workers():
        counts[job.task_name, "stalled"] += 1
    waiting_or_running = ProcrastinateJob.objects.filter(status__in=("todo", "doing"))
    for name, status in waiting_or_running.values_list("task_name", "status"):
        state = "waiting" if status == "todo" else "running"
        counts[name, state] += 1
    return counts


def _jobs_of_dead_workers() -> QuerySet[Any]:
    from procrastinate.contrib.django.models import ProcrastinateJob

    oldest_heartbeat = Now() - timedelta(seconds=STALLED_SECONDS)
    is_dead = Q(worker=None) | Q(worker__last_heartbeat__lt=oldest_heartbeat)
    return ProcrastinateJob.objects.filter(is_dead, status="doing")


def run_worker(
    tasks: Mapping[str, Callable[[str], None]],
    sweep: Callable[[], object],
    on_stop_signal: Callable[[], None],
    *,
    queues: Sequence[str],
    max_parallel_jobs: int = 1,
    once: bool = False,
) -> None:
    """Run queued jobs, beside any number of other workers, until SIGTERM or SIGINT.

    `tasks` has the function of each job by its name. It gets the key of the job. `sweep` is called every few
    seconds, and `on_stop_signal` at the signal. With `once`, return when the queue is empty.

    Raises:
        OperationalError: the database does not answer.
    """
    # Only workers need these modules, which take long to import.
    from procrastinate import App
    from procrastinate.contrib.django import app as django_app
    from procrastinate.exceptions import ConnectorException
    from psycopg import Error

    _set_idle_and_lock_timeouts()
    # Django's App only enqueues. This one has the functions to run.
    connector = django_app.connector.get_worker_connector()  # type: ignore[attr-defined]  # Django's
    app = App(connector=connector)
    for name, task in tasks.items():
        declare_task = app.task(name=name, queue=name, pass_context=True)
        declare_task(_with_named_connection(task))
    try:
        asyncio.run(
            _run_worker_and_sweeps(
                app,
                sweep,
                on_stop_signal,
                queues=queues,
                max_parallel_jobs=max_parallel_jobs,
                once=once,
            )
        )
    except (ConnectorException, Error) as error:
        raise OperationalError(str(error.__cause__ or error)) from error


def _set_idle_and_lock_timeouts() -> None:
    """Limit how long a worker that stands still can lock a show: 300 s in a transaction, 60 s for locks.

    Usually another worker ends its session. There may be no other one.
    """
    timeouts = " -c idle_in_transaction_session_timeout=300s -c lock_timeout=60s"
    # `options` is a command line for the server, one of the OPTIONS that Django passes on.
    driver_options = connections["default"].settings_dict["OPTIONS"]
    if timeouts not in driver_options["options"]:
        driver_options["options"] += timeouts
        # The next statement connects with the new options.
        connection.close()


async def _run_worker_and_sweeps(
    app: Any,
    sweep: Callable[[], object],
    on_stop_signal: Callable[[], None],
    *,
    queues: Sequence[str],
    max_parallel_jobs: int,
    once: bool,
) -> None:
    """Run a worker and, at the same time, the sweeps. A signal ends both after the running jobs."""
    loop = asyncio.get_running_loop()
    # Each job runs in a thread of this pool.
    loop.set_default_executor(ThreadPoolExecutor(max_parallel_jobs))
    async with app.open_async():
        worker_coroutine = app.run_worker_async(
            queues=list(queues),
            concurrency=max_parallel_jobs,
            wait=not once,
            update_heartbeat_interval=3,  # seconds
            delete_jobs="always",
            install_signal_handlers=False,
        )
        worker = asyncio.ensure_future(worker_coroutine)
        # At the same time as the jobs: a sweep frees jobs that wait for locks of a dead worker.
        sweeps = asyncio.ensure_future(_sweep_every_five_seconds(sweep))
        # A sweep that fails ends the worker, too.
        sweeps.add_done_callback(lambda _: worker.cancel())

        def end_after_running_jobs() -> None:
            on_stop_signal()
            # Procrastinate lets running jobs end when its worker is cancelled.
            worker.cancel()

        for signal in (SIGTERM, SIGINT):
            loop.add_signal_handler(signal, end_after_running_jobs)
        await _wait_for_worker_and_end_sweeps(worker, sweeps)


async def _wait_for_worker_and_end_sweeps(
    worker: asyncio.Future[Any], sweeps: asyncio.Future[Any]
) -> None:
    # To wait for a cancelled task raises CancelledError.
    with suppress(asyncio.CancelledError):
        await worker
    # With `once` the worker ends by itself, and the sweeps would go on.
    sweeps.cancel()
    # Here the error of a sweep that failed is raised.
    with suppress(asyncio.CancelledError):
        await sweeps


async def _sweep_every_five_seconds(sweep: Callable[[], object]) -> None:
    """Call `sweep` in a thread every five seconds, until this coroutine is cancelled or `sweep` fails.

    An error of `sweep` is raised here, and no further call follows.
    """
    # The thread stays the same, and so does its database connection, which is closed at the end.
    with ThreadPoolExecutor(max_workers=1) as executor:
        try:
            while True:
                await asyncio.get_running_loop().run_in_executor(executor, sweep)
                await asyncio.sleep(5)
        finally:
            executor.submit(connections.close_all)


def _with_named_connection(task: Callable[[str], object]) -> Callable[..., None]:
    """Return a function that runs a task with its own database connection, named after the job.

    The name shows which session belongs to a dead worker. The function closes the connection, as a thread
    pool that ends does not.
    """

    @wraps(task)
    def run_task(context: Any, key: str) -> None:
        # `false` is for the session, `true` would be for a transaction.
        set_name = "SELECT set_config('application_name', %s, false)"
        try:
            # If this worker stands still, another one finds the session by its name, and ends it.
            with connection.cursor() as cursor:
                cursor.execute(set_name, [session_name(context.job.id)])
            task(key)
        # The thread may not get another job, and nobody else would close its connection.
        finally:
            connection.close()

    return run_task
