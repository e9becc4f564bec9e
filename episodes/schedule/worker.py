"""Reads one source after another, each when it is due, and does what else is due in between."""

from __future__ import annotations

import logging
import os
import socket
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil

from django.db import InterfaceError, OperationalError, connection

from ..gather import check_links
from ..ingest import Options, Report, read_source
from ..models import Link, SourceSchedule
from ..resolve import catch_up
from . import marks
from .channels import Channels
from .claims import LEASE, add_missing, claim, extend, is_held_up, next_event, release
from .incidents import Thresholds, report_incidents
from .outbox import send, send_again
from .weekly import WEEK, digest

LONGEST_SLEEP = timedelta(seconds=60)  # a source that was added meanwhile is due at once
SHORTEST_SLEEP = timedelta(seconds=1)
OFTEN = timedelta(minutes=1)  # how often troubles are looked for
HOUR = timedelta(hours=1)
LINKS_ONCE_IN = timedelta(days=30)
MOST_LINKS = 50  # checked at once

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Schedule:
    """What the schedule is to do."""

    options: Options
    channels: Channels = field(default_factory=Channels)
    thresholds: Thresholds = field(default_factory=Thresholds)
    check_links: bool = True
    lease: timedelta = LEASE


class Worker:
    """One process of the schedule; any number may run. Whoever runs it sets `stopped` to end it after the source in hand.

    `sleep` takes seconds. `tell` gets the report of each reading, `watch` what is being done.
    """

    def __init__(
        self,
        schedule: Schedule,
        clock: Callable[[], datetime],
        sleep: Callable[[float], object],
        tell: Callable[[Report], None],
        watch: Callable[[str], None] = lambda message: None,
    ) -> None:
        self.schedule, self.clock, self.sleep, self.tell, self.watch = schedule, clock, sleep, tell, watch
        self.name = f"{socket.gethostname()[:40]} {os.getpid()} {uuid.uuid4().hex[:8]}"
        self.stopped = False
        self._looked_at: datetime | None = None
        self._has_read = False

    def run(self) -> None:
        """Go on until it is stopped; a database that does not answer is waited for."""
        is_down = False
        while not self.stopped:
            try:
                if not self.read_next():
                    self.rest()
                is_down = False
            except (OperationalError, InterfaceError) as error:
                if not is_down:
                    logger.warning("The database does not answer; trying again: %s", error)
                is_down = True
                connection.close()
                self.sleep(LONGEST_SLEEP.total_seconds() / 6)

    def run_once(self) -> None:
        """Read what is due, and end. What another process is reading is left to it."""
        while not self.stopped and (self.read_next() or is_held_up(self.clock())):
            self.sleep(0 if self._has_read else SHORTEST_SLEEP.total_seconds())
        self.look_around()

    def read_next(self) -> bool:
        """Read one source; False where none is due and free."""
        if self._looked_at is None or self.clock() - self._looked_at >= OFTEN:
            self.look_around()
        row = claim(self.name, self.clock(), self.schedule.lease)
        self._has_read = row is not None
        if row is None:
            return False
        try:
            self.tell(read_source(row.source, self.schedule.options, self.clock, self._holding(row)))
        finally:
            release(row, self.name, self.clock())
        return True

    def _holding(self, row: SourceSchedule) -> Callable[[str], None]:
        """Keeps the claim for as long as the reading goes on: each of its steps says what it does."""
        extended_at = self.clock()

        def watch(message: str) -> None:
            nonlocal extended_at
            now = self.clock()
            if now - extended_at >= self.schedule.lease / 4:
                extended_at = now
                extend(row, self.name, now + self.schedule.lease)
            self.watch(message)

        return watch

    def rest(self) -> None:
        """Sleep until the next source is due, or for a minute."""
        now = self.clock()
        wake = next_event(now) or now + LONGEST_SLEEP
        seconds = min(max(wake - now, SHORTEST_SLEEP), LONGEST_SLEEP).total_seconds()
        self.sleep(seconds)

    def look_around(self) -> None:
        """Do what is due beside readings; whatever the number of processes, one of them does it."""
        now = self._looked_at = self.clock()
        for podcast in catch_up(self.clock):
            self.watch(f"{podcast}: changes worked in")
        add_missing(now)
        send_again(self.schedule.channels, now)
        report_incidents(self.schedule.thresholds, self.schedule.channels, now)
        since = marks.last_turn("digest") or now
        if marks.is_turn("digest", WEEK, now):
            send(self.schedule.channels, digest(since, now), now, ("mail",))
        if self.schedule.check_links and marks.is_turn("links", HOUR, now):
            self._check_links()

    def _check_links(self) -> None:
        """As many links as it takes each hour to check all of them once in 30 days."""
        share = min(ceil(Link.objects.count() / (LINKS_ONCE_IN / HOUR)), MOST_LINKS)
        if not share:
            return
        with suppress(_Stopped):
            check_links(
                share,
                LINKS_ONCE_IN,
                allow=self.schedule.options.allow,
                clock=self.clock,
                sleep=self._pause,
                watch=self._unless_stopped,
            )

    def _pause(self, seconds: float) -> None:
        self.sleep(seconds)

    def _unless_stopped(self, message: str) -> None:
        if self.stopped:
            raise _Stopped
        self.watch(message)


class _Stopped(Exception):
    """Ends a run of checks between two of them; what was checked is kept."""
