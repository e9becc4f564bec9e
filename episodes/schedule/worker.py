"""Does what is due in one process, one job after another; a file lock keeps a second process
out."""

import logging
from collections.abc import Callable
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

from django.db import InterfaceError, OperationalError, connection

from .due import free_unfinished
from .jobs import Work, all_due, send_notices

POLL = 5.0  # seconds between two looks at what is due
DOWN = 10.0  # seconds after which a database that does not answer is asked again

logger = logging.getLogger(__name__)


class Busy(Exception):
    """Another process does the work."""


def run(work: Work, *, once: bool = False) -> None:
    """Go on until it is stopped; `once`: do what is due, and end.

    Raises:
        Busy: another process does this.
    """
    # The system lets the lock go when the process ends, however it does.
    with lock_file().open("a") as file:
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise Busy("another run_schedule does this already") from None
        free_unfinished(work.clock())
        if not once:
            until_stopped(work, lambda: do_due(work) or work.sleep(POLL))
            return
        while not work.stopped and do_due(work):
            pass
        send_notices.run(work, "")


def do_due(work: Work) -> bool:
    """Do what is due now; False where there was nothing."""
    something = False
    for job, key in all_due(work.clock()):
        if work.stopped:
            break
        something = True
        job.run(work, key)
    return something


def until_stopped(work: Work, step: Callable[[], object]) -> None:
    """Repeat a step; a database that does not answer is waited for."""
    is_down = False
    while not work.stopped:
        try:
            step()
            is_down = False
        except (OperationalError, InterfaceError) as error:
            if not is_down:
                logger.warning("The database does not answer; trying again: %s", error)
            is_down = True
            # The next statement opens a new one.
            connection.close()
            work.sleep(DOWN)


def lock_file() -> Path:
    return Path(f"{connection.settings_dict['NAME']}.schedule")
