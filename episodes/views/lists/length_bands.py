"""Bands of episode lengths. Every episode is in exactly one: a length on a border is in the longer band."""

from __future__ import annotations

from django.db.models import Q

from ...models import UNKNOWN_LENGTH


def is_band(text: str) -> bool:
    """True for `unknown` and for any range of minutes."""
    least, dash, most = text.partition("-")
    return text == UNKNOWN_LENGTH or (bool(dash) and _is_minutes(least) and (not most or _is_minutes(most)))


def _is_minutes(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 4


def band(text: str) -> Q:
    """The condition that episodes of a band meet."""
    if text == UNKNOWN_LENGTH:
        return Q(duration_seconds__isnull=True)
    least, most = text.split("-")
    upper = Q(duration_seconds__lt=int(most) * 60) if most else Q()
    return Q(duration_seconds__gte=int(least) * 60) & upper


def in_words(text: str) -> str:
    """`under 15 min`, `15 to 20 min`, `60 min or longer`, `length unknown`; "" for no band."""
    if text in ("", UNKNOWN_LENGTH):
        return text and "length unknown"
    least, most = text.split("-")
    if not most:
        return f"{least} min or longer"
    return f"{least} to {most} min" if int(least) else f"under {most} min"
