"""The settings of imports and jobs as they take them."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings

from ...ingest import Bounds, Options, Rhythm


def rhythm() -> Rhythm:
    return Rhythm(_bounds(settings.FEEDS_EVERY), _bounds(settings.PAGES_EVERY))


def _bounds(minutes: list[int]) -> Bounds:
    return Bounds(timedelta(minutes=minutes[0]), timedelta(minutes=minutes[1]))


def options() -> Options:
    """The options of a worker's imports; a job of its own follows up."""
    kept = settings.IMAGES == "keep"
    return Options(images=kept, allow=settings.FETCH_ALLOW, rhythm=rhythm(), later=True)
