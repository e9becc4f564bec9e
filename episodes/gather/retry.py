"""When to try again after failures: twice as late each time, and not before the server allows it."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry

MAX_RETRY_AFTER = timedelta(days=7)  # that a server may ask for
TOO_MANY_REQUESTS_WAIT = 1_800  # seconds, after a 429 without Retry-After
MAX_DOUBLINGS = 20


@dataclass(frozen=True, slots=True)
class Backoff:
    """The waits after failures in a row: `first`, then twice as long each time, up to `longest`."""

    first: timedelta
    longest: timedelta

    def wait(self, failures: int) -> timedelta:
        """Return the wait after this many failures in a row, at least one."""
        doubled: timedelta = self.first * 2 ** min(failures - 1, MAX_DOUBLINGS)
        return min(doubled, self.longest)

    def next_attempt(
        self, now: datetime, failures: int, trouble: Exception | None = None
    ) -> datetime:
        """Return when to try again. The last failure is `error`, whose server may ask for more time."""
        return now + max(self.wait(failures), requested_wait(trouble))


def requested_wait(error: Exception | None) -> timedelta:
    """Return the time for which a server asked to be left alone, which is 0 if it did not ask."""
    return timedelta(seconds=getattr(error, "retry_after", None) or 0)


def read_retry_after(header: str) -> int | None:
    """Return the seconds of a Retry-After header, at most a week, or None if it has neither seconds nor
    a date."""
    rule = Retry(retry_after_max=round(MAX_RETRY_AFTER.total_seconds()))
    with suppress(InvalidHeader, ValueError, OverflowError):
        return round(rule.parse_retry_after(header))
    return None


def is_paused(until: datetime, now: datetime) -> bool:
    """Return whether a pause that a server asked for still lasts."""
    # An older version kept what servers asked for without a limit.
    return now < until <= now + MAX_RETRY_AFTER
