"""Dates and lengths in any language, as feeds and pages print them and as people type them. Pure."""

from .marks import Mark, is_ago, marks
from .parse import (
    LONGEST_DATE,
    printed_length,
    read_date,
    read_feed_date,
    read_length,
    typed_dates,
)

__all__ = [
    "LONGEST_DATE",
    "Mark",
    "is_ago",
    "marks",
    "printed_length",
    "read_date",
    "read_feed_date",
    "read_length",
    "typed_dates",
]
