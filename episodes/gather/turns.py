"""Keeps requests polite: says when a host may be asked again, and spreads addresses over hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import TypeVar

T = TypeVar("T")


class LeftAlone(Exception):
    """The host asked to be left alone, and that time is not over."""


class Turns:
    """Waits so that between the end of a request and the next one to the same host at least `pause`
    passes.

    `waiting` holds the hosts that asked to be left alone, and until when. `sleep` takes seconds.
    """

    def __init__(
        self,
        pause: timedelta,
        waiting: Mapping[str, datetime],
        clock: Callable[[], datetime],
        sleep: Callable[[float], None],
    ) -> None:
        self.host = ""  # the one that is asked now
        self._pause = pause
        self._waiting = dict(waiting)
        self._clock = clock
        self._sleep = sleep
        self._last: dict[str, datetime] = {}

    def take(self, host: str) -> None:
        """Wait until the host may be asked. Raises `LeftAlone` where that would take longer than a
        pause."""
        self._over()
        now = self._clock()
        if now < self._waiting.get(host, now):
            raise LeftAlone(host)
        if host in self._last:
            # A clock that was set back makes nobody wait for hours.
            wait = min(self._last[host] + self._pause - now, self._pause)
            self._sleep(max(0.0, wait.total_seconds()))
        self.host = host

    def done(self, left_alone: int | None = None) -> datetime | None:
        """The request is over. If its server asked to be left alone for so many seconds: until when
        that is."""
        host = self._over()
        if not left_alone:
            return None
        self._waiting[host] = self._clock() + timedelta(seconds=left_alone)
        return self._waiting[host]

    def _over(self) -> str:
        host, self.host = self.host, ""
        if host:
            self._last[host] = self._clock()
        return host


def spread(rows: Iterable[T], host: Callable[[T], str]) -> list[T]:
    """The first row of every host, then the second of every host, and so on; else in the order that
    they have."""
    seen: Counter[str] = Counter()
    rounds = []
    for row in rows:
        rounds.append((seen[host(row)], row))
        seen[host(row)] += 1
    return [row for _, row in sorted(rounds, key=lambda numbered: numbered[0])]
