"""The dates, lengths and clocks in a line, as feeds and pages print them in any language. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache

from ..records import PublicationDate
from .words import (
    EXTRA,
    UNITS,
    ago_phrases,
    any_of,
    cldr_words,
    month_number,
    plain_digits,
    unit_words,
    weekday_names,
    word_key,
)  # fmt: skip

MAX_REPEATED_LINE = 400  # characters of a line that pages repeat, so that its marks are cached
ROMAN = dict(zip("I II III IV V VI VII VIII IX X XI XII".split(), range(1, 13), strict=True))
ZONES = {name: timedelta(hours=hours) for name, hours in ({"": 0} | EXTRA["zones"]).items()}

DATE_YEAR = r"(?:19|20)\d{2}"
DATE_WORD = (
    r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u200c]){0,40}"
)
# Between day, month and year: "4. August 2024", "4 de agosto de 2024", "4º agosto, 2024", "4th of
# August", "04-Aug-24".
BETWEEN = (
    rf"(?:\s{{0,9}}(?:(?<=\d){any_of(EXTRA['between']['ordinals'])}\b)?\s{{0,9}}[.,-]?\s{{0,9}}"
    rf"(?:{any_of(EXTRA['between']['words'])}\s?\b)?\s{{0,9}})"
)
# A date may be glued to a clock before it, and to a length behind it: "16:3321/06/21", "Aug 4,
# 202416 min".
DATE_START = r"(?:(?<![\d,/:-])(?<!\d\.)|(?<=\d:[0-5]\d))"
LONG_YEAR = rf"{DATE_YEAR}(?:(?!\d)|(?=\d{{1,3}}\s*(?::\d\d|[^\W\d_])))"
SHORT_YEAR = r"\d{2}(?![\d:]|\s?(?:min|std|h|m)\b|\s?['’′])"
CLOCK_TIME = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d{1,9})?)?\s*(?P<half>[ap]\.?m\.?(?!\w))?"
    r"\s*(?P<offset>[+-]\d{2}:?\d{2})?(?P<zone>[A-Za-z][\w/]{0,40})?"
)
ISO_TIME = r"(?P<time>[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)"
DATE_FORMS = (
    re.compile(
        rf"{DATE_START}(?P<y>{DATE_YEAR})(?:-|/|\.\s?|\s?[年년]\s?)(?P<m>\d{{1,2}})(?:-|/|(?P<dot>\.)\s?|\s?[月월]\s?)"
        rf"(?P<d>\d{{2}}|\d(?!\d))(?(dot)\.?|(?:{ISO_TIME}|\s?[日号일])?)"
    ),
    re.compile(
        rf"{DATE_START}(?P<d>[0-3]?\d){BETWEEN}(?P<w>{DATE_WORD})\.?{BETWEEN}(?P<y>{LONG_YEAR})",
        re.I,
    ),
    re.compile(
        rf"(?P<w>{DATE_WORD})\.?\s{{0,9}}(?P<d>[0-3]?\d)(?:st|nd|rd|th)?,?\s{{1,9}}(?P<y>{LONG_YEAR}|['’]{SHORT_YEAR})",
        re.I,
    ),
    re.compile(
        rf"{DATE_START}(?P<y>{DATE_YEAR})[.,]?\s?(?:m\.|г\.|й\.)?\s{{0,9}}(?P<w>{DATE_WORD})\.?\s{{0,9}}(?P<d>[0-3]?\d)(?!\d)\.?"
    ),
    # "20241117", "20241117060000", as names of files have them.
    re.compile(r"(?<!\d)(?P<y>20\d\d)(?P<m>[01]\d)(?P<d>[0-3]\d)(?=(?:\d{4}(?:\d\d)?)?(?!\d))"),
    re.compile(
        rf"(?<![\d:.])(?P<d>[0-3]?\d)[.\s-]\s?(?P<w>{DATE_WORD})\.?[\s-]\s?(?P<y>['’]?{SHORT_YEAR})",
        re.I,
    ),
)
NUMERIC_DATE = re.compile(
    rf"{DATE_START}(?P<a>\d{{1,2}})(?P<sep>[./-])(?P<gap>\s?)(?P<b>\d{{1,2}})"
    # "4/10 2023", as Scandinavians write it; "01.07. 20" has no year.
    rf"(?:(?P=sep)(?:(?P=gap)|\s?(?={DATE_YEAR}))|(?:(?<=/\d)|(?<=/\d\d))\s(?={DATE_YEAR}))"
    rf"(?P<y>{LONG_YEAR}|\d{{2}}(?![\d./-]))"
)
WORD_IN_FRONT = re.compile(r"(?<![\w-])([^\W\d_][\w-]+)\.?,?\s+$")
# "2021 г.", "2021-го года", "május 12-én".
YEAR_SUFFIX = re.compile(
    rf"(?:-{any_of(EXTRA['between']['endings'])}(?!\w))?"
    rf"(?:\s?{any_of(EXTRA['between']['years'])}(?![^\W\d_])\.?)?"
)
TIME_BEHIND = re.compile(rf"(?:,?\s+(?:at\s+)?|T){CLOCK_TIME}", re.I)

CLOCK = re.compile(
    r"(?<![\d:.,/-])(?P<clock>(?:\d{1,2}:(?=[0-5]\d:))?\d{1,3}:[0-5]\d)(?![\d:]|[-–]\d)(?P<half>\s?[ap]\.?m\b\.?|\s?Uhr\b)?",
    re.I,
)
ISO_LENGTH = re.compile(
    r"\bP(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d{1,9})?S)?)?(?!\w)",
    re.I,
)
# "1h12"
HOURS = re.compile(r"(?<![\d.,:])(?P<h>\d{1,2})\s?h\s?(?P<m>[0-5]\d)(?!\s?[^\W\d_]|[\d:′’'])", re.I)
NO_LENGTH_BEHIND = re.compile(rf"\W{{0,3}}{any_of(EXTRA['no_length']['behind'])}", re.I)
NO_LENGTH_BEFORE = re.compile(rf"{any_of(EXTRA['no_length']['before'])}[\s:–-]*$|[-+−]$", re.I)
# "16 min", "13′41″". "78 Min-cut" is no length, nor is "the 90's".
# "49M" in a list of files is a size, unless it is the beginning of "49M 12S".
FREE_NUMBER = r"(?:(?<![\d.,:/$€£-])|(?<=[א-ת]-))(?!\d+(?-i:M)(?![^\W_]|\s?\d\d?S))"
AMOUNT = r"(\d{1,2}[.,]\d{3}|\d{1,5})[\s\u00a0-]?"
# A word in small letters ends before a capital that is glued to it.
UNIT_END = (
    r"(?:(?![^\W_])|(?<!['’])(?=\d)|(?<=(?-i:[a-zß-ÿа-я]))(?=(?-i:[A-ZÀ-ÞА-Я]))|(?<=[\u3001-\ud7fe]))"
    r"\.?(?![-‐‑][^\W\d_])"
)
BETWEEN_UNITS = r"[\s,]*(?:(?:and|und|et|y|e|en|och|og|i|ja|и|ve)\s+)?"

DIGITS = re.compile(r"\d+")
LINE_PART = re.compile(r"(?:(?!\s[/:–—-]\s)[^|·•\n,،、])+")


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A date, a length or a clock in a line. A numeric date may mean two days."""

    start: int
    end: int
    kind: str  # date | length | clock | time | ago
    moment: PublicationDate | None = None
    numbers: tuple[int, int, int] = (0, 0, 0)  # first, second, year of a numeric date
    seconds_range: tuple[int, int] | None = None  # of a length, in seconds

    @property
    def days(self) -> list[date]:
        """Return the days that it can mean: two if day and month are ambiguous."""
        if self.moment:
            return [self.moment.at.date()]
        first, second, year = self.numbers
        days = {_date_or_none(year, second, first), _date_or_none(year, first, second)}
        return sorted(day for day in days if day)


