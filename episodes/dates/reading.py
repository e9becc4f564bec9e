"""Reads the dates and lengths that feeds and pages print in any language, and leaves unknown what
they do not say."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache

from ..records import PublicationDate
from .words import (
    MORE,
    UNITS,
    agos,
    any_of,
    key,
    month_of,
    plain_digits,
    tables,
    unit_words,
    weekdays,
)  # fmt: skip

LONGEST = 200_000  # characters of a line in which fields are looked for
LONGEST_DATE = 200  # characters of a text that is a date or a length and nothing else
LONGEST_DAY = 20  # characters in front of a date that can be a day of the week
KEPT = 400  # characters of a line whose marks are remembered
WEEK = 7 * 86_400
HOURS_A_DAY = 24
LONGEST_HOURS = 6  # "15h00" is when
SKIPPED = 200  # seconds alone: fewer are what a player skips, not what an episode lasts
ROMAN = dict(zip("I II III IV V VI VII VIII IX X XI XII".split(), range(1, 13), strict=True))

YEAR = r"(?:19|20)\d{2}"
WORD = r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u200c]){0,40}"
# Between day, month and year: "4. August 2024", "4 de agosto de 2024", "4º agosto, 2024", "4th of
# August", "04-Aug-24".
LINK = (
    rf"(?:\s{{0,9}}(?:(?<=\d){any_of(MORE['between']['ordinals'])}\b)?\s{{0,9}}[.,-]?\s{{0,9}}"
    rf"(?:{any_of(MORE['between']['words'])}\s?\b)?\s{{0,9}})"
)
# A date may be glued to a clock before it, and to a length behind it: "16:3321/06/21", "Aug 4,
# 202416 min".
FREE = r"(?:(?<![\d,/:-])(?<!\d\.)|(?<=\d:[0-5]\d))"
LONG_YEAR = rf"{YEAR}(?:(?!\d)|(?=\d{{1,3}}\s*(?::\d\d|[^\W\d_])))"
SHORT_YEAR = r"\d{2}(?![\d:]|\s?(?:min|std|h|m)\b|\s?['’′])"
CLOCK_TIME = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d{1,9})?)?\s*(?P<half>[ap]\.?m\.?(?!\w))?"
    r"\s*(?P<offset>[+-]\d{2}:?\d{2})?(?P<zone>[A-Za-z][\w/]{0,40})?"
)
ISO_TIME = r"(?P<time>[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)"
DATES = (
    re.compile(
        rf"{FREE}(?P<y>{YEAR})(?:-|/|\.\s?|\s?[年년]\s?)(?P<m>\d{{1,2}})(?:-|/|(?P<dot>\.)\s?|\s?[月월]\s?)"
        rf"(?P<d>\d{{2}}|\d(?!\d))(?(dot)\.?|(?:{ISO_TIME}|\s?[日号일])?)"
    ),
    re.compile(rf"{FREE}(?P<d>[0-3]?\d){LINK}(?P<w>{WORD})\.?{LINK}(?P<y>{LONG_YEAR})", re.I),
    re.compile(
        rf"(?P<w>{WORD})\.?\s{{0,9}}(?P<d>[0-3]?\d)(?:st|nd|rd|th)?,?\s{{1,9}}(?P<y>{LONG_YEAR}|['’]{SHORT_YEAR})",
        re.I,
    ),
    re.compile(
        rf"{FREE}(?P<y>{YEAR})[.,]?\s?(?:m\.|г\.|й\.)?\s{{0,9}}(?P<w>{WORD})\.?\s{{0,9}}(?P<d>[0-3]?\d)(?!\d)\.?"
    ),
    # "20241117", "20241117060000", as names of files have them.
    re.compile(r"(?<!\d)(?P<y>20\d\d)(?P<m>[01]\d)(?P<d>[0-3]\d)(?=(?:\d{4}(?:\d\d)?)?(?!\d))"),
    re.compile(
        rf"(?<![\d:.])(?P<d>[0-3]?\d)[.\s-]\s?(?P<w>{WORD})\.?[\s-]\s?(?P<y>['’]?{SHORT_YEAR})",
        re.I,
    ),
)
NUMERIC = re.compile(
    rf"{FREE}(?P<a>\d{{1,2}})(?P<sep>[./-])(?P<gap>\s?)(?P<b>\d{{1,2}})"
    # "4/10 2023", as Scandinavians write it; "01.07. 20" has no year.
    rf"(?:(?P=sep)(?:(?P=gap)|\s?(?={YEAR}))|(?:(?<=/\d)|(?<=/\d\d))\s(?={YEAR}))"
    rf"(?P<y>{LONG_YEAR}|\d{{2}}(?![\d./-]))"
)
DAY_IN_FRONT = re.compile(r"(?<![\w-])([^\W\d_][\w-]+)\.?,?\s+$")
# "2021 г.", "2021-го года", "május 12-én".
SIGN_BEHIND = re.compile(
    rf"(?:-{any_of(MORE['between']['endings'])}(?!\w))?"
    rf"(?:\s?{any_of(MORE['between']['years'])}(?![^\W\d_])\.?)?"
)
WHOLE_TIME = re.compile(rf"(?:,?\s+(?:at\s+)?|T){CLOCK_TIME}", re.I)
TYPED_CLOCK = re.compile(r"\d:\d")
# Any other spelling of a time: " - 05:06", ", klo 5.06", " 5h06", " 5 PM", " 05:06:07 UTC+1".
ODD_TIME = re.compile(
    r"T?[\s,@|•·(–—-]*(?:[^\W\d_]{1,5}\.?\s+){0,2}"
    r"(?:[01]?\d|2[0-3])(?:\s?[:.h]\s?[0-5]?\d(?:[:.]\d{1,2})?(?!\d)|\s?[ap]\.?m\b)"
    rf"(?:(?!{YEAR})[^\n]){{0,60}}",
    re.I,
)

CLOCK = re.compile(
    r"(?<![\d:.,/-])(?P<clock>(?:\d{1,2}:(?=[0-5]\d:))?\d{1,3}:[0-5]\d)(?![\d:]|[-–]\d)(?P<half>\s?[ap]\.?m\b\.?|\s?Uhr\b)?",
    re.I,
)
FRACTION = re.compile(
    r"((?:\d{1,3}:){1,2}\d\d|\d{3,6})\.\d{1,9}"
)  # of a second; "13.45" may be minutes
FEED_CLOCK = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):(\d{1,2})")
ISO_LENGTH = re.compile(
    r"\bP(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d{1,9})?S)?)?(?!\w)",
    re.I,
)
# "1h12"; behind a date, or late in the day, it is when.
HOURS = re.compile(r"(?<![\d.,:])(?P<h>\d{1,2})\s?h\s?(?P<m>[0-5]\d)(?!\s?[^\W\d_]|[\d:′’'])", re.I)
# "16 min", "13′41″"; "78 Min-cut" is no length, nor is "the 90's". A word in small letters
# ends before a capital that is glued to it.
NO_LENGTH_BEHIND = re.compile(rf"\W{{0,3}}{any_of(MORE['no_length']['behind'])}", re.I)
NO_LENGTH_BEFORE = re.compile(rf"{any_of(MORE['no_length']['before'])}[\s:–-]*$|[-+−]$", re.I)
LONGEST_BEFORE = 60  # characters before a number in which such a word is
# "49M" in a list of files is a size, but not that of "49M 12S".
FREE_NUMBER = r"(?:(?<![\d.,:/$€£-])|(?<=[א-ת]-))(?!\d+(?-i:M)(?![^\W_]|\s?\d\d?S))"
AMOUNT = r"(\d{1,2}[.,]\d{3}|\d{1,5})[\s\u00a0-]?"
UNIT_END = (
    r"(?:(?![^\W_])|(?<!['’])(?=\d)|(?<=(?-i:[a-zß-ÿа-я]))(?=(?-i:[A-ZÀ-ÞА-Я]))|(?<=[\u3001-\ud7fe]))"
    r"\.?(?![-‐‑][^\W\d_])"
)
JOINED = r"[\s,]*(?:(?:and|und|et|y|e|en|och|og|i|ja|и|ve)\s+)?"

ZONES = {name: timedelta(hours=hours) for name, hours in ({"": 0} | MORE["zones"]).items()}

NUMBER = re.compile(r"\d+")
PART = re.compile(r"(?:(?!\s[/:–—-]\s)[^|·•\n,،、])+")
SIGNS = " \t-–—/:*()[]●○◆◇■□▪▫►▶▷•·☐☑✓✔★☆→»›"  # around a date in a list

# Dates that programs write into feeds, where no page would print them so, each as `read_date` knows
# it.
FEED_FORMS = (
    (r"\s*\([^()]*\)$", ""),  # a comment
    (r"^([A-Za-z]{3,9},)(?=\d)", r"\1 "),
    (r"\b(?:GMT|UTC)(?=[+-]\d\d:?\d\d$)", ""),  # JavaScript
    (r"(?<= [+-]0000) (?:UTC|GMT)$", ""),  # Go
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
        lambda m: ":".join(filter(None, m.groups())),
    ),
    (r"(?<=:\d\d),(?=\d{1,9}(?:$|Z$|[+-]\d))", "."),
    (r"(?<=[-T:])(\d)(?=[-T:]|Z?$)", r"0\1"),
    (r"[ T]24:00(?::00)?(?: ?Z| [A-Z]{2,4}| ?[+-]\d\d:?\d\d)?$", ""),  # the end of a day
)
OF_FEEDS = tuple((re.compile(form), instead) for form, instead in FEED_FORMS)


@dataclass(frozen=True, slots=True)
class Mark:
    """A date, a length or a clock in a line. A numeric date may mean two days."""

    start: int
    end: int
    kind: str  # date | length | clock | time | ago
    at: PublicationDate | None = None
    numbers: tuple[int, int, int] = (0, 0, 0)  # first, second, year of a numeric date
    span: tuple[int, int] | None = None

    @property
    def may_be_time(self) -> bool:
        """True for a clock that can be a time of day: "15:00", not "44:10"."""
        return self.kind == "clock" and self.span is not None and self.span[0] < HOURS_A_DAY * 60

    @property
    def days(self) -> list[date]:
        """Days that a date can mean: two where day and month cannot be told apart."""
        if self.at:
            return [self.at.at.date()]
        days = (_placed(self.numbers, order) for order in ("dmy", "mdy"))
        return sorted({day for day in days if day})


# -- a text that is a date or a length and nothing else --------------------------------------------


def read_date(text: str) -> PublicationDate | None:
    """The date that `text` is, whole: an instant where it has a time of day (UTC unless it says
    otherwise), else a day; a numeric one is none."""
    return next(iter(_meant(text[:LONGEST_DATE], _named)), None)


def read_feed_date(text: str) -> PublicationDate | None:
    """The date that `text` is, as `read_date` has it, also where a program wrote it."""
    text = " ".join(text[:200].split())
    if known := read_date(text):
        return known
    for form, instead in OF_FEEDS:
        text = form.sub(instead, text)
    return read_date(text) or _day_before_odd_time(text)


def _day_before_odd_time(text: str) -> PublicationDate | None:
    """Return the clear day with which a text begins if a time in an unusual spelling follows."""
    text, mark = _date_in_front(text, _named)
    if mark is None:
        return None
    end = _end_of(mark, text)
    if WHOLE_TIME.fullmatch(text, end) or not ODD_TIME.fullmatch(text, end):
        return None
    return at_time(mark.days[0])


def typed_dates(text: str) -> tuple[PublicationDate, ...]:
    """All that a date can mean that a person typed: one, two where day and month could be either
    way round, or none; none with a time in an unknown zone."""
    found = _meant(plain_digits(text[:LONGEST_DATE]), dates_in)
    return tuple(at for at in found if not at.is_day or not TYPED_CLOCK.search(text))


def _meant(text: str, dates: Callable[[str, str], Iterator[Mark]]) -> list[PublicationDate]:
    """All that a text can mean that is a date, perhaps with a time of day, and nothing else."""
    text, mark = _date_in_front(text, dates)
    if mark is None:
        return []
    if mark.at and mark.end == len(text):
        return [mark.at]
    end = _end_of(mark, text)
    time = WHOLE_TIME.fullmatch(text, end)
    days = mark.days if time or end == len(text) else []
    return [at for day in days if (at := at_time(day, time))]


def _date_in_front(
    text: str, dates: Callable[[str, str], Iterator[Mark]]
) -> tuple[str, Mark | None]:
    """Return the text without the words in front of its date, and the date with which it begins."""
    text = " ".join(text.split())
    # "Mar" is Tuesday in Spanish, so a month comes first. Feeds name the wrong day of the week, too.
    for without in (text, _before_date().sub("", text, count=1)):
        for mark in dates(without, "en"):
            if mark.start == 0:
                return without, mark
    return text, None


def _end_of(mark: Mark, text: str) -> int:
    """Return the end of a date with the day of the week behind it: "2021. május 12., szerda"."""
    end = _end_of_year(mark, text)
    return _weekday_behind().match(text, end).end()  # type: ignore[union-attr]


def _end_of_year(mark: Mark, text: str) -> int:
    """Return the end of a date with the sign that a language writes behind it: "12 мая 2021 г."."""
    return SIGN_BEHIND.match(text, mark.end).end()  # type: ignore[union-attr]


@cache
def _before_date() -> re.Pattern[str]:
    """Match a word and a comma, or a day of the week, and an article: "onsdag den 12 maj 2021"."""
    articles = any_of(MORE["between"]["articles"])
    return re.compile(rf"^(?:(?:{WORD}\.?,|{_days()}\.?,?)\s+)?(?:{articles}\s+)?", re.I)


@cache
def _weekday_behind() -> re.Pattern[str]:
    return re.compile(rf"\.?(?:,?\s?{_days()}(?!\w)\.?)?", re.I)


def _days() -> str:
    return any_of(map(re.escape, tables()["days"]))


def at_time(day: date, time: re.Match[str] | None = None) -> PublicationDate | None:
    """A day with what a time of day says; None for a time that no clock shows."""
    # A day without a time is kept as its first moment, and says that it is one.
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if time is None:
        return PublicationDate(midnight, "day")
    said = time.groupdict("")
    half, hour, minute = said["half"].lower(), int(said["hour"]), int(said["minute"])
    if not (1 <= hour <= 12 if half else hour < 24) or minute > 59:
        return None
    hour = hour % 12 + 12 * half.startswith("p") if half else hour
    shift = _shift(said["offset"], said["zone"].lower())
    if shift is None:
        return PublicationDate(midnight, "day")
    seconds = min(int(said["second"] or 0), 59)
    clock = timedelta(hours=hour, minutes=minute, seconds=seconds)
    return PublicationDate(midnight + clock - shift, "instant")


def _shift(offset: str, zone: str) -> timedelta | None:
    """The time by which a clock is ahead of UTC; None where that is not known."""
    if not offset:
        return ZONES.get(zone)
    hours, minutes = int(offset[1:3]), int(offset[-2:])
    size = timedelta(hours=hours, minutes=minutes) * (-1 if offset[0] == "-" else 1)
    return size if hours < 15 and minutes < 60 else None


def read_length(text: str) -> tuple[int, int] | None:
    """The span of seconds that a feed's length allows: `16:33`, `PT16M33S`, `993.5` are exact, `13
    minutes` is 780 up to 839.

    A number alone counts seconds, and feeds write 60:05 as 00:60:05, 53:03 as 53:3, and 5:00 as
    4:60.
    """
    text = text.strip()
    if fraction := FRACTION.fullmatch(text):
        text = fraction[1]
    # Longer ones are milliseconds or numbers of something else.
    if text.isdecimal() and len(text) < 7:
        return _length(int(text))
    if clock := FEED_CLOCK.fullmatch(text):
        hours, minutes, seconds = map(int, clock.groups("0"))
        # Programs round 59.9 up.
        if seconds <= 60 and (not hours or minutes <= 60):
            return _length((hours * 60 + minutes) * 60 + seconds)
    return printed_length(text)


def printed_length(text: str) -> tuple[int, int] | None:
    """`read_length` for what a page prints, where a bare number may count anything."""
    text = text.strip()
    spans = {(mark.start, mark.end): mark.span for mark in marks(text[:LONGEST_DATE])}
    return spans.get((0, len(text)))


def _length(low: int, uncertain: int = 0) -> tuple[int, int] | None:
    """A length of nothing is what feeds write when they do not know; a week is what they write by
    mistake."""
    return (low, low + uncertain) if 0 < low < WEEK else None


# -- all that stands in a line ---------------------------------------------------------------------


def marks(text: str, language: str = "") -> tuple[Mark, ...]:
    """All dates and lengths in a line, in their order, none within another."""
    if not NUMBER.search(text):
        return ()
    return _kept_marks(text, language) if len(text) < KEPT else _marks(text[:LONGEST], language)


def _marks(text: str, language: str) -> tuple[Mark, ...]:
    plain = plain_digits(text)
    days = [
        replace(
            mark,
            start=_start_of(mark, plain),
            end=_end_of_year(mark, plain),
        )
        for mark in _apart(dates_in(plain, language))
    ]
    # Days are blotted out, so that no clock or length is read within one.
    chars = list(plain)
    for mark in days:
        chars[mark.start : mark.end] = "\n" * (mark.end - mark.start)
    rest = "".join(chars)
    found = [*days, *_apart((*_agos(rest), *_lengths(rest), *_clocks(rest)))]
    return tuple(sorted(found, key=lambda mark: mark.start))


def _start_of(mark: Mark, text: str) -> int:
    """Start of a date with the day of the week that stands in front of it."""
    day = DAY_IN_FRONT.search(text, max(0, mark.start - LONGEST_DAY), mark.start)
    if day is None or key(day[1]) not in weekdays():
        return mark.start
    # "5 sat" is Croatian for five hours.
    follows_number = text[: day.start()].rstrip()[-1:].isdecimal()
    is_length = follows_number and key(day[1]) in unit_words()
    return mark.start if is_length else day.start()


_kept_marks = lru_cache(maxsize=30_000)(_marks)  # pages repeat many lines


def _apart(found: Iterable[Mark]) -> list[Mark]:
    """The marks that do not overlap one before them."""
    kept: list[Mark] = []
    found = list(found)
    taken = bytearray(max((mark.end for mark in found), default=0))
    for mark in found:
        if not any(taken[mark.start : mark.end]):
            taken[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
            kept.append(mark)
    return kept


# -- dates


def dates_in(text: str, language: str) -> Iterator[Mark]:
    """Dates of a text by the forms of DATES, then numeric ones; they may overlap."""
    yield from _named(text, language)
    for match in NUMERIC.finditer(text):
        numbers = (int(match["a"]), int(match["b"]), _year(match["y"]))
        yield Mark(match.start(), match.end(), "date", numbers=numbers)


def _named(text: str, language: str) -> Iterator[Mark]:
    """Dates in which a month stands, or which begin with the year."""
    for form in DATES:
        for match in form.finditer(text):
            part = {"w": "", "time": ""} | match.groupdict("")
            month = ROMAN.get(part["w"]) or month_of(part["w"], language) or int(part.get("m", 0))
            day = day_in(_year(part["y"]), month, int(part["d"]))
            if day:
                time = WHOLE_TIME.fullmatch(part["time"])
                yield Mark(*match.span(), "date", at_time(day, time))


def _year(text: str) -> int:
    year = int(text.strip("'’"))
    # "69" is 2069 and "70" 1970: no podcast is of either.
    return year if year > 99 else year + (2000 if year < 70 else 1900)


def day_in(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


# -- lengths


def _lengths(text: str) -> Iterator[Mark]:
    for match in ISO_LENGTH.finditer(text):
        days, hours, minutes, rest = map(int, match.groups("0"))
        yield from _lasting(match, ((days * 24 + hours) * 60 + minutes) * 60 + rest)
    for match in HOURS.finditer(text):
        behind_date = "\n" in text[max(0, match.start() - 6) : match.start()]
        if behind_date or int(match["h"]) >= LONGEST_HOURS:
            yield Mark(match.start(), match.end(), "time")
        else:
            yield from _lasting(match, int(match["h"]) * 3600 + int(match["m"]) * 60, 59)
    yield from _worded(text)


def _worded(text: str) -> Iterator[Mark]:
    """Lengths in words: "1 hour and 5 minutes"."""
    for match in _in_words().finditer(text):
        hours, minutes, seconds = (int(re.sub(r"\D", "", part)) for part in match.groups("0"))
        of_something_else = NO_LENGTH_BEHIND.match(text, match.end()) or NO_LENGTH_BEFORE.search(
            text, max(0, match.start() - LONGEST_BEFORE), match.start()
        )
        if (match[1] or match[2] or seconds >= SKIPPED) and not of_something_else:
            # What is not said may be anything: "13 minutes" are up to 839 seconds.
            uncertain = 0 if match[3] else 59 if match[2] else 3599
            yield from _lasting(match, hours * 3600 + minutes * 60 + seconds, uncertain)


@cache
def _in_words() -> re.Pattern[str]:
    """Hours, minutes and seconds in any language, each followed by the smaller ones."""
    tabled, more = tables()["units"], MORE["units"]
    words = (any_of(map(re.escape, {*tabled[unit], *more[unit]})) for unit in UNITS)
    hours, minutes, seconds = (rf"{AMOUNT}{own}{UNIT_END}" for own in words)
    return re.compile(
        rf"{FREE_NUMBER}(?=\d)(?:{hours})?(?:(?(1){JOINED}){minutes})?(?:{JOINED}{seconds})?(?<!\d)",
        re.I,
    )


def _lasting(match: re.Match[str], low: int, uncertain: int = 0) -> Iterator[Mark]:
    if span := _length(low, uncertain):
        yield Mark(match.start(), match.end(), "length", span=span)


def _clocks(text: str) -> Iterator[Mark]:
    for match in CLOCK.finditer(text):
        seconds = 0
        for part in match["clock"].split(":"):
            seconds = seconds * 60 + int(part)
        span = _length(seconds)
        if match["half"]:
            yield Mark(match.start(), match.end(), "time")
        elif span:
            yield Mark(match.start(), match.end(), "clock", span=span)


# -- what is read over -----------------------------------------------------------------------------


def is_ago(text: str) -> bool:
    """True for words that only say how long ago something was: "3 weeks ago", "2y"."""
    return NUMBER.sub("#", text.casefold()) in agos()


def _agos(text: str) -> Iterator[Mark]:
    """Parts of a line that only say how long ago something was."""
    for part in PART.finditer(text) if len(text) < KEPT else ():
        said = part[0].strip(SIGNS)
        if is_ago(said):
            start = part.start() + part[0].index(said)
            yield Mark(start, start + len(said), "ago")


def _placed(numbers: tuple[int, int, int], order: str) -> date | None:
    first, second, year = numbers
    if order == "dmy":
        return day_in(year, second, first)
    return day_in(year, first, second)
