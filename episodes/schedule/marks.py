"""Things that are done once in a while, or told once, whatever the number of processes; the
database remembers."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..models import ScheduleMark


def begin(key: str, now: datetime) -> bool:
    """True for the one that begins it; it goes on until somebody ends it."""
    return ScheduleMark.objects.get_or_create(key=key, defaults={"at": now})[1]


def end(key: str) -> bool:
    """True for the one that ends it."""
    return ScheduleMark.objects.filter(key=key).delete()[0] > 0


def begun(prefix: str) -> set[str]:
    """The keys of what is going on, of those that begin like this."""
    return set(ScheduleMark.objects.filter(key__startswith=prefix).values_list("key", flat=True))


def is_due(key: str, period: timedelta, now: datetime) -> bool:
    """True once a period has passed since it was done; the first begins with the first call."""
    mark, is_new = ScheduleMark.objects.get_or_create(key=key, defaults={"at": now})
    return not is_new and mark.at <= now - period


def take(key: str, now: datetime) -> None:
    """It is done now."""
    ScheduleMark.objects.update_or_create(key=key, defaults={"at": now})
