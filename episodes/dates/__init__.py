"""Dates and lengths in any language, as feeds and pages print them and as people type them. Pure."""

from .parse_dates import (
    MAX_DATE_LENGTH,
    parse_typed_dates,
    read_date,
    read_feed_date,
    read_length_range,
    read_printed_length_range,
)
from .time_mentions import TimeMention, find_time_mentions, is_relative_date

__all__ = [
    "MAX_DATE_LENGTH",
    "TimeMention",
    "find_time_mentions",
    "is_relative_date",
    "parse_typed_dates",
    "read_date",
    "read_feed_date",
    "read_length_range",
    "read_printed_length_range",
]
