"""The dates, lengths and clocks in a line, as feeds and pages print them in any language. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache

from ..records import PublicationDate
from ..text.normalize import DIRECTION_MARKS, DIRECTION_OVERRIDES
from .words import (
    EXTRA,
    UNITS,
    ago_phrases,
    alternatives_pattern,
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
# "August", and in Thai and Lao "ม.ค"
DATE_WORD = (
    r"(?:[\u0e00-\u0eff]{1,3}\.[\u0e00-\u0eff]{1,2}"
    r"|[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u200c]){0,40})"
)
# Between day, month and year: "4. August 2024", "4 de agosto de 2024", "4º agosto, 2024", "4th of
# August", "04-Aug-24".
BETWEEN = (
    rf"(?:\s{{0,9}}(?:(?<=\d){alternatives_pattern(EXTRA['between']['ordinals'])}\b)?\s{{0,9}}[.,-]?\s{{0,9}}"
    rf"(?:{alternatives_pattern(EXTRA['between']['words'])}\s?\b)?\s{{0,9}})"
)
# A date may be glued to a clock before it, and to a length behind it: "16:3321/06/21", "Aug 4,
# 202416 min".
DATE_START = r"(?:(?<![\d,/:-])(?<!\d\.)|(?<=\d:[0-5]\d))"
# Behind a word of Thai a year of the Buddhist calendar: "12 ม.ค. 2567" is of 2024.
BUDDHIST_YEAR = r"(?:(?<=[\u0e00-\u0e7f]\s)|(?<=[\u0e00-\u0e7f]\.\s))25\d{2}"
LONG_YEAR = rf"(?:{DATE_YEAR}|{BUDDHIST_YEAR})(?:(?!\d)|(?=\d{{1,3}}\s*(?::\d\d|[^\W\d_])))"
SHORT_YEAR = r"\d{2}(?![\d:]|\s?(?:min|std|h|m)\b|\s?['’′])"
CLOCK_TIME = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d{1,9})?)?\s*(?P<am_pm>[ap]\.?m\.?(?!\w))?"
    r"\s*(?P<offset>[+-]\d{2}:?\d{2})?(?P<zone>[A-Za-z][\w/]{0,40})?"
)
ISO_TIME = r"(?P<time>[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)"
DATE_FORMS = (
    # "2024-08-04", "2024-08-04T16:33Z", "2024/8/4", "2024. 8. 4.", "2024年8月4日"
    re.compile(
        rf"{DATE_START}(?P<year>{DATE_YEAR})(?:-|/|\.\s?|\s?[年년]\s?)(?P<month>\d{{1,2}})(?:-|/|(?P<dot>\.)\s?|\s?[月월]\s?)"
        rf"(?P<day>\d{{2}}|\d(?!\d))(?(dot)\.?|(?:{ISO_TIME}|\s?[日号일])?)"
    ),
    # "4 August 2024", "4. August 2024", "4 de agosto de 2024"
    re.compile(
        rf"{DATE_START}(?P<day>[0-3]?\d){BETWEEN}(?P<month_word>{DATE_WORD})\.?{BETWEEN}(?P<year>{LONG_YEAR})",
        re.I,
    ),
    # "August 4, 2024", "Aug. 4th, '24"
    re.compile(
        rf"(?P<month_word>{DATE_WORD})\.?\s{{0,9}}(?P<day>[0-3]?\d)(?:st|nd|rd|th)?,?\s{{1,9}}(?P<year>{LONG_YEAR}|['’]{SHORT_YEAR})",
        re.I,
    ),
    # "2024 August 4", "2024. augusztus 4."
    re.compile(
        rf"{DATE_START}(?P<year>{DATE_YEAR})[.,]?\s?(?:m\.|г\.|й\.)?\s{{0,9}}(?P<month_word>{DATE_WORD})\.?\s{{0,9}}(?P<day>[0-3]?\d)(?!\d)\.?"
    ),
    # "20241117", "20241117060000", as names of files have them.
    re.compile(
        r"(?<!\d)(?P<year>20\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)(?=(?:\d{4}(?:\d\d)?)?(?!\d))"
    ),
    # "04-Aug-24", "4 Aug '24"
    re.compile(
        rf"(?<![\d:.])(?P<day>[0-3]?\d)[.\s-]\s?(?P<month_word>{DATE_WORD})\.?[\s-]\s?(?P<year>['’]?{SHORT_YEAR})",
        re.I,
    ),
)
NUMERIC_DATE = re.compile(
    rf"{DATE_START}(?P<first>\d{{1,2}})(?P<sep>[./-])(?P<gap>\s?)(?P<second>\d{{1,2}})"
    # "4/10 2023", as Scandinavians write it; "01.07. 20" has no year.
    rf"(?:(?P=sep)(?:(?P=gap)|\s?(?={DATE_YEAR}))|(?:(?<=/\d)|(?<=/\d\d))\s(?={DATE_YEAR}))"
    rf"(?P<year>{LONG_YEAR}|\d{{2}}(?![\d./-]))"
)
WORD_IN_FRONT = re.compile(r"(?<![\w-])(?P<word>[^\W\d_][\w-]+)\.?,?\s+$")  # "Sun., "
# "2021 г.", "2021-го года", "május 12-én".
YEAR_SUFFIX = re.compile(
    rf"(?:-{alternatives_pattern(EXTRA['between']['endings'])}(?!\w))?"
    rf"(?:\s?{alternatives_pattern(EXTRA['between']['years'])}(?![^\W\d_])\.?)?"
)
TIME_BEHIND = re.compile(rf"(?:,?\s+(?:at\s+)?|T){CLOCK_TIME}", re.I)

# "1:02:03", "62:03", "3:15 pm", "15:15 Uhr"
CLOCK = re.compile(
    r"""
    (?<![\d:.,/-])
    (?P<clock>(?:\d{1,2}:(?=[0-5]\d:))?\d{1,3}:[0-5]\d)
    (?![\d:]|[-–]\d)
    (?P<time_of_day_mark>\s?[ap]\.?m\b\.?|\s?Uhr\b)?
    """,
    re.I | re.X,
)
# "PT1H2M", "P1DT2H", "PT62.5S"
ISO_LENGTH = re.compile(
    r"""
    \bP
    (?:(?P<days>\d{1,9})D)?
    (?:T
        (?:(?P<hours>\d{1,9})H)?
        (?:(?P<minutes>\d{1,9})M)?
        (?:(?P<seconds>\d{1,9})(?:\.\d{1,9})?S)?
    )?
    (?!\w)
    """,
    re.I | re.X,
)
# "1h12"
HOURS_WITH_MINUTES = re.compile(
    r"(?<![\d.,:])(?P<hours>\d{1,2})\s?h\s?(?P<minutes>[0-5]\d)(?!\s?[^\W\d_]|[\d:′’'])", re.I
)
NO_LENGTH_BEHIND = re.compile(
    rf"\W{{0,3}}{alternatives_pattern(EXTRA['no_length']['behind'])}", re.I
)
NO_LENGTH_BEFORE = re.compile(
    rf"{alternatives_pattern(EXTRA['no_length']['before'])}[\s:–-]*$|[-+−]$", re.I
)
# "16 min", "13′41″". "78 Min-cut" is no length, nor is "the 90's".
# "49M" in a list of files is a size, unless it is the beginning of "49M 12S".
FREE_NUMBER = r"(?:(?<![\d.,:/$€£-])|(?<=[א-ת]-))(?!\d+(?-i:M)(?![^\W_]|\s?\d\d?S))"
AMOUNT = r"(?:\d{1,2}[.,]\d{3}|\d{1,5})"  # "16", "1,200"
# A word in small letters ends before a capital that is glued to it.
UNIT_END = (
    r"(?:(?![^\W_])|(?<!['’])(?=\d)|(?<=(?-i:[a-zß-ÿа-я]))(?=(?-i:[A-ZÀ-ÞА-Я]))|(?<=[\u3001-\ud7fe]))"
    r"\.?(?![-‐‑][^\W\d_])"
)
BETWEEN_UNITS = r"[\s,]*(?:(?:and|und|et|y|e|en|och|og|i|ja|и|ve)\s+)?"

DIGITS = re.compile(r"\d+")
DIRECTION_CHARACTERS = DIRECTION_MARKS + DIRECTION_OVERRIDES
DIRECTION_MARK = re.compile(f"[{DIRECTION_CHARACTERS}]")


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
        days = set()  # two for "3/4/2024", each once: "5/5/2024"
        for month, day_of_month in ((first, second), (second, first)):
            day = _date_or_none(year, month, day_of_month)
            if day:  # no month has the number 31: "3/31/2024"
                days.add(day)
        return sorted(days)


def find_time_mentions(text: str, language: str = "") -> tuple[TimeMention, ...]:
    """Return all dates, lengths and clocks in a line, in their order, none within another."""
    if not DIGITS.search(text):
        return ()
    if len(text) < MAX_REPEATED_LINE:
        return _find_cached_mentions(text, language)
    max_characters = 200_000  # a limit against hostile pages
    return _compute_time_mentions(text[:max_characters], language)


@lru_cache(maxsize=30_000)
def _find_cached_mentions(text: str, language: str) -> tuple[TimeMention, ...]:
    return _compute_time_mentions(text, language)


def _compute_time_mentions(text: str, language: str) -> tuple[TimeMention, ...]:
    if DIRECTION_MARK.search(text) is None:
        return _compute_time_mentions_without_marks(text, language)
    # Arabic dates have a mark of direction behind each number.
    without_marks = DIRECTION_MARK.sub("", text)
    offsets = [match.start() for match in re.finditer(rf"[^{DIRECTION_CHARACTERS}]", text)]
    return tuple(
        replace(mention, start=offsets[mention.start], end=offsets[mention.end - 1] + 1)
        for mention in _compute_time_mentions_without_marks(without_marks, language)
    )


def _compute_time_mentions_without_marks(text: str, language: str) -> tuple[TimeMention, ...]:
    arabic_comma = "،"
    text = plain_digits(text).replace(arabic_comma, ",")
    dates = []
    # Line breaks take the place of dates, so that no clock or length is found within a date: "16:33" of
    # "2024-08-04T16:33Z".
    without_dates = text
    for mention in _keep_first_of_overlapping_mentions(find_date_mentions(text, language)):
        start = _start_including_weekday(mention, text)
        end = end_including_year_word(mention, text)
        dates.append(replace(mention, start=start, end=end))
        without_dates = without_dates[:start] + "\n" * (end - start) + without_dates[end:]
    # Of mentions that overlap, the first in this order counts.
    times = [
        *_iterate_standalone_ago_phrases(without_dates),
        *_iterate_mentions_of_iso_lengths(without_dates),
        *_iterate_mentions_of_hours_with_minutes(without_dates),
        *_iterate_mentions_of_lengths_with_units(without_dates),
        *_iterate_clock_lengths_and_times_of_day(without_dates),
    ]
    mentions = [*dates, *_keep_first_of_overlapping_mentions(times)]
    return tuple(sorted(mentions, key=lambda mention: mention.start))


def _start_including_weekday(mention: TimeMention, text: str) -> int:
    """Return the start of a date with the day of the week before it: "Sunday, 4 August 2024"."""
    max_weekday_length = 20
    search_start = max(0, mention.start - max_weekday_length)
    word_in_front = WORD_IN_FRONT.search(text, search_start, mention.start)
    if word_in_front is None:
        return mention.start
    word = word_key(word_in_front["word"])
    if word not in weekday_names():
        return mention.start
    # "5 sat" is Croatian for five hours, and "sat" is Saturday.
    text_before_word = text[: word_in_front.start()].rstrip()
    follows_number = text_before_word[-1:].isdecimal()
    if follows_number and word in unit_words():
        return mention.start
    return word_in_front.start()


def end_including_year_word(mention: TimeMention, text: str) -> int:
    """Return the end of a date with the word for "year" that a language puts behind it: "12 мая 2021 г."."""
    return YEAR_SUFFIX.match(text, mention.end).end()  # type: ignore[union-attr]


def _keep_first_of_overlapping_mentions(mentions: Iterable[TimeMention]) -> list[TimeMention]:
    separate = []
    covered: set[int] = set()  # positions in the text
    for mention in mentions:
        positions = range(mention.start, mention.end)
        if covered.isdisjoint(positions):
            covered.update(positions)
            separate.append(mention)
    return separate


# -- dates


def find_date_mentions(text: str, language: str = "") -> Iterator[TimeMention]:
    """Yield the dates of a text: with a name of a month or the year first, then numeric ones. They may
    overlap."""
    yield from iterate_unambiguous_date_mentions(text, language)
    for match in NUMERIC_DATE.finditer(text):
        numbers = (
            int(match["first"]),
            int(match["second"]),
            _year_of_two_or_four_digits(match["year"]),
        )
        yield TimeMention(match.start(), match.end(), "date", numbers=numbers)


def iterate_unambiguous_date_mentions(text: str, language: str = "") -> Iterator[TimeMention]:
    # All forms have the year first, or the month as a word, so that day and month cannot be mixed up.
    for form in DATE_FORMS:
        for match in form.finditer(text):
            parts = match.groupdict("")
            month = _month_of_date(parts, language)
            # None if the word is no month, or for the 31st of February.
            day = _date_or_none(
                _year_of_two_or_four_digits(parts["year"]), month, int(parts["day"])
            )
            if day is None:
                continue
            # Only ISO dates have a time: "2024-08-04T16:33Z".
            time = TIME_BEHIND.fullmatch(parts.get("time", ""))
            moment = publication_date_or_none(day, time)
            yield TimeMention(match.start(), match.end(), "date", moment)


def _month_of_date(parts: Mapping[str, str], language: str) -> int:
    """Return the month of a match of a date form, which writes it as a number or as a word. Return 0
    for another word."""
    if "month" in parts:
        return int(parts["month"])
    word = parts["month_word"]
    return ROMAN.get(word) or month_number(word, language) or 0


def _year_of_two_or_four_digits(text: str) -> int:
    """Return the year of a text such as "2024", "24" or "'24"."""
    year = int(text.strip("'’"))
    # Years of the Buddhist calendar: 2567 is 2024.
    if year > 2500:
        return year - 543
    if year > 99:
        return year
    # "69" is 2069 and "70" is 1970: no podcast is of either.
    century = 2000 if year < 70 else 1900
    return century + year


def _date_or_none(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def publication_date_or_none(
    day: date, time_match: re.Match[str] | None = None
) -> PublicationDate | None:
    """Return a day, or an instant if it has a time of day. Return None for an impossible time.

    `time_match` is a match of TIME_BEHIND. A time in an unknown zone is left out.
    """
    # A day is stored as its first moment.
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if time_match is None:
        return PublicationDate(midnight, "day")
    parts = time_match.groupdict("")
    since_midnight = _time_since_midnight_or_none(parts)
    if since_midnight is None:
        return None
    ahead_of_utc = _time_ahead_of_utc_or_none(parts["offset"], parts["zone"].lower())
    if ahead_of_utc is None:
        return PublicationDate(midnight, "day")
    return PublicationDate(midnight + since_midnight - ahead_of_utc, "instant")


def _time_since_midnight_or_none(parts: Mapping[str, str]) -> timedelta | None:
    """Return 15 hours and 15 minutes for "3:15 pm", or None for "25:00" and "13:15 pm"."""
    am_pm = parts["am_pm"].lower()  # "" for a clock of 24 hours
    hour = int(parts["hour"])
    minute = int(parts["minute"])
    second = min(int(parts["second"] or 0), 59)  # a leap second has the number 60
    is_possible_hour = 1 <= hour <= 12 if am_pm else hour < 24
    if not is_possible_hour or minute > 59:
        return None
    if am_pm:
        hour %= 12  # 12 am is midnight
    if am_pm.startswith("p"):
        hour += 12
    return timedelta(hours=hour, minutes=minute, seconds=second)


def _time_ahead_of_utc_or_none(offset: str, zone: str) -> timedelta | None:
    """Return how far a clock is ahead of UTC, or None if zone or offset is unknown.

    `offset` is "" or like "+05:30" or "-0800". `zone` is a name in small letters, or "".
    """
    if not offset:
        return ZONES.get(zone)
    hours = int(offset[1:3])
    minutes = int(offset[-2:])
    if hours >= 15 or minutes >= 60:  # no zone is further from UTC than 14 hours
        return None
    ahead = timedelta(hours=hours, minutes=minutes)
    return -ahead if offset.startswith("-") else ahead


# -- lengths


def plausible_length_range(seconds: int, uncertainty: int = 0) -> tuple[int, int] | None:
    """Return the shortest and the longest seconds that a printed length means, or None if it is
    implausible: 0 means that the length is unknown, a week is a mistake.

    `uncertainty` is what the print leaves out: 59 for "13 minutes".
    """
    week = 7 * 86_400
    if 0 < seconds < week:
        return (seconds, seconds + uncertainty)
    return None


def _iterate_mentions_of_iso_lengths(text: str) -> Iterator[TimeMention]:
    for match in ISO_LENGTH.finditer(text):
        parts = match.groupdict("0")
        hours = int(parts["days"]) * 24 + int(parts["hours"])
        minutes = hours * 60 + int(parts["minutes"])
        seconds = minutes * 60 + int(parts["seconds"])
        yield from _plausible_length_mention(match, seconds)


def _iterate_mentions_of_hours_with_minutes(text: str) -> Iterator[TimeMention]:
    """Yield lengths such as "1h12", and times of day such as "15h00"."""
    for match in HOURS_WITH_MINUTES.finditer(text):
        hours = int(match["hours"])
        # Line breaks took the place of dates. A few characters may stand between: ", at ".
        text_before = text[max(0, match.start() - 6) : match.start()]
        is_behind_date = "\n" in text_before
        is_longer_than_episodes = hours >= 6
        if is_behind_date or is_longer_than_episodes:
            yield TimeMention(match.start(), match.end(), "time")
        else:
            seconds = hours * 3600 + int(match["minutes"]) * 60
            yield from _plausible_length_mention(match, seconds, uncertainty=59)


def _iterate_mentions_of_lengths_with_units(text: str) -> Iterator[TimeMention]:
    for match in _length_with_units_pattern().finditer(text):
        amounts = match.groupdict("0")  # "1", "05" and "0" for "1 hour 05 min"
        hours = _number_without_separators(amounts["hour"])
        minutes = _number_without_separators(amounts["minute"])
        seconds = _number_without_separators(amounts["second"])
        length_seconds = hours * 3600 + minutes * 60 + seconds
        # Seconds alone are the length of an episode from 200 on. Fewer are what a player skips:
        # "15 seconds". This drops empty matches, too.
        has_only_seconds = length_seconds == seconds
        is_skip = has_only_seconds and seconds < 200
        if is_skip or _is_refuted_as_length(text, match):
            continue
        # "13 minutes" are up to 839 seconds. The unit of the last group is the smallest.
        smallest_unit = str(match.lastgroup)
        uncertain_seconds = {"hour": 3599, "minute": 59, "second": 0}[smallest_unit]
        yield from _plausible_length_mention(match, length_seconds, uncertain_seconds)


def _number_without_separators(amount: str) -> int:
    return int(re.sub(r"\D", "", amount))  # "1,200", "1.200"


def _is_refuted_as_length(text: str, match: re.Match[str]) -> bool:
    """Return True if a word beside a number and unit says that they are no length: "13 min left"."""
    behind = NO_LENGTH_BEHIND.match(text, match.end())
    before = NO_LENGTH_BEFORE.search(text, max(0, match.start() - 60), match.start())
    return bool(behind or before)


@cache
def _length_with_units_pattern() -> re.Pattern[str]:
    """Return a pattern of a number of hours, of minutes and of seconds in any language: "16 min",
    "1 hour and 5 minutes". Its groups `hour`, `minute` and `second` have the numbers.

    If all three are missing, it matches the empty text before a number, which is no length.
    """
    amounts = {}
    for unit in UNITS:
        words = {*cldr_words()["units"][unit], *EXTRA["units"][unit]}
        unit_word = alternatives_pattern(map(re.escape, words))
        amounts[unit] = rf"(?P<{unit}>{AMOUNT})[\s\u00a0-]?{unit_word}{UNIT_END}"
    return re.compile(
        rf"{FREE_NUMBER}(?=\d)"
        rf"(?:{amounts['hour']})?"
        # A digit comes first, so an "and" can only stand between two amounts.
        rf"(?:{BETWEEN_UNITS}{amounts['minute']})?"
        rf"(?:{BETWEEN_UNITS}{amounts['second']})?",
        re.I,
    )


def _plausible_length_mention(
    match: re.Match[str], seconds: int, uncertainty: int = 0, kind: str = "length"
) -> Iterator[TimeMention]:
    seconds_range = plausible_length_range(seconds, uncertainty)
    if seconds_range:
        yield TimeMention(match.start(), match.end(), kind, seconds_range=seconds_range)


def _iterate_clock_lengths_and_times_of_day(text: str) -> Iterator[TimeMention]:
    """Yield times of day ("3:15 pm"), and clocks that may be lengths ("1:02:03"). Leave out clocks that
    are implausible lengths ("0:00")."""
    for match in CLOCK.finditer(text):
        if match["time_of_day_mark"]:
            yield TimeMention(match.start(), match.end(), "time")
            continue
        # "1:02:03" has seconds last. A clock without hours has minutes and seconds.
        seconds = 0
        for part in match["clock"].split(":"):
            seconds = seconds * 60 + int(part)
        yield from _plausible_length_mention(match, seconds, kind="clock")


# -- phrases for how long ago something was


def is_relative_date(text: str) -> bool:
    """Return whether a text is nothing but a phrase for how long ago something was: "3 weeks ago", "2y"."""
    return DIGITS.sub("#", text.casefold()) in ago_phrases()


def _iterate_standalone_ago_phrases(line: str) -> Iterator[TimeMention]:
    """Yield phrases such as "3 weeks ago" that are a whole part of a short line."""
    max_line_length = 400  # a longer line is prose, whose "3 weeks ago" is not the date of an entry
    if len(line) >= max_line_length:
        return
    bullets_and_dashes = " \t-–—/:*()[]●○◆◇■□▪▫►▶▷•·☐☑✓✔★☆→»›"
    # Parts of a line: "Ada Roe | 3 weeks ago, 5 comments", "Looms - 3 weeks ago".
    for part in re.finditer(r"(?:(?!\s[/:–—-]\s)[^|·•\n,،、])+", line):
        phrase = part[0].strip(bullets_and_dashes)
        if is_relative_date(phrase):
            start = part.start() + part[0].index(phrase)
            yield TimeMention(start, start + len(phrase), "ago")
