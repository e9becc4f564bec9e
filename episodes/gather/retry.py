"""When to try again after failures: after a wait that doubles, and not before the server allows it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry

MAX_RETRY_AFTER = timedelta(days=7)  # that a server may ask for


@dataclass(frozen=True, slots=True)
class Backoff:
    """The waits after consecutive failures: `first_wait`, then twice as long each time, up to `max_wait`."""

    first_wait: timedelta
    max_wait: timedelta

    def wait(self, failures: int) -> timedelta:
        """Return the wait after this number of consecutive failures, which is at least 1."""
        doublings = min(failures - 1, 20)  # more would overflow
        doubled: timedelta = self.first_wait * 2**doublings
        return min(doubled, self.max_wait)

    def next_attempt(
        self, now: datetime, failures: int, last_error: Exception | None = None
    ) -> datetime:
        """Return the time of the next attempt: after the wait, and after the pause that the server asked
        for in its last error."""
        return now + max(self.wait(failures), requested_wait(last_error))


def requested_wait(error: Exception | None) -> timedelta:
    """Return the pause that a server asked for (`Unreachable.retry_after`), 0 if it asked for none."""
    return timedelta(seconds=getattr(error, "retry_after", None) or 0)


def read_retry_after(header: str) -> int | None:
    """Return the seconds that a Retry-After header asks for, at most a week. Return None if it has
    neither a number of seconds nor a date."""
    max_seconds = round(MAX_RETRY_AFTER.total_seconds())
    try:
        return round(Retry(retry_after_max=max_seconds).parse_retry_after(header))
    except (InvalidHeader, ValueError, OverflowError):
        return None


def is_paused(until: datetime, now: datetime) -> bool:
    """Return True if a pause that a server asked for still lasts. A pause of more than a week is no
    pause."""
    return now < until <= now + MAX_RETRY_AFTER
