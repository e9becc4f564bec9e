"""Reads the dates and lengths that feeds and listing pages print, and leaves unknown what they do not say."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from ..records import PublicationDate

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
# The zones of RFC 822 and those that feeds use beside them, in hours; of any other zone only the day is believed.
ZONES = {"": 0, "z": 0, "ut": 0, "utc": 0, "gmt": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
         "pst": -8, "pdt": -7, "cet": 1, "cest": 2}  # fmt: skip
MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\.?"
WEEKDAY = r"(?:[^\W\d_]{2,12}\.?,\s*)?"
CLOCK_TIME = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d{1,9})?)?\s*(?P<half>[ap]\.?m\.?(?!\w))?"
    r"\s*(?P<offset>[+-]\d{2}:?\d{2})?(?P<zone>[A-Za-z][\w/]{0,40})?"
)
TIME = rf"(?:,?\s+(?:at\s+)?{CLOCK_TIME})?"
FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        rf"{WEEKDAY}{MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}}){TIME}",
        rf"{WEEKDAY}(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+{MONTH},?\s+(?P<year>\d{{4}}|\d{{2}}(?=\s+\d{{1,2}}:)){TIME}",
        rf"(?P<year>\d{{4}})-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}})(?:(?:T|\s+){CLOCK_TIME})?",
    )
)
YEARS = range(1900, 2201)  # others are mistakes, and the first and the last that Python knows have no local time
CLOCK = re.compile(r"(?:(\d{1,3}):(?=[0-5]\d:))?(\d{1,3}):([0-5]\d)")
ISO_DURATION = re.compile(r"P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d{1,9})?S)?)?", re.I)
MINUTES = r"(?P<minutes>\d{1,4})\s*(?:minutes?|mins?|m)(?![a-z])\.?"
HOURS = r"(?P<hours>\d{1,3})\s*(?:hours?|hrs?|h)(?![a-z])\.?"
REST = r"(?:[\s,]*(?P<seconds>\d{1,2})\s*(?:seconds?|secs?|s)(?![a-z])\.?)?"
WORDS = re.compile(rf"(?:{HOURS})?(?:[\s,]*(?:and\s+)?{MINUTES}{REST})?", re.I)
WEEK = 7 * 86_400


def moment(text: str) -> PublicationDate | None:
    """The date that `text` is, whole: an instant where it has a time of day (UTC unless it says otherwise), else a day."""
    text = " ".join(text[:200].split())
    for form in FORMS:
        if match := form.fullmatch(text):
            return _from_match(match)
    return None


def _from_match(match: re.Match[str]) -> PublicationDate | None:
    part = match.groupdict()
    month, year, hour = part["month"].lower(), int(part["year"]), int(part["hour"] or 0)
    if part["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if part["half"].lower().startswith("p") else 0)
    if len(part["year"]) == 2:
        year += 2000 if year < 70 else 1900
    try:
        at = datetime(
            year, int(month) if month.isdecimal() else MONTHS[month], int(part["day"]),
            hour, int(part["minute"] or 0), min(int(part["second"] or 0), 59), tzinfo=UTC,
        )  # fmt: skip
    except (ValueError, KeyError):
        return None
    if year not in YEARS:
        return None
    shift = _shift(part["offset"] or "", (part["zone"] or "").lower())
    if not part["hour"] or shift is None:
        return PublicationDate(at.replace(hour=0, minute=0, second=0), "day")
    return PublicationDate(at - shift, "instant")


def _shift(offset: str, zone: str) -> timedelta | None:
    """How far a clock is ahead of UTC; None where that is not known."""
    if offset:
        hours, minutes = int(offset[1:3]), int(offset[-2:])
        size = timedelta(hours=hours, minutes=minutes)
        return (-size if offset[0] == "-" else size) if hours < 15 and minutes < 60 else None
    return timedelta(hours=ZONES[zone]) if zone in ZONES else None


def seconds(text: str) -> tuple[int, int] | None:
    """The span of seconds that a length allows: `16:33`, `PT16M33S`, `993` are exact, `13 minutes` is 780 up to 839."""
    text = text.strip()
    if text.isdecimal() and len(text) < 7:
        return _exact(int(text))
    return printed_length(text)


def printed_length(text: str) -> tuple[int, int] | None:
    """`seconds` for what a page prints, where a bare number may count anything."""
    text = text.strip()
    if len(text) > 60:
        return None
    if match := CLOCK.fullmatch(text):
        hours, minutes, rest = (int(part or 0) for part in match.groups())
        return _exact(hours * 3600 + minutes * 60 + rest)
    if (match := ISO_DURATION.fullmatch(text)) and any(match.groups()):
        days, hours, minutes, rest = (int(part or 0) for part in match.groups())
        return _exact(((days * 24 + hours) * 60 + minutes) * 60 + rest)
    if text and (match := WORDS.fullmatch(text)):
        whole = int(match["hours"] or 0) * 3600 + int(match["minutes"] or 0) * 60
        if match["seconds"]:
            return _exact(whole + int(match["seconds"]))
        return (whole, whole + (59 if match["minutes"] else 3599)) if 0 < whole < WEEK else None
    return None


def _exact(value: int) -> tuple[int, int] | None:
    # A length of nothing is what feeds write when they do not know; a week is what they write by mistake.
    return (value, value) if 0 < value < WEEK else None


def when_and_how_long(date: str, length: str) -> dict[str, Any]:
    """The fields of an entry for a date and a length as they are printed, read where they can be."""
    at, span = moment(date), seconds(length)
    return {
        "date_raw": date,
        "published": at.isoformat() if at else "",
        "length_raw": length,
        "seconds_low": span[0] if span else None,
        "seconds_high": span[1] if span else None,
    }
