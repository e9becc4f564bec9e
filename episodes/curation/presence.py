"""Tells curators who else has the same form open. It is a hint, no lock: a stale form is refused when it is saved."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import OperationalError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from ..models import OpenForm
from .history import User

EXPIRES = timedelta(minutes=15)
WRITTEN_EVERY = timedelta(minutes=1)
LONGEST = 500


def open_form(user: User, page: str) -> str:
    """Note that somebody has a form open, and answer with the token by which it is closed."""
    now, page = timezone.now(), page[:LONGEST]
    own = OpenForm.objects.filter(user=user.pk, page=page).first()
    if own is None or now - own.opened_at >= WRITTEN_EVERY:
        return now.isoformat() if _written(user, page, now) else ""
    return own.opened_at.isoformat()


def _written(user: User, page: str, now: datetime) -> bool:
    """Note the form. False while an import keeps the database busy, because a hint is not worth an error."""
    try:
        with transaction.atomic():
            OpenForm.objects.filter(opened_at__lt=now - EXPIRES).delete()
            OpenForm.objects.update_or_create(user_id=user.pk or 0, page=page, defaults={"opened_at": now})
    except OperationalError:
        return False
    return True


def others_at(user: User, page: str) -> QuerySet[OpenForm]:
    """The forms of others that are open on a page, the last opened first."""
    rows = OpenForm.objects.filter(page=page[:LONGEST], opened_at__gte=timezone.now() - EXPIRES)
    return rows.exclude(user=user.pk).select_related("user").order_by("-opened_at")


def close_form(user: User, page: str, token: str) -> None:
    """Forget an open form, unless the same person has opened it again since."""
    rows = OpenForm.objects.filter(user=user.pk, page=page[:LONGEST])
    for row in rows:
        if row.opened_at.isoformat() == token:
            row.delete()
