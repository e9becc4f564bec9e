"""Notes every reading of a source's address in its plan: how often it failed, and when it is due
again: as often as it changes, less and less while nothing happens, rarely where it fails.

Every import comes by here, by hand and by schedule.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import uniform

from django.conf import settings

from ..gather import Backoff, TooMuch, Unreachable, requested_wait
from ..models import DEAD_AFTER, ScheduleMark, Source, SourceSchedule
from ..text.urls import host_of

READINGS = 20  # between two changes, so a change is noticed after a twentieth of the usual time
NEW_GAP_WEIGHS = 0.3  # in the usual time between two changes
LONGEST_RETRY = timedelta(days=7)
# A refused document is read daily for so long: a change that stays for three days is imported by
# itself.
REFUSED_RETRY = timedelta(days=1)
# A document that exceeds a limit costs all the time that the limit allows, at each attempt.
TOO_MUCH_RETRY = timedelta(days=1)
JITTER = 0.1  # sources that were added together do not stay together


class Superseded(Exception):
    """Another worker reads the source now: what this one has read is not stored."""


class Waiting(Unreachable):
    """It was not asked at all, because its server wants to be left alone."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The shortest and the longest time between two readings of a source that works."""

    least: timedelta
    most: timedelta


def bounds_of(reader: str) -> Bounds:
    """The bounds for feeds, or for all other pages, as the settings give them."""
    minutes = settings.FEEDS_EVERY if reader == "feed" else settings.PAGES_EVERY
    return Bounds(*(timedelta(minutes=count) for count in minutes))


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of a reading; `changed`: the source said something new."""

    outcome: str  # taken | unchanged | refused | failed
    changed: bool = False
    trouble: Exception | None = None


def plan(source: Source, reading: Reading, now: datetime, token: str = "") -> None:
    """Set the source's next reading. To be called in the transaction that keeps what was read.

    Raises:
        Superseded: a worker reads by `token`, and the source's plan has another one.
    """
    row, _ = SourceSchedule.objects.select_for_update().get_or_create(source=source)
    row.source = source  # else it would be asked for again
    # An import by hand has none: it holds the show's lock, and what it read is as new as any.
    if token not in ("", row.token):
        raise Superseded
    row.token, row.attempts = "", 0
    wait = requested_wait(reading.trouble)
    if isinstance(reading.trouble, Waiting):
        row.next_at = max(row.next_at or now, now + wait)
        row.save(update_fields=["next_at", "token", "attempts"])
        return
    row.address, row.host, row.attempted_at = source.address, schedule_host(source), now
    bounds = bounds_of(source.reader)
    if reading.trouble is None:
        row.failures, row.failing_since, row.status = 0, None, None
        if reading.changed or row.changed_at is None:
            row.gap = usual_gap(row.gap, now - row.changed_at if row.changed_at else None)
            row.changed_at = now
        delay = interval(bounds, row.gap, now - row.changed_at)
    else:
        row.failures += 1
        row.failing_since = row.failing_since or now
        row.status = getattr(reading.trouble, "status", None)
        is_refused = reading.outcome == "refused"
        backoff = source_backoff(bounds, now - row.failing_since, is_refused=is_refused)
        delay = backoff.wait(row.failures)
        if isinstance(reading.trouble, TooMuch):
            delay = max(delay, TOO_MUCH_RETRY)
    row.next_at = now + max(delay * uniform(1 - JITTER, 1 + JITTER), wait)
    row.save()


def pause_host(host: str, until: datetime) -> None:
    """Ask nothing of a host until then, in any process: it counts the requests for all its feeds."""
    ScheduleMark.objects.update_or_create(key=_pause_key(host), defaults={"at": until})
    SourceSchedule.objects.filter(host=host, next_at__lt=until).update(next_at=until)


def paused_until(host: str) -> datetime | None:
    """Return the end of a host's last pause, or None if it had none."""
    marks = ScheduleMark.objects.filter(key=_pause_key(host))
    return marks.values_list("at", flat=True).first()


def _pause_key(host: str) -> str:
    return f"pause {host}"[:100]


def pause_files(source: Source, now: datetime) -> None:
    """Fetch no transcripts and chapters of a source for a day. One of them exceeded a limit, and a feed
    can name any number of such files."""
    until = now + TOO_MUCH_RETRY
    ScheduleMark.objects.update_or_create(key=_files_key(source), defaults={"at": until})


def are_files_paused(source: Source, now: datetime) -> bool:
    return ScheduleMark.objects.filter(key=_files_key(source), at__gt=now).exists()


def _files_key(source: Source) -> str:
    return f"files {source.pk}"


def schedule_host(source: Source) -> str:
    """The host that is asked, or a name of its own for an address that has none."""
    return (host_of(source.address) or f"source {source.pk}")[:255]


def usual_gap(before: timedelta | None, newest: timedelta | None) -> timedelta | None:
    """The usual time between two changes, after one more of them; None before the second change."""
    if before is None or newest is None:
        return newest
    return before + NEW_GAP_WEIGHS * (newest - before)


def interval(bounds: Bounds, gap: timedelta | None, silence: timedelta) -> timedelta:
    """The time to the next reading of a source that works.

    `silence` is the time since the last change: a new source, whose rhythm nobody knows, and one
    that has ended are asked less and less.
    """
    wanted: timedelta = max(gap or timedelta(), silence) / READINGS
    return max(bounds.least, min(wanted, bounds.most))


def source_backoff(bounds: Bounds, failing: timedelta, *, is_refused: bool) -> Backoff:
    """Return the waits of a source that has failed for a time: up to a day or a week."""
    is_read_daily = is_refused and failing < DEAD_AFTER
    return Backoff(bounds.least, REFUSED_RETRY if is_read_daily else LONGEST_RETRY)