def find_time_mentions(text: str, language: str = "") -> tuple[TimeMention, ...]:
    """Return all dates, lengths and clocks in a line, in their order, none within another."""
    if not DIGITS.search(text):
        return ()
    if len(text) < MAX_REPEATED_LINE:
        return _find_cached_mentions(text, language)
    return _find_uncached_mentions(text[:200_000], language)


@lru_cache(maxsize=30_000)
def _find_cached_mentions(text: str, language: str) -> tuple[TimeMention, ...]:
    return _find_uncached_mentions(text, language)


def _find_uncached_mentions(text: str, language: str) -> tuple[TimeMention, ...]:
    """Return all mentions in a line, in their order. No clock or length is found within a date."""
    text = plain_digits(text)
    dates = []
    masked = (
        text  # with line breaks in place of dates, so that no clock or length is found within one
    )
    for mention in _drop_overlapping_mentions(find_dates_in(text, language)):
        start, end = _start_including_weekday(mention, text), end_including_year_word(mention, text)
        dates.append(replace(mention, start=start, end=end))
        masked = masked[:start] + "\n" * (end - start) + masked[end:]
    times = [*_find_relative_dates(masked), *_find_lengths(masked), *_find_clock_mentions(masked)]
    mentions = [*dates, *_drop_overlapping_mentions(times)]
    return tuple(sorted(mentions, key=lambda mention: mention.start))


