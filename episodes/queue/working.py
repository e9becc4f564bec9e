"""A worker: takes jobs from the queue until it is told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import wraps
from signal import SIGINT, SIGTERM
from typing import Any

from django.db import OperationalError, connection, connections

from .putting import session_of

BEAT, SWEEP = 3, 5  # seconds
# A worker that stands still within a transaction holds its show. Others end its sessions; this is
# for when there are none.
TIMEOUTS = " -c idle_in_transaction_session_timeout=300s -c lock_timeout=60s"


def work(
    tasks: Mapping[str, Callable[[str], None]],
    sweep: Callable[[], object],
    stop: Callable[[], None],
    *,
    queues: Sequence[str] = (),
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

    _limit_waits()
    own = App(connector=app.connector.get_worker_connector())  # type: ignore[attr-defined]  # Django's
    for name, run in tasks.items():
        own.task(name=name, queue=name, pass_context=True)(_connected(run))
    how = {
        "queues": list(queues) or None,
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


def _connected(run: Callable[..., object]) -> Callable[..., None]:
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


def _limit_waits() -> None:
    options = connections["default"].settings_dict["OPTIONS"]
    if TIMEOUTS not in options["options"]:
        options["options"] += TIMEOUTS
        connection.close()
