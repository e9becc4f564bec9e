"""Rows of the inbox that a curator calls no problem."""

from __future__ import annotations

from ..models import Dismissed
from .history import User, changing


def dismiss(
    user: User, kind: str, key: str, about: str, digest: str, subject: str, *, reason: str = ""
) -> None:
    """Leave a row out of the inbox for as long as it says what it says now."""
    with changing(
        user, "dismiss", subject, f"inbox:{about[:32]}", podcasts=[], reason=reason
    ) as record:
        row = Dismissed.objects.filter(about=about).first() or Dismissed(about=about)
        row.kind, row.key, row.digest, row.subject = kind, key, digest, subject[:300]
        row.reason, row.made_by_id = reason, user.pk
        record.save(row)
        record.tell("inbox", "open", "not a problem")
