"""Parses a text that is a date or a length and nothing else, as feeds, pages and people write it in any
language. Pure."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from ..records import PublicationDate
from .time_mentions import (
    DATE_WORD,
    DATE_YEAR,
    TIME_BEHIND,
    TimeMention,
    end_including_year_word,
    find_date_mentions,
    find_time_mentions,
    iterate_unambiguous_date_mentions,
    plausible_length_range,
    publication_date_or_none,
)
from .words import EXTRA, alternatives_pattern, cldr_words, plain_digits

MAX_DATE_LENGTH = 200  # characters of a text that is a date or a length and nothing else

# Any other spelling of a time: " - 05:06", ", klo 5.06", " 5h06", " 5 PM", " 05:06:07 UTC+1".
ODD_TIME = re.compile(
    r"T?[\s,@|•·(–—-]*(?:[^\W\d_]{1,5}\.?\s+){0,2}"
    r"(?:[01]?\d|2[0-3])(?:\s?[:.h]\s?[0-5]?\d(?:[:.]\d{1,2})?(?!\d)|\s?[ap]\.?m\b)"
    rf"(?:(?!{DATE_YEAR})[^\n]){{0,60}}",
    re.I,
)

# Dates that programs write into feeds, and how `read_date` reads them.
FEED_REWRITES = [
    (re.compile(pattern), rewritten)
    for pattern, rewritten in (
        (r"\s*\([^()]*\)$", ""),  # a comment
        (r"^([A-Za-z]{3,9},)(?=\d)", r"\1 "),
        (r"\b(?:GMT|UTC)(?=[+-]\d\d:?\d\d$)", ""),  # JavaScript
        (r"(?<= [+-]\d\d\d\d) [A-Z]{3,5}$", ""),  # Go: "+0200 EET"
        (
            r"^(?:[A-Z][a-z]{2} )?([A-Z][a-z]{2} \d\d?) ([\d:]{8})( [A-Z]{2,5}| [+-]\d{4}|) (\d{4})$",
            r"\1 \4 \2\3",
        ),  # Unix, Java
        (
            r"^(?:[A-Z][a-z]{2} )?([A-Z][a-z]{2} \d\d?) ([\d:]{8}) (\d{4})( [A-Z]{2,5}| [+-]\d{4})$",
            r"\1 \3 \2\4",
        ),  # Perl
        (r"^(\d{4})(\d\d)(\d\d)(?=$|T\d)", r"\1-\2-\3"),
        (
            r"(?<=-\d\dT)(\d\d)(\d\d)(\d\d)?(?=$|Z$|[+-]\d\d:?\d\d$)",
            lambda match: ":".join(filter(None, match.groups())),
        ),
        (r"(?<=:\d\d),(?=\d{1,9}(?:$|Z$|[+-]\d))", "."),
        (r"(?<=[-T:])(\d)(?=[-T:]|Z?$)", r"0\1"),
        (r"[ T]24:00(?::00)?(?: ?Z| [A-Z]{2,4}| ?[+-]\d\d:?\d\d)?$", ""),  # the end of a day
    )
]

FindDates = Callable[[str], Iterator[TimeMention]]


def read_date(text: str) -> PublicationDate | None:
    """Return the date that a text is, or None: an instant if it has a time of day (UTC if it names no
    zone), else a day. A numeric date is None, as it may mean two days."""
    dates = _possible_dates_of(text[:MAX_DATE_LENGTH], iterate_unambiguous_date_mentions)
    return dates[0] if dates else None


def read_feed_date(text: str) -> PublicationDate | None:
    """Return the date that a text is, as `read_date` does, also if a program wrote it in its own form."""
    text = " ".join(text[:MAX_DATE_LENGTH].split())
    date = read_date(text)
    if date:
        return date
    for pattern, rewritten in FEED_REWRITES:
        text = pattern.sub(rewritten, text)
    return read_date(text) or _date_followed_by_odd_time_or_none(text)


def parse_typed_dates(text: str) -> tuple[PublicationDate, ...]:
    """Return all dates that a person may mean: two if day and month can be either way round. There is
    none if the time is in an unknown zone."""
    dates = _possible_dates_of(plain_digits(text[:MAX_DATE_LENGTH]), find_date_mentions)
    if not re.search(r"\d:\d", text):
        return tuple(dates)
    # A day was read without its clock: the zone is unknown.
    return tuple(date for date in dates if not date.is_day)


def _possible_dates_of(text: str, find_dates: FindDates) -> list[PublicationDate]:
    text, mention = _text_from_date_on_with_mention(text, find_dates)
    if mention is None:
        return []
    # Some dates have their time already: "2024-08-04T16:33Z".
    if mention.moment and mention.end == len(text):
        return [mention.moment]
    end = _end_including_weekday(mention, text)
    time = TIME_BEHIND.fullmatch(text, end)  # None if nothing or something else is behind the date
    has_other_words_behind = not time and end < len(text)  # "4 August 2024 in Vienna"
    if has_other_words_behind:
        return []
    # A numeric date such as 3/4/2024 has two days. With an impossible time a date is None.
    dates = [publication_date_or_none(day, time) for day in mention.days]
    return list(filter(None, dates))


def _date_followed_by_odd_time_or_none(text: str) -> PublicationDate | None:
    """Return the day of a date and a time in another spelling than TIME_BEHIND has: 4 August of
    "4 Aug 2024 - 5h06"."""
    text, mention = _text_from_date_on_with_mention(text, iterate_unambiguous_date_mentions)
    if mention is None:
        return None
    # The time is impossible: "2024-08-04T25:00Z".
    if mention.moment is None:
        return None
    end = _end_including_weekday(mention, text)
    # `read_date` reads this spelling, so it has refused the time as impossible: "4 Aug 2024 13:15 pm".
    if TIME_BEHIND.fullmatch(text, end):
        return None
    if not ODD_TIME.fullmatch(text, end):
        return None
    return publication_date_or_none(mention.moment.at.date())


def _text_from_date_on_with_mention(
    text: str, find_dates: FindDates
) -> tuple[str, TimeMention | None]:
    """Return ("4 Aug 2024", its mention) of "Sunday, 4 Aug 2024", or the whole text and None if it does
    not begin with a date."""
    text = " ".join(text.split())
    without_weekday = _words_before_date_pattern().sub("", text, count=1)
    # The whole text first: "Mar" is a month, and Tuesday in Spanish. A day of the week is not checked,
    # because feeds name wrong ones.
    for text_from_date_on in (text, without_weekday):
        for mention in find_dates(text_from_date_on):
            if mention.start == 0:
                return text_from_date_on, mention
    return text, None


def _end_including_weekday(mention: TimeMention, text: str) -> int:
    """Return the end of a date with the day of the week behind it: "2021. május 12., szerda"."""
    end_of_date = end_including_year_word(mention, text)
    return _weekday_behind_pattern().match(text, end_of_date).end()  # type: ignore[union-attr]


@cache
def _words_before_date_pattern() -> re.Pattern[str]:
    """Return a pattern of a word and a comma, or a day of the week, and an article: "onsdag den 12 maj 2021"."""
    articles = alternatives_pattern(EXTRA["between"]["articles"])
    return re.compile(
        rf"^(?:(?:{DATE_WORD}\.?,|{_any_weekday()}\.?,?)\s+)?(?:{articles}\s+)?", re.I
    )


@cache
def _weekday_behind_pattern() -> re.Pattern[str]:
    return re.compile(rf"\.?(?:,?\s?{_any_weekday()}(?!\w)\.?)?", re.I)


def _any_weekday() -> str:
    return alternatives_pattern(map(re.escape, cldr_words()["days"]))


def feed_length_seconds_range(text: str) -> tuple[int, int] | None:
    """Return the shortest and longest seconds that a feed's length means, or None if it is no length.

    `16:33`, `PT16M33S` and `993.5` are exact, `13 minutes` is 780 up to 839. A number alone counts
    seconds, and feeds write 60:05 as 00:60:05, 53:03 as 53:3, and 5:00 as 4:60.
    """
    # Drop parts of a second: "16:33.5", "993.5". But "13.45" may be minutes.
    whole_seconds = re.sub(
        r"^(?P<length>(?:\d{1,3}:){1,2}\d\d|\d{3,6})\.\d{1,9}$", r"\g<length>", text.strip()
    )
    # Longer numbers are milliseconds, or count something else.
    if whole_seconds.isdecimal() and len(whole_seconds) < 7:
        return plausible_length_range(int(whole_seconds))
    clock = re.fullmatch(
        r"(?:(?P<hours>\d{1,2}):)?(?P<minutes>\d{1,3}):(?P<seconds>\d{1,2})", whole_seconds
    )
    if clock:
        parts = clock.groupdict("0")
        hours = int(parts["hours"])
        minutes = int(parts["minutes"])
        seconds = int(parts["seconds"])
        # Programs round 59.9 up to 60. Only without hours may minutes go beyond: "75:10".
        if seconds <= 60 and (hours == 0 or minutes <= 60):
            return plausible_length_range((hours * 60 + minutes) * 60 + seconds)
    return printed_length_seconds_range(whole_seconds)  # in words: "13 minutes"


def printed_length_seconds_range(text: str) -> tuple[int, int] | None:
    """Return the shortest and longest seconds of a length that a page prints, or None if it is no length.

    A number alone may count anything.
    """
    text = text.strip()
    for mention in find_time_mentions(text[:MAX_DATE_LENGTH]):
        is_whole_text = mention.start == 0 and mention.end == len(text)
        if is_whole_text:
            return mention.seconds_range  # None for a date
    return None
