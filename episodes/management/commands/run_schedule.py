"""`manage.py run_schedule`: read every source when it is due, for ever or once."""

from __future__ import annotations

import signal
import sys
from argparse import ArgumentParser
from threading import Event
from typing import Any

from django.db import InterfaceError, OperationalError
from django.utils import timezone

from ...ingest import Report
from ...schedule import Worker
from ._command import CatalogCommand
from ._configured import schedule


class Command(CatalogCommand):
    help = (
        "Read each source when it is due, until SIGTERM or Ctrl-C; any number of processes may run. "
        "Exit 0: stopped, or with --once all that was due was imported; 1: with --once, at least one source failed, or "
        "the database did not answer; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--once", action="store_true", help="read what is due and end; prints only what failed (for cron)"
        )
        parser.add_argument("-q", "--quiet", action="store_true", help="print only what failed; so does -v 0")

    def handle(self, *args: Any, **options: Any) -> None:
        self.once, self.failed = options["once"], False
        # With --once, -v 2 prints a line for each reading.
        self.quiet = options["quiet"] or options["verbosity"] < (2 if self.once else 1)
        stop = Event()
        worker = Worker(schedule(), timezone.now, stop.wait, self.tell, self.watch)

        def end(number: int, frame: object) -> None:
            worker.stopped = True
            stop.set()

        before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            worker.run_once() if self.once else worker.run()
        except (OperationalError, InterfaceError) as error:
            self.stderr.write(f"The database does not answer: {error}")
            sys.exit(1)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if self.once and self.failed:
            sys.exit(1)

    def tell(self, report: Report) -> None:
        self.failed = self.failed or not report.ok
        if self.quiet and report.ok:
            return
        (self.stdout if report.ok else self.stderr).write(report.line)
        if report.note:
            self.stderr.write(f"{report.source}: {report.note}")
        self.stdout.flush()
