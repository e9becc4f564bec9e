"""Dates and lengths in any language, as feeds and pages print them and as people type them. Pure."""

from .parse_dates import (
    MAX_DATE_LENGTH,
    feed_length_seconds_range,
    parse_typed_dates,
    printed_length_seconds_range,
    read_date,
    read_feed_date,
)
from .time_mentions import TimeMention, find_time_mentions, is_relative_date
from .words import is_month_name

__all__ = [
    "MAX_DATE_LENGTH",
    "TimeMention",
    "feed_length_seconds_range",
    "find_time_mentions",
    "is_month_name",
    "is_relative_date",
    "parse_typed_dates",
    "printed_length_seconds_range",
    "read_date",
    "read_feed_date",
]
