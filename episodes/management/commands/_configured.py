"""The settings of imports as they take them; apart, as most commands import nothing."""

from datetime import timedelta
from typing import Any

from django.conf import settings

from ...ingest import Bounds, Options, Rhythm


def import_options(**given: Any) -> Options:
    """The options that a command was given, and those that the settings give."""
    feeds, pages = (
        Bounds(*(timedelta(minutes=count) for count in pair))
        for pair in (settings.FEEDS_EVERY, settings.PAGES_EVERY)
    )
    kept, rhythm = settings.IMAGES == "keep", Rhythm(feeds, pages)
    return Options(images=kept, allow=settings.FETCH_ALLOW, rhythm=rhythm, **given)
