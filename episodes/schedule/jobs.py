"""The work in the background: declared jobs, each with what is due of it. Who calls them is no
matter of theirs.

On PostgreSQL that is Procrastinate, in any number of workers (`episodes/queue.py`); on SQLite one
process that calls them one after another (`run`)."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import wraps
from math import ceil
from pathlib import Path
from time import sleep
from typing import Any, NamedTuple

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.utils import timezone

from .. import gather
from ..gather import LinkSummary, Unreachable, pair_of, post
from ..ingest import Options, Report, Superseded, read_source
from ..models import Link, Podcast, Source
from ..resolve import follow_up, page_identity, retitle, waiting
from ..text.faults import fault_of
from .due import (
    MOST_ATTEMPTS,
    begin,
    free_unfinished,
    give_back,
    is_time,
    last_asked,
    mark_done,
    of_slot,
    slots,
)
from .notices import WEEK, digest, report_incidents

PAUSE = timedelta(seconds=2)  # between two requests to one host
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
LINKS_ONCE_IN = timedelta(days=30)
MOST_LINKS = 50  # checked at once
BACKUPS_KEPT = 14
PING_EVERY = timedelta(minutes=5)

logger = logging.getLogger(__name__)


@dataclass
class Work:
    """The things that the jobs of one process share: settings, the clock, whom to tell, and whether they are
    to stop.

    `sleep` takes seconds. `tell` gets the report of each reading, `watch` what is being done.
    """

    options: Options = field(default_factory=Options)
    tell: Callable[[Report], None] = lambda report: None
    watch: Callable[[str], None] = lambda message: None
    clock: Callable[[], datetime] = timezone.now
    sleep: Callable[[float], Any] = sleep
    stopped: bool = False


class Job(NamedTuple):
    """One kind of work: `run` does one of the keys that `due` names."""

    name: str
    due: Callable[[datetime], Iterable[str]]
    run: Callable[[Work, str], None]


JOBS: dict[str, Job] = {}


def job(due: Callable[[datetime], Iterable[str]]) -> Callable[[Callable[[Work, str], None]], Job]:
    """Declare a function as a job."""

    def declare(run: Callable[[Work, str], None]) -> Job:
        declared = JOBS[run.__name__] = Job(run.__name__, due, run)
        return declared

    return declare


def every(
    period: timedelta, mark: str, wanted: Callable[[], object] = lambda: True
) -> Callable[[Callable[[Work], None]], Job]:
    """Declare a function as a job that is due once in each period, where it is wanted; the first
    period begins when it is first asked."""

    def declare(run: Callable[[Work], None]) -> Job:
        @wraps(run)
        def run_marked(work: Work, key: str) -> None:
            # Marked first, so that what fails is not tried again at once.
            mark_done(mark, work.clock())
            try:
                run(work)
            # A folder that cannot be written stops no reading of sources.
            except (CommandError, OSError) as trouble:
                work.tell(Report(mark, "failed", str(fault_of(trouble) or trouble)))

        return job(lambda now: [""] if wanted() and is_time(mark, period, now) else [])(run_marked)

    return declare


def all_due(now: datetime) -> Iterator[tuple[Job, str]]:
    """The jobs that are due with their keys."""
    for one in JOBS.values():
        for key in one.due(now):
            yield one, key


@job(slots)
def read_host(work: Work, slot: str) -> None:
    """Read the due sources of a host one after another, for a minute at most: other hosts wait
    too."""
    began = work.clock()
    for row in of_slot(slot, began):
        # What is left is due still, and the next sweep puts it in again.
        if work.stopped or work.clock() - began > MINUTE:
            return
        asked = last_asked(slot)
        if asked and (left := asked + PAUSE - work.clock()) > timedelta():
            work.sleep(min(left, PAUSE).total_seconds())
        # Counted before it begins: what ends the process each time has failed as well.
        token, trouble = begin(row, work.clock()), None
        if row.attempts > MOST_ATTEMPTS:
            trouble = Unreachable(
                f"its reading did not end {MOST_ATTEMPTS} times in a row: the process was stopped or killed"
            )
        how = work.options, work.clock, work.watch
        try:
            # As it is now: a minute ago a curator may have changed it.
            source = Source.objects.select_related("podcast").get(pk=row.source_id)
            work.tell(read_source(source, *how, token=token, trouble=trouble))
        except Superseded:  # another worker has taken over while this one stood still
            return
        # The database went away: not a failure of the source, whose reading comes again.
        except OperationalError:
            with suppress(DatabaseError):
                give_back(row, work.clock())
            raise


@job(lambda now: [str(state.podcast_id) for state in waiting()])
def follow_ups(work: Work, key: str) -> None:
    """Bring a show up to date of which changes wait for it."""
    podcast = Podcast.objects.filter(pk=key).first()
    if podcast and follow_up(podcast):
        work.watch(f"{podcast}: changes worked in")


@every(MINUTE, "notices")
def send_notices(work: Work) -> None:
    """Tell people of troubles, and once a week of all that is new."""
    now = work.clock()
    report_incidents(now)
    if is_time("digest", WEEK, now):
        mark_done("digest", now)
        digest(now).send(by_mail_only=True)


@every(HOUR, "links", lambda: settings.CHECK_LINKS)
def links(work: Work) -> None:
    """Check as many links as it takes each hour to check all of them once in 30 days."""
    check_links(
        min(ceil(Link.objects.count() / (LINKS_ONCE_IN / HOUR)), MOST_LINKS),
        LINKS_ONCE_IN,
        allow=work.options.allow,
        clock=work.clock,
        sleep=work.sleep,
        watch=work.watch,
        stopped=lambda: work.stopped,
    )


@every(PING_EVERY, "ping", lambda: settings.PING_URL)
def ping(work: Work) -> None:
    """Tell whoever watches it that the work goes on; silence is the alarm."""
    try:
        # The operator's own setting, like the webhook: it may be on a private network.
        post(settings.PING_URL, b"", "text/plain", allow=frozenset({pair_of(settings.PING_URL)}))
    except Unreachable as trouble:
        logger.warning("PING_URL cannot be reached (%s)", trouble.status or "no answer")


@every(DAY, "tidy")
def tidy(work: Work) -> None:
    call_command("tidy", verbosity=0)


@every(DAY, "backup", lambda: settings.BACKUP_FOLDER)
def backup(work: Work) -> None:
    """Write a backup to BACKUP_FOLDER, and keep the newest fourteen."""
    folder = Path(settings.BACKUP_FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{work.clock():%Y-%m-%d}.catalog"
    call_command("backup", str(path), overwrite=True, verbosity=0)
    for old in sorted(folder.glob("????-??-??.catalog"))[:-BACKUPS_KEPT]:
        old.unlink()


@every(DAY, "publish", lambda: settings.PUBLISH_FOLDER)
def publish(work: Work) -> None:
    """Bring the copy of the public site in PUBLISH_FOLDER up to date."""
    call_command("publish", settings.PUBLISH_FOLDER, verbosity=0)


def check_links(limit: int, lately: timedelta, **options: Any) -> LinkSummary:
    """Check links as `gather.check_links` does, for titles too where LINK_TITLES allows it."""
    identity = page_identity if settings.LINK_TITLES else None
    summary = gather.check_links(limit, lately, identity=identity, **options)
    retitle(summary.titled)
    return summary


# -- one process, one job after another; a file lock keeps a second process out --------------------

POLL = 5.0  # seconds between two looks at what is due
DOWN = 10.0  # seconds after which a database that does not answer is asked again


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
