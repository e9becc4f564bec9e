"""Dates and lengths in any language: as feeds and pages print them, and as people type them;
pure."""

from .feed_dates import read_feed_date
from .reading import (
    SIGNS,
    Calendar,
    Mark,
    day_in,
    is_ago,
    marks,
    printed_length,
    read_date,
    read_length,
)
from .typed import typed_dates, typed_length
from .words import key, plain_digits, weekdays

__all__ = [
    "SIGNS",
    "Calendar",
    "Mark",
    "day_in",
    "is_ago",
    "key",
    "marks",
    "plain_digits",
    "printed_length",
    "read_date",
    "read_feed_date",
    "read_length",
    "typed_dates",
    "typed_length",
    "weekdays",
]
