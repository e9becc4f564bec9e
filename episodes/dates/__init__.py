"""Dates and lengths in any language: as feeds and pages print them, and as people type them;
pure."""

from .reading import (
    LONGEST_DATE,
    Calendar,
    Mark,
    at_time,
    day_in,
    days_of_year,
    is_ago,
    marks,
    printed_length,
    read_date,
    read_feed_date,
    read_length,
    typed_dates,
)
from .words import month_of, plain_digits

__all__ = [
    "LONGEST_DATE",
    "Calendar",
    "Mark",
    "at_time",
    "day_in",
    "days_of_year",
    "is_ago",
    "marks",
    "month_of",
    "plain_digits",
    "printed_length",
    "read_date",
    "read_feed_date",
    "read_length",
    "typed_dates",
]
