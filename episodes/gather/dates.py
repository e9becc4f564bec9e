"""Reads the dates and lengths that listing pages print, and leaves unknown what they do not say."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ..records import Moment

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
MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\.?"
CLOCK_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?\s*(?P<half>[ap]m)?(?:\s*(?:UTC|GMT|Z))?"
TIME = rf"(?:,?\s+(?:at\s+)?{CLOCK_TIME})?"
FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        rf"{MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}}){TIME}",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+{MONTH},?\s+(?P<year>\d{{4}}){TIME}",
        rf"(?P<year>\d{{4}})-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}})(?:(?:T|\s+){CLOCK_TIME})?",
    )
)
CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{2})")
ISO_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?", re.I)
HOURS = r"(?:(?P<hours>\d{1,3})\s*(?:hours?|hrs?|h)\b[\s,]*(?:and\s+)?)?"
WORDS = re.compile(rf"{HOURS}(?P<minutes>\d{{1,4}})\s*(?:minutes?|mins?|min|m)\b(?:[\s,]*(?P<seconds>\d{{1,2}})\s*(?:seconds?|secs?|s)\b)?", re.I)


def moment(text: str) -> Moment | None:
    """The date that `text` is, whole: an instant where it has a time of day (UTC unless it says otherwise), else a day."""
    for form in FORMS:
        if match := form.fullmatch(text.strip()):
            return _from_match(match)
    return None


def _from_match(match: re.Match[str]) -> Moment | None:
    part = match.groupdict()
    month = part["month"].lower()
    hour = int(part["hour"] or 0)
    if part["half"]:
        hour = hour % 12 + (12 if part["half"].lower() == "pm" else 0)
    try:
        at = datetime(
            int(part["year"]), int(month) if month.isdigit() else MONTHS[month], int(part["day"]),
            hour, int(part["minute"] or 0), int(part["second"] or 0), tzinfo=UTC,
        )  # fmt: skip
    except (ValueError, KeyError):
        return None
    return Moment(at, "instant" if part["hour"] else "day")


def seconds(text: str) -> tuple[int, int] | None:
    """The span of seconds that a printed length allows: `16:33` and `PT16M33S` are exact, `13 minutes` is 780 up to 839."""
    text = text.strip()
    if match := CLOCK.fullmatch(text):
        hours, minutes, rest = (int(part or 0) for part in match.groups())
        return _exact(hours * 3600 + minutes * 60 + rest)
    if text.upper().startswith("P") and (match := ISO_DURATION.fullmatch(text)) and any(match.groups()):
        days, hours, minutes, rest = (int(part or 0) for part in match.groups())
        return _exact(((days * 24 + hours) * 60 + minutes) * 60 + rest)
    if text.isdigit() and len(text) < 7:
        return _exact(int(text))
    if match := WORDS.fullmatch(text):
        whole = int(match["hours"] or 0) * 3600 + int(match["minutes"]) * 60
        if match["seconds"]:
            return _exact(whole + int(match["seconds"]))
        return (whole, whole + 59) if whole else None
    return None


def _exact(value: int) -> tuple[int, int] | None:
    # A length of nothing is what feeds write when they do not know; a week is what they write by mistake.
    return (value, value) if 0 < value < 7 * 86_400 else None
