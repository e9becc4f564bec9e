"""Things that any number of processes do once between them; the database decides who."""

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


def is_turn(key: str, period: timedelta, now: datetime) -> bool:
    """True for one caller in each period; the first period begins with the first call."""
    if begin(key, now):
        return False
    return ScheduleMark.objects.filter(key=key, at__lte=now - period).update(at=now) > 0


def last_turn(key: str) -> datetime | None:
    return ScheduleMark.objects.filter(key=key).values_list("at", flat=True).first()
