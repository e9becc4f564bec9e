"""`manage.py work`: run a worker on PostgreSQL. Any number of them can run. On SQLite `run_schedule`
does the work in one process."""

from typing import Any, ClassVar

from django.core.management.base import CommandError

from ... import queue
from ...schedule import JOBS
from . import run_schedule
from ._command import Arguments, whole_number_parser


class Command(run_schedule.Command):
    help = (
        "Do the work in the background beside any number of other workers, until SIGTERM or Ctrl-C; needs PostgreSQL. "
        "Exit codes as those of run_schedule."
    )
    arguments: ClassVar[Arguments] = {
        **run_schedule.Command.arguments,
        "--queues": {
            "default": ",".join(JOBS),
            "metavar": "NAME,…",
            "help": f"only these jobs: {', '.join(JOBS)}",
        },
        "--at-once": {
            "type": whole_number_parser(1, 100),
            "default": 4,
            "metavar": "N",
            "help": "do N jobs at a time (default: 4)",
        },
    }

    def handle(self, *args: Any, **options: Any) -> None:
        self.queues = tuple(options["queues"].split(","))
        self.max_parallel_jobs = options["at_once"]
        # A worker for a misspelt name would wait for ever.
        unknown_jobs = set(self.queues) - JOBS.keys()
        if unknown_jobs:
            raise CommandError(
                f"no job is called {', '.join(sorted(unknown_jobs))}; there are {', '.join(JOBS)}",
                returncode=2,
            )
        if not queue.is_queued():
            raise CommandError(
                "Workers need PostgreSQL; on SQLite, use manage.py run_schedule.", returncode=2
            )
        super().handle(*args, **options)
