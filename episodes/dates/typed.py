"""Reads a date or a length that a person typed: more ways of writing than in feeds, and nothing is
guessed."""

from __future__ import annotations

from datetime import date

from ..records import DurationRange, PublicationDate, parse_date
from ..text.formatting import position
from .reading import (
    WEEK,
    WHOLE_TIME,
    at_time,
    dates_in,
    read_length,
    without_weekday,
)
from .words import plain_digits

LONGEST = 100  # characters


def typed_dates(text: str) -> tuple[PublicationDate, ...]:
    """All that a date can mean: one, two where day and month could be either way round, or none."""
    text = " ".join(plain_digits(text[: LONGEST + 1]).split())
    if len(text) > LONGEST:
        return ()
    text = without_weekday(text)
    mark = next((mark for mark in dates_in(text, "en") if mark.start == 0), None)
    if mark is None:
        return ()
    if mark.instant and mark.end == len(text):
        return tuple(filter(None, (parse_date(mark.instant),)))
    return tuple(filter(None, (_at(day, text[mark.end :]) for day in mark.days)))


def _at(day: date, time: str) -> PublicationDate | None:
    """A day with the time that follows it; None for a time that cannot be read, as in an unknown
    zone."""
    found = WHOLE_TIME.fullmatch(time)
    if not found:
        return None if time else at_time(day)
    at = at_time(day, found)
    return None if at is None or at.is_day else at


def typed_length(text: str) -> DurationRange | None:
    """The length that a text means: `13:45`, `1:02:03`, `14 min`, `1h 2m`, `825` or `1020.0`
    seconds."""
    text = " ".join(plain_digits(text[: LONGEST + 1]).split())
    if len(text) > LONGEST:
        return None
    whole, _, fraction = text.partition(".")
    if whole.isdecimal() and not fraction.strip("0"):  # what spreadsheets make of a whole number
        text = whole
    span = read_length(text)
    seconds = (
        position(text.lower().replace(" ", "")) if span is None and text[-1:].isalpha() else None
    )
    if seconds is not None and 0 < seconds < WEEK:
        span = (seconds, seconds + (0 if text.lower().endswith("s") else 59))
    return DurationRange(*span) if span else None