def _start_including_weekday(mention: TimeMention, text: str) -> int:
    """Return the start of a date with the day of the week in front of it."""
    word = WORD_IN_FRONT.search(text, max(0, mention.start - 20), mention.start)
    if word is None or word_key(word[1]) not in weekday_names():
        return mention.start
    # "5 sat" is Croatian for five hours.
    follows_number = text[: word.start()].rstrip()[-1:].isdecimal()
    is_length = follows_number and word_key(word[1]) in unit_words()
    return mention.start if is_length else word.start()


def end_including_year_word(mention: TimeMention, text: str) -> int:
    """Return the end of a date with the word for "year" that a language puts behind it: "12 мая 2021 г."."""
    return YEAR_SUFFIX.match(text, mention.end).end()  # type: ignore[union-attr]


def _drop_overlapping_mentions(mentions: Iterable[TimeMention]) -> list[TimeMention]:
    """Return the mentions that overlap no earlier mention of the iterable."""
    separate = []
    covered: set[int] = set()  # positions in the text
    for mention in mentions:
        positions = range(mention.start, mention.end)
        if covered.isdisjoint(positions):
            covered.update(positions)
            separate.append(mention)
    return separate


# -- dates


def find_dates_in(text: str, language: str) -> Iterator[TimeMention]:
    """Yield the dates of a text: with a name of a month or the year first, then numeric ones. They may
    overlap."""
    yield from find_unambiguous_dates(text, language)
    for match in NUMERIC_DATE.finditer(text):
        numbers = (int(match["a"]), int(match["b"]), _year(match["y"]))
        yield TimeMention(match.start(), match.end(), "date", numbers=numbers)


def find_unambiguous_dates(text: str, language: str) -> Iterator[TimeMention]:
    """Yield the dates of a text with a name of a month, or with the year first."""
    for form in DATE_FORMS:
        for match in form.finditer(text):
            parts = match.groupdict("")
            word = parts.get("w", "")
            month = ROMAN.get(word) or month_number(word, language) or int(parts.get("m", 0))
            day = _date_or_none(_year(parts["y"]), month, int(parts["d"]))
            if day:
                time = TIME_BEHIND.fullmatch(parts.get("time", ""))
                yield TimeMention(match.start(), match.end(), "date", publication_date(day, time))


def _year(text: str) -> int:
    """Return the year of a text such as "2024", "24" or "'24"."""
    year = int(text.strip("'’"))
    if year > 99:
        return year
    # "69" is 2069 and "70" is 1970: no podcast is of either.
    return year + (2000 if year < 70 else 1900)


