"""Lengths, days, counts and positions in words."""

import re
from calendar import month_name
from collections.abc import Mapping
from datetime import UTC, datetime
from math import floor
from unicodedata import bidirectional

from .timecodes import MAX_SECONDS, timecode_seconds

HOUR = 3_600  # seconds


def format_minutes(seconds: int | None) -> str:
    """Return `14 min` or `2 h 41 min`, to the nearest minute, or "" if unknown."""
    return format_hours(seconds) if seconds else ""


def format_length(seconds: int | None, exact: bool) -> str:
    """Return `14 min 5 s` if a length is exact, else `14 min`, or "" if unknown."""
    if not seconds or not exact or seconds % 60 == 0:
        return format_minutes(seconds)
    return f"{seconds // 60} min {seconds % 60} s".removeprefix("0 min ")


def format_hours(seconds: int) -> str:
    """Return `2 h 41 min` or `41 min`."""
    hour, minute = divmod(max(1, round(seconds / 60)), 60)
    return f"{hour} h {minute} min".removeprefix("0 h ").removesuffix(" 0 min")


def format_total_length(facet_counts: Mapping[str, int]) -> str:
    """Return the length of all episodes: `2 h 41 min`, `13 hours`, `2,140 hours`. If some lengths are
    unknown, return `2 h 41+ min` or `13+ hours`, or "" if all are.

    `facet_counts` has the number of `episodes`, the number of `timed` episodes, whose length is known, and their
    `seconds` together.
    """
    seconds = facet_counts["seconds"]
    has_all_lengths = facet_counts["timed"] == facet_counts["episodes"]
    if not facet_counts["timed"]:
        return ""
    if seconds >= 10 * HOUR:
        return _format_whole_hours(seconds, is_lower_limit=not has_all_lengths)
    length = format_hours(seconds)
    number, _, last_unit = length.rpartition(" ")  # "2 h 41" and "min"
    return length if has_all_lengths else f"{number}+ {last_unit}"


def _format_whole_hours(seconds: int, *, is_lower_limit: bool) -> str:
    """Return `13 hours`, `2,140 hours`, or `13+ hours` for a lower limit."""
    # From 100 hours on the number ends in 0.
    step = 1 if seconds < 100 * HOUR else 10
    steps = seconds / (step * HOUR)
    if is_lower_limit:
        # Rounded down, because 12.9 hours are not "13+ hours".
        return f"{floor(steps) * step:,}+ hours"
    return f"{round(steps) * step:,} hours"


def format_day(moment: datetime | None) -> str:
    """Return `21 June 2021`, or "" if unknown."""
    if moment is None:
        return ""
    at = moment.astimezone(UTC)
    return f"{at.day} {at:%B %Y}"


def describe_xml_repair(counts: Mapping[str, int]) -> str:
    if "broken" not in counts:
        return ""
    return f"its XML is not well-formed; items that could be read only in part: {counts['broken']}"


def format_episode_count(count: int) -> str:
    return format_count(count, "episode", "episodes")


def format_count(count: int, singular: str, plural: str) -> str:
    """Return `No episodes`, `1 episode` or `1,200 episodes`."""
    if count == 0:
        return f"No {plural}"
    return f"1 {singular}" if count == 1 else f"{count:,} {plural}"


# The results of an import by the name of their count.
RESULT_WORDS = {
    "new": "new",
    "matched": "matched",
    "held": "in need of review",
    "ignored": "ignored",
}


def describe_import_results(
    total_in_words: str,
    count_by_result: Mapping[str, int],
    word_by_result: Mapping[str, str] = RESULT_WORDS,
) -> str:
    """Return "82 entries, all new" or "46 entries: 40 matched, 6 ignored". Leave out a result without entries."""
    counts_with_words = []  # "40 matched", "6 ignored"
    for result, word in word_by_result.items():
        count = count_by_result.get(result)
        if count:
            counts_with_words.append(f"{count:,} {word}")
    if not counts_with_words:
        return total_in_words
    # "1 entry, all new" would be wrong.
    is_single_entry = total_in_words.startswith("1 ")
    if len(counts_with_words) == 1 and not is_single_entry:
        _, _, word_of_all = counts_with_words[0].partition(" ")
        return f"{total_in_words}, all {word_of_all}"
    return f"{total_in_words}: {', '.join(counts_with_words)}"


def isolate_direction(words: str) -> str:
    """Return foreign words for a text without markup. Letters that run from right to left are isolated
    from the text around them."""
    runs_to_left = any(bidirectional(letter) in ("R", "AL") for letter in words)
    # FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE
    return f"\u2068{words}\u2069" if runs_to_left else words


def format_length_range(min_minutes: str, max_minutes: str) -> str:
    """Return `15 to 20 min`, `up to 15 min`, `20 min or longer`, or "" for any length. A limit that
    is not set is ""."""
    if min_minutes and max_minutes:
        return f"{min_minutes} to {max_minutes} min"
    if max_minutes:
        return f"up to {max_minutes} min"
    return f"{min_minutes} min or longer" if min_minutes else ""


def format_time(seconds: float) -> str:
    """Return a position in the audio: `12:34` or `1:02:03`."""
    all_minutes, second = divmod(max(0, int(seconds)), 60)
    hour, minute = divmod(all_minutes, 60)
    return f"{hour}:{minute:02}:{second:02}" if hour else f"{minute}:{second:02}"


def seconds_of_time_parameter(text: str) -> int | None:
    """Return the seconds that `754`, `12:34`, `1:02:03` or `12m34s` mean, or None for other texts."""
    match = re.fullmatch(
        r"(?=\d)(?:(?:(?P<hours>\d{1,2})[h:])?(?P<minutes>\d{1,3})[m:])?(?:(?P<seconds>\d{1,9})s?)?",
        text.strip(),
        flags=re.ASCII,
    )
    if match is None:
        return None
    return min(timecode_seconds(match), MAX_SECONDS)


def format_month(text: str) -> str:
    """Return `March 2021` for `2021-03`. A year stays, and so does ""."""
    year, _, number = text.partition("-")
    return f"{month_name[int(number)]} {year}" if number else year
