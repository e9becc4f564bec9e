"""Dates and lengths in any language: as feeds and pages print them, and as people type them; pure."""

from .feed_dates import read_feed_date
from .reading import (
    SIGNS,
    Calendar,
    Mark,
    completed_by,
    day_in,
    day_of,
    language_of_dates,
    marks,
    month_and_year,
    printed_length,
    read_date,
    read_length,
    when_and_how_long,
)
from .typed import typed_dates, typed_length
from .words import key, plain_digits, weekdays

__all__ = [
    "SIGNS",
    "Calendar",
    "Mark",
    "completed_by",
    "day_in",
    "day_of",
    "key",
    "language_of_dates",
    "marks",
    "month_and_year",
    "plain_digits",
    "printed_length",
    "read_date",
    "read_feed_date",
    "read_length",
    "typed_dates",
    "typed_length",
    "weekdays",
    "when_and_how_long",
]