def _date_or_none(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def publication_date(day: date, time_match: re.Match[str] | None = None) -> PublicationDate | None:
    """Return a day, or an instant if it has a time of day. Return None for an impossible time.

    `time_match` is a match of TIME_BEHIND. A time in an unknown zone is left out.
    """
    # A day is stored as its first moment.
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if time_match is None:
        return PublicationDate(midnight, "day")
    parts = time_match.groupdict("")
    half, hour, minute = parts["half"].lower(), int(parts["hour"]), int(parts["minute"])
    is_hour = 1 <= hour <= 12 if half else hour < 24
    if not is_hour or minute > 59:
        return None
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    offset = _parse_utc_offset(parts["offset"], parts["zone"].lower())
    if offset is None:
        return PublicationDate(midnight, "day")
    second = min(int(parts["second"] or 0), 59)
    clock = timedelta(hours=hour, minutes=minute, seconds=second)
    return PublicationDate(midnight + clock - offset, "instant")


def _parse_utc_offset(offset: str, zone: str) -> timedelta | None:
    """Return the time by which a clock is ahead of UTC, or None if zone or offset is unknown."""
    if not offset:
        return ZONES.get(zone)
    hours, minutes = int(offset[1:3]), int(offset[-2:])
    if hours >= 15 or minutes >= 60:
        return None
    ahead = timedelta(hours=hours, minutes=minutes)
    return -ahead if offset[0] == "-" else ahead


# -- lengths


def plausible_length_range(seconds: int, uncertainty: int = 0) -> tuple[int, int] | None:
    """Return the shortest and longest seconds of a length, or None: 0 is an unknown length, a week is a
    mistake."""
    return (seconds, seconds + uncertainty) if 0 < seconds < 7 * 86_400 else None


def _find_lengths(text: str) -> Iterator[TimeMention]:
    """Yield lengths such as "PT1H2M", "1h12" and "16 min", and times of day such as "15h00"."""
    for match in ISO_LENGTH.finditer(text):
        days, hours, minutes, seconds = map(int, match.groups("0"))
        yield from _length_mentions(match, ((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    for match in HOURS.finditer(text):
        # Behind a date, or late in the day, it is a time: "15h00".
        is_behind_date = "\n" in text[max(0, match.start() - 6) : match.start()]
        if is_behind_date or int(match["h"]) >= 6:
            yield TimeMention(match.start(), match.end(), "time")
        else:
            seconds = int(match["h"]) * 3600 + int(match["m"]) * 60
            yield from _length_mentions(match, seconds, 59)
    yield from _find_lengths_in_words(text)


def _find_lengths_in_words(text: str) -> Iterator[TimeMention]:
    """Yield lengths such as "1 hour and 5 minutes"."""
    for match in _length_in_words_pattern().finditer(text):
        hours, minutes, seconds = (int(re.sub(r"\D", "", part)) for part in match.groups("0"))
        length = hours * 3600 + minutes * 60 + seconds
        # Fewer seconds are what a player skips.
        is_skip = not match[1] and not match[2] and seconds < 200
        if is_skip or _is_no_length(text, match):
            continue
        # "13 minutes" are up to 839 seconds.
        if match[3]:
            uncertainty = 0
        elif match[2]:
            uncertainty = 59
        else:
            uncertainty = 3599
        yield from _length_mentions(match, length, uncertainty)


def _is_no_length(text: str, match: re.Match[str]) -> bool:
    """Return True if a word beside a number and unit says that they are no length: "13 min left"."""
    behind = NO_LENGTH_BEHIND.match(text, match.end())
    before = NO_LENGTH_BEFORE.search(text, max(0, match.start() - 60), match.start())
    return bool(behind or before)


@cache
def _length_in_words_pattern() -> re.Pattern[str]:
    """Return a pattern of hours, minutes and seconds in any language, each followed by the smaller ones."""
    amounts = []
    for unit in UNITS:
        words = {*cldr_words()["units"][unit], *EXTRA["units"][unit]}
        amounts.append(f"{AMOUNT}{any_of(map(re.escape, words))}{UNIT_END}")
    hours, minutes, seconds = amounts
    return re.compile(
        rf"{FREE_NUMBER}(?=\d)(?:{hours})?(?:(?(1){BETWEEN_UNITS}){minutes})?(?:{BETWEEN_UNITS}{seconds})?(?<!\d)",
        re.I,
    )


def _length_mentions(
    match: re.Match[str], seconds: int, uncertainty: int = 0
) -> Iterator[TimeMention]:
    """Yield the mention of a length, or nothing if the length is implausible."""
    span = plausible_length_range(seconds, uncertainty)
    if span:
        yield TimeMention(match.start(), match.end(), "length", seconds_range=span)


def _find_clock_mentions(text: str) -> Iterator[TimeMention]:
    """Yield times of day ("3:15 pm") and clocks, which may be lengths ("1:02:03")."""
    for match in CLOCK.finditer(text):
        seconds = 0
        for part in match["clock"].split(":"):
            seconds = seconds * 60 + int(part)
        span = plausible_length_range(seconds)
        if match["half"]:
            yield TimeMention(match.start(), match.end(), "time")
        elif span:
            yield TimeMention(match.start(), match.end(), "clock", seconds_range=span)


# -- words that only tell how long ago something was


def is_relative_date(text: str) -> bool:
    """Return whether a text only tells how long ago something was: "3 weeks ago", "2y"."""
    return DIGITS.sub("#", text.casefold()) in ago_phrases()


def _find_relative_dates(text: str) -> Iterator[TimeMention]:
    """Yield phrases such as "3 weeks ago" that are a whole part of a short line."""
    if len(text) >= MAX_REPEATED_LINE:
        return
    for part in LINE_PART.finditer(text):
        # Without the signs around a date in a list.
        phrase = part[0].strip(" \t-–—/:*()[]●○◆◇■□▪▫►▶▷•·☐☑✓✔★☆→»›")
        if is_relative_date(phrase):
            start = part.start() + part[0].index(phrase)
            yield TimeMention(start, start + len(phrase), "ago")
