"""`manage.py run_schedule`: import every source when it is due, and run the other background jobs, for
ever or once."""

import logging
import signal
from collections.abc import Mapping
from functools import partial
from threading import Event
from typing import Any, ClassVar

from django.conf import settings
from django.core.management.base import CommandError
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from ... import queue
from ...ingest import ImportReport, import_options
from ...schedule import (
    JOBS,
    ONLY_KEY,
    AlreadyRunning,
    JobContext,
    follow_ups,
    iterate_due_jobs_with_keys,
    record_heartbeat,
    repeat_despite_errors_until_stopped,
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
    max_parallel_jobs = 1
    waits_for_other_process = False  # instead of ending if another process runs the schedule

    arguments: ClassVar[Arguments] = {
        "--once": {
            "action": "store_true",
            "help": "read what is due and end; prints only what failed (for cron)",
        },
        **QUIET,
    }

    def handle(self, *args: Any, **options: Any) -> None:
        once = options["once"]
        # A quiet command prints failures only. With --once it is quiet without -v 2.
        min_verbosity = 2 if once else 1
        self.quiet = options["quiet"] or options["verbosity"] < min_verbosity
        # False for a service with a JSON log: then the log has the reports.
        self.prints_reports = self.prints_imports(options)
        self.stop_event = Event()
        self.work = JobContext(
            options=import_options(),
            on_report=self.print_or_log_report,
            on_progress=self.show_progress,
            clock=timezone.now,
            # A signal ends the sleep.
            sleep=self.stop_event.wait,
        )
        self.run_or_exit_with_reason(once=once)

    def run_or_exit_with_reason(self, *, once: bool) -> None:
        try:
            if queue.is_queued():
                self.run_queue(once=once)
            else:
                self.run_alone(once=once)
            # A stopped service has ended well, because it repeats failed imports.
            if not once:
                self.exit_code = 0
        except AlreadyRunning as reason:
            if not once:
                # Code 3 tells scripts that another process does the work already.
                raise CommandError(str(reason), returncode=3) from None
            # The other process does the work. Cron would mail the message of an error each time.
            self.print_line_and_update_exit_code(f"{reason} Nothing to do.")
        except (OperationalError, InterfaceError) as error:
            self.print_line_and_update_exit_code(
                f"The database does not answer: {error}", exit_code=1
            )

    def prints_imports(self, options: Mapping[str, Any]) -> bool:
        """Return False for a service with a JSON log, so that all its lines are JSON."""
        return settings.LOG_FORMAT == "text" or bool(options["once"])

    def run_alone(self, *, once: bool) -> None:
        # A signal ends a single run at once. Nothing is lost, as what is due stays due.
        if not once:
            signal.signal(signal.SIGTERM, self.stop)
            signal.signal(signal.SIGINT, self.stop)
        run_jobs(self.work, once=once, waits_for_other_process=self.waits_for_other_process)

    def run_queue(self, *, once: bool) -> None:
        """Run the jobs of the queue, beside other workers. With `once`, until no job is due."""
        if not once:
            repeat_despite_errors_until_stopped(self.work, self.run_worker)
            return
        # An import may make other jobs due.
        while not self.work.stopped and self.enqueue_due_jobs_and_count_waiting():
            self.run_worker(once=True)
        # Sent even if they are not due, because there may be no later run.
        send_notices.run(self.work, ONLY_KEY)

    def run_worker(self, *, once: bool = False) -> None:
        tasks = {name: partial(job.run, self.work) for name, job in JOBS.items()}
        queue.run_worker(
            tasks,
            # Every worker enqueues due jobs, so that none of them is indispensable.
            sweep=self.enqueue_due_jobs_and_count_waiting,
            on_stop_signal=self.stop,
            queues=self.queues,
            max_parallel_jobs=self.max_parallel_jobs,
            once=once,
        )

    def enqueue_due_jobs_and_count_waiting(self) -> int:
        """Enqueue the jobs that are due, and return the number of jobs that wait in our queues.

        Store a heartbeat if this process resolves shows, because requests do not resolve them meanwhile.
        """
        resolves_shows = follow_ups.name in self.queues
        if resolves_shows:
            record_heartbeat(self.work.clock())
        # A generator, so that each job is enqueued as soon as it is known to be due.
        names_and_keys = ((job.name, key) for job, key in iterate_due_jobs_with_keys(self.work))
        return queue.enqueue_due_and_count_waiting(names_and_keys, self.queues)

    def stop(self, *args: object) -> None:
        self.work.stopped = True
        self.stop_event.set()

    def print_or_log_report(self, report: ImportReport) -> None:
        if not self.prints_reports:
            # The import has logged the rest of its report.
            if report.note:
                logging.getLogger("episodes.imports").info("%s: %s", report.source, report.note)
            return
        # A greater exit code of this command is about the command itself, not about an import.
        exit_code = min(report.exit_code, 1)
        self.print_line_and_update_exit_code(
            report.summary, note=report.note, note_subject=report.source, exit_code=exit_code
        )
