"""Plans the next poll of a source after each import, manual or scheduled.

A source is polled as often as it changes, less often while it does not, and rarely while it fails.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import uniform

from django.conf import settings

from ..gather import Backoff, LimitExceeded, Unreachable, requested_wait
from ..models import DEAD_AFTER, ScheduleMark, Source, SourceSchedule
from ..text.urls import host_of

JITTER = 0.1  # so that sources that were added together do not stay together
# A document that exceeds a limit costs all the time that the limit allows, at each attempt.
OVER_LIMIT_RETRY = timedelta(days=1)


class LostClaim(Exception):
    """Another worker polls the source now, so the result of this one is not stored."""


class RetryLater(Unreachable):
    """No request was sent, because the server asked for a pause."""


@dataclass(frozen=True, slots=True)
class PollInterval:
    """The shortest and the longest time between two polls of a source that works."""

    shortest: timedelta
    longest: timedelta


def poll_interval(reader: str) -> PollInterval:
    shortest, longest = settings.FEEDS_EVERY if reader == "feed" else settings.PAGES_EVERY
    return PollInterval(timedelta(minutes=shortest), timedelta(minutes=longest))


@dataclass(frozen=True, slots=True)
class PollResult:
    """The result of an import, as far as it decides when its source is polled next."""

    outcome: str  # taken | unchanged | refused | failed
    changed: bool = False  # an entry is new or changed
    trouble: Exception | None = None


def plan_next_poll(source: Source, poll_result: PollResult, now: datetime, token: str = "") -> None:
    """Store the time of the source's next poll, and its failures until now. Call it in the transaction that
    stores the result. `token` is of the worker's claim, "" for a manual import.

    Raises:
        LostClaim: the source's plan has another token by now.
    """
    schedule_row, _ = SourceSchedule.objects.select_for_update().get_or_create(source=source)
    schedule_row.source = source  # else the database would be asked for it again
    # A manual import has no token. It holds the show's lock, and its result is as new as any.
    if token not in ("", schedule_row.token):
        raise LostClaim
    # The worker's claim ends.
    schedule_row.token = ""
    schedule_row.attempts = 0
    pause = requested_wait(poll_result.trouble)  # that the server asked for, mostly 0
    # No request was sent, so that is neither a success nor a failure.
    if isinstance(poll_result.trouble, RetryLater):
        schedule_row.next_at = max(schedule_row.next_at or now, now + pause)
        schedule_row.save(update_fields=["next_at", "token", "attempts"])
        return
    delay = _set_attempt_columns_and_get_delay(schedule_row, poll_result, now)
    varied_delay = delay * uniform(1 - JITTER, 1 + JITTER)
    schedule_row.next_at = now + max(varied_delay, pause)
    schedule_row.save()


def _set_attempt_columns_and_get_delay(
    schedule_row: SourceSchedule, poll_result: PollResult, now: datetime
) -> timedelta:
    schedule_row.address = schedule_row.source.address
    schedule_row.host = schedule_host(schedule_row.source)
    schedule_row.attempted_at = now
    if poll_result.trouble is None:
        return _set_success_columns_and_get_delay(schedule_row, poll_result, now)
    is_refused = poll_result.outcome == "refused"
    return _set_failure_columns_and_get_delay(
        schedule_row, poll_result.trouble, now, is_refused=is_refused
    )


def _set_success_columns_and_get_delay(
    schedule_row: SourceSchedule, poll_result: PollResult, now: datetime
) -> timedelta:
    schedule_row.failures = 0
    schedule_row.failing_since = None
    schedule_row.status = None
    if schedule_row.changed_at is None:
        # The first success. There is no gap between two changes yet.
        schedule_row.changed_at = now
    elif poll_result.changed:
        last_gap = now - schedule_row.changed_at
        schedule_row.gap = usual_gap(schedule_row.gap, last_gap)
        schedule_row.changed_at = now
    interval = poll_interval(schedule_row.source.reader)
    time_since_change = now - schedule_row.changed_at
    return poll_delay(interval, schedule_row.gap, time_since_change)


def _set_failure_columns_and_get_delay(
    schedule_row: SourceSchedule, trouble: Exception, now: datetime, *, is_refused: bool
) -> timedelta:
    schedule_row.failures += 1
    schedule_row.failing_since = schedule_row.failing_since or now
    schedule_row.status = getattr(trouble, "status", None)  # of HTTP, if a server answered
    failing_time = now - schedule_row.failing_since
    interval = poll_interval(schedule_row.source.reader)
    backoff = source_backoff(interval, failing_time, is_refused=is_refused)
    delay = backoff.wait(schedule_row.failures)
    # Parsing it again would take as much memory or time as before.
    if isinstance(trouble, LimitExceeded):
        return max(delay, OVER_LIMIT_RETRY)
    return delay


def pause_host(host: str, until: datetime) -> None:
    """Store a pause: no process sends a request to the host before `until`.

    A host counts the requests for all its feeds.
    """
    ScheduleMark.objects.update_or_create(key=_pause_key(host), defaults={"at": until})
    SourceSchedule.objects.filter(host=host, next_at__lt=until).update(next_at=until)


def paused_until(host: str) -> datetime | None:
    marks = ScheduleMark.objects.filter(key=_pause_key(host))
    return marks.values_list("at", flat=True).first()


def _pause_key(host: str) -> str:
    return f"pause {host}"[:100]  # the size of the column


def pause_files(source: Source, now: datetime) -> None:
    """Store a pause of a day for the transcripts and chapters of a source.

    One of them exceeded a limit, and a feed can name any number of such files.
    """
    until = now + OVER_LIMIT_RETRY
    ScheduleMark.objects.update_or_create(key=_files_key(source), defaults={"at": until})


def are_files_paused(source: Source, now: datetime) -> bool:
    return ScheduleMark.objects.filter(key=_files_key(source), at__gt=now).exists()


def _files_key(source: Source) -> str:
    return f"files {source.pk}"


def schedule_host(source: Source) -> str:
    # A source without a host, such as one of saved files, is a host of its own.
    return (host_of(source.address) or f"source {source.pk}")[:255]  # the size of the column


def usual_gap(average: timedelta | None, last_gap: timedelta) -> timedelta:
    """Return the moving average of the time between two changes. `average` is None before the first gap."""
    if average is None:
        return last_gap
    weight_of_last_gap = 0.3  # so that one late episode hardly counts
    return average + weight_of_last_gap * (last_gap - average)


def poll_delay(interval: PollInterval, gap: timedelta | None, silence: timedelta) -> timedelta:
    """Return the time to the next poll of a source that works.

    `gap` is the usual time between two changes, `silence` the time since the last change. A new source
    and a source that has ended are polled less and less.
    """
    # A change is noticed after a twentieth of the usual time.
    delay: timedelta = max(gap or timedelta(), silence) / 20
    return max(interval.shortest, min(delay, interval.longest))


def source_backoff(interval: PollInterval, failing_time: timedelta, *, is_refused: bool) -> Backoff:
    """Return the backoff of a source that has failed for a time: up to a day or a week."""
    # A change that a feed repeats on three days is accepted by itself. So a refused source is polled daily,
    # until it counts as dead after 30 days (DEAD_AFTER).
    is_polled_daily = is_refused and failing_time < DEAD_AFTER
    return Backoff(interval.shortest, timedelta(days=1 if is_polled_daily else 7))
