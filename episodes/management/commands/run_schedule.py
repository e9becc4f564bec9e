"""`manage.py run_schedule`: read every source when it is due, and do the other work in the
background, for ever or once."""

import signal
import sys
from functools import partial
from threading import Event
from typing import Any, ClassVar

from django.core.management.base import CommandError
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from ... import queue
from ...ingest import ImportReport, import_options
from ...schedule import (
    JOBS,
    AlreadyRunning,
    JobContext,
    due_jobs,
    follow_ups,
    record_heartbeat,
    repeat_until_stopped,
    run_jobs,
    send_notices,
)
from ._command import QUIET, Arguments, CatalogCommand


class Command(CatalogCommand):
    help = (
        "Read each source when it is due, until SIGTERM or Ctrl-C. On PostgreSQL any number of processes may run; on SQLite "
        "one does. Exit 0: stopped, or with --once all that was due was imported; 1: with --once, at least one source "
        "failed, or the database did not answer; 2: wrong usage; 3: another process does this already."
    )
    queues = tuple(JOBS)
    at_once = 1
    waits = False  # for another process that does this, instead of ending

    arguments: ClassVar[Arguments] = {
        "--once": {
            "action": "store_true",
            "help": "read what is due and end; prints only what failed (for cron)",
        },
        **QUIET,
    }

    def handle(self, *args: Any, **given: Any) -> None:
        once, self.stop = given["once"], Event()
        # With --once, -v 2 prints a line for each reading.
        self.quiet = given["quiet"] or given["verbosity"] < 1 + once
        self.work = JobContext(
            import_options(), self.report, self.watch, timezone.now, self.stop.wait
        )
        try:
            if queue.is_queued():
                self.run_queue(once=once)
            else:
                # Stopped in the middle, a single run loses nothing.
                for number in () if once else (signal.SIGTERM, signal.SIGINT):
                    signal.signal(number, self.end)
                run_jobs(self.work, once=once, waits=self.waits)
        except AlreadyRunning as reason:
            raise CommandError(str(reason), returncode=0 if once else 3) from None
        except (OperationalError, InterfaceError) as error:
            self.stderr.write(f"The database does not answer: {error}")
            sys.exit(1)
        if not once:
            self.code = 0  # what failed is read again

    def run_queue(self, *, once: bool) -> None:
        if not once:
            repeat_until_stopped(self.work, self.serve_queue)
            return
        # Until nothing is due: what was read may have made something else due.
        while not self.work.stopped and self.sweep():
            self.serve_queue(once=True)
        send_notices.run(self.work, "")

    def serve_queue(self, *, once: bool = False) -> None:
        tasks = {name: partial(job.run, self.work) for name, job in JOBS.items()}
        # Each worker looks for what is due, so that none is the one that must not fail.
        queue.run_worker(
            tasks, self.sweep, self.end, queues=self.queues, at_once=self.at_once, once=once
        )

    def sweep(self) -> int:
        if follow_ups.name in self.queues:
            record_heartbeat(self.work.clock())
        due = ((job.name, key) for job, key in due_jobs(self.work))
        return queue.enqueue_due(due, self.queues)

    def end(self, *args: object) -> None:
        self.work.stopped = True
        self.stop.set()

    def report(self, report: ImportReport) -> None:
        self.print_result(report.source, report.summary, report.note, code=min(report.exit_code, 1))
