"""Things that are done once in a while, whatever the number of processes; the database
remembers."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..models import ScheduleMark


def is_due(key: str, period: timedelta, now: datetime) -> bool:
    """True once a period has passed since it was done; the first begins with the first call."""
    mark, is_new = ScheduleMark.objects.get_or_create(key=key, defaults={"at": now})
    return not is_new and mark.at <= now - period


def take(key: str, now: datetime) -> None:
    """It is done now."""
    ScheduleMark.objects.update_or_create(key=key, defaults={"at": now})
