"""Brings the catalog up to date after a change: a small show's at once, a large one's in a process of its own.

To resolve ten thousand episodes takes most of a minute. The change itself is kept at once in any case. What is read and
computed for it locks nothing; only writing what differs does, in one transaction.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Thread

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Sum
from django.utils import timezone

from ..models import Episode, PendingUpdate, Podcast, Topic, raise_version
from .apply import apply, prepared, token_of

LEASE = timedelta(minutes=15)  # after which the work of a process that was killed is taken over
STARTING = timedelta(minutes=1)  # within which a process that was started takes its work
NICENESS = 5  # the site comes first
COMMAND = ("rebuild", "--pending")

log = logging.getLogger(__name__)


def renew(podcasts: Sequence[Podcast]) -> None:
    """Bring shows up to date within the transaction at hand; if they are large, as soon as possible after it."""
    # The change may have given them other titles, or deleted one.
    there = Podcast.objects.in_bulk([podcast.pk for podcast in podcasts])
    podcasts = [there[podcast.pk] for podcast in podcasts if podcast.pk in there]
    if _episodes_of(podcasts) <= settings.RESOLVE_AT_ONCE:
        for podcast in podcasts:
            apply(podcast)
        return
    for podcast in podcasts:
        PendingUpdate.objects.get_or_create(podcast=podcast)
    rows = PendingUpdate.objects.filter(podcast__in=podcasts)
    rows.update(asked=F("asked") + 1)
    raise_version()  # for what pages show of a decision itself
    now = timezone.now()
    if rows.free(now).update(held_until=now + STARTING):
        transaction.on_commit(start)


def _episodes_of(podcasts: Sequence[Podcast]) -> int:
    return Episode.objects.filter(podcast__in=podcasts).count()


def asked_for() -> int:
    """How many changes wait; another number after one that has to wait."""
    return PendingUpdate.objects.aggregate(asked=Sum("asked"))["asked"] or 0


def start() -> None:
    """Let a process catch up. If it cannot be started, the schedule does it, or the next change."""
    Thread(target=_run, name="catch-up", daemon=True).start()


def _run() -> None:
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), *COMMAND]
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    except OSError as error:
        log.warning("Changes wait for the schedule: %s", error)
        return
    if process.wait():
        log.warning("manage.py %s ended with %s", " ".join(COMMAND), process.returncode)


def catch_up(clock: Callable[[], datetime] = timezone.now) -> Iterator[Podcast]:
    """Bring the shows that wait up to date, and give each that is. Any number of processes may do it."""
    worker = uuid.uuid4().hex
    while row := _claim(worker, clock()):
        if _work_in(row, worker):
            yield row.podcast


def _claim(worker: str, now: datetime) -> PendingUpdate | None:
    """A show that nobody works on, which is the worker's from now on."""
    for row in PendingUpdate.objects.select_related("podcast"):
        announced = PendingUpdate.objects.filter(pk=row.pk, worker="")
        free = announced if not row.worker else PendingUpdate.objects.filter(pk=row.pk).free(now)
        if free.update(worker=worker, held_until=now + LEASE):
            row.refresh_from_db()
            return row
    return None


def _work_in(row: PendingUpdate, worker: str) -> bool:
    """Make the catalog of a show; False where another process did so meanwhile, and it has to be done again."""
    with _one_moment():
        version = _version(row.podcast)
        podcast = Podcast.objects.get(pk=row.podcast_id)
        what = prepared(podcast)
    own = PendingUpdate.objects.filter(pk=row.pk, worker=worker)
    with transaction.atomic():
        podcast = Podcast.objects.select_for_update().get(pk=podcast.pk)
        if not own.exists():
            return False
        is_current = version == _version(podcast)
        if is_current:
            apply(podcast, what)
        # A change that came since waits for the next round.
        if not (is_current and own.filter(asked=row.asked).delete()[0]):
            own.update(worker="", held_until=None)
    return is_current


def _version(podcast: Podcast) -> tuple[str, list[str]]:
    """Another one as soon as the show's catalog is written, or the topics are others."""
    return token_of(podcast), list(Topic.objects.order_by("pk").values_list("slug", flat=True))


@contextmanager
def _one_moment() -> Iterator[None]:
    """A transaction that sees the database as it is now, and lets others write."""
    mode, outermost = getattr(connection, "transaction_mode", None), not connection.in_atomic_block
    if outermost and connection.vendor == "sqlite":
        connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]
    try:
        with transaction.atomic():
            if outermost and connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield
    finally:
        if connection.vendor == "sqlite":
            connection.transaction_mode = mode  # type: ignore[attr-defined]
