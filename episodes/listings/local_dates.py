"""Finds dates and lengths inside the lines of pages in any language, and decides numeric dates by the whole page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import lru_cache

from .dates import WEEK, YEARS, moment, seconds
from .local_words import ago_words, agos, key, language_of, month_of, plain_digits, spells, units, weekdays

LONGEST = 200_000  # characters of a line in which fields are looked for
YEAR = r"(?:19|20)\d{2}"
WORD = r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u200c])*"
# What stands between day, month and year: "4. August 2024", "4 de agosto de 2024", "4º agosto, 2024", "4th of August".
LINK = r"(?:\s*(?:(?<=\d)(?:st|nd|rd|th|er|re|º|ª|°|e)\b)?\s*[.,]?\s*(?:(?:de|del|do|of|d[’']|ta[’']|di|den)\s?\b)?\s*)"
# A date may be glued to a clock before it: "16:3321/06/21".
FREE = r"(?:(?<![\d,/:-])(?<!\d\.)|(?<=\d:[0-5]\d))"
AFTER_YEAR = r"(?!\d)|(?=\d{1,3}\s*(?::\d\d|[^\W\d_]))"
SHORT_YEAR = r"['’]?\d{2}(?!\d)"
ISO_TIME = r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)"
FORMS = (
    ("iso", re.compile(rf"{FREE}(?P<y>{YEAR})-(?P<m>\d{{1,2}})-(?P<d>\d{{2}}|\d(?!\d)){ISO_TIME}?")),
    ("east", re.compile(rf"{FREE}(?P<y>{YEAR})\s?[年년]\s?(?P<m>\d{{1,2}})\s?[月월]\s?(?P<d>\d{{1,2}})\s?[日号일]")),
    ("dotted", re.compile(rf"{FREE}(?P<y>{YEAR})\.\s?(?P<m>\d{{1,2}})\.\s?(?P<d>\d{{1,2}})(?!\d)\.?")),
    ("big", re.compile(rf"{FREE}(?P<y>{YEAR})/(?P<m>\d{{1,2}})/(?P<d>\d{{2}}|\d(?!\d))")),
    ("dmy", re.compile(rf"{FREE}(?P<d>[0-3]?\d){LINK}(?P<w>{WORD})\.?{LINK}(?P<y>{YEAR})(?:{AFTER_YEAR})", re.I)),
    ("mdy", re.compile(rf"(?P<w>{WORD})\.?\s*(?P<d>[0-3]?\d)(?:st|nd|rd|th)?,?\s+(?P<y>{YEAR})(?:{AFTER_YEAR})", re.I)),
    ("ymd", re.compile(rf"{FREE}(?P<y>{YEAR})[.,]?\s?(?:m\.|г\.|й\.)?\s*(?P<w>{WORD})\.?\s*(?P<d>[0-3]?\d)(?!\d)\.?")),
    ("roman", re.compile(rf"{FREE}(?P<d>[0-3]?\d)[.\s]\s?(?P<r>[IVX]{{1,4}})[.\s]\s?(?P<y>{YEAR})(?:{AFTER_YEAR})")),
    ("dmy", re.compile(rf"(?<![\d:.])(?P<d>[0-3]?\d)-(?P<w>{WORD})-(?P<y>{YEAR})(?!\d)", re.I)),
    ("dmy", re.compile(rf"(?<![\d:.])(?P<d>[0-3]?\d)[.\s-]\s?(?P<w>{WORD})\.?[\s-]\s?(?P<y>{SHORT_YEAR})", re.I)),
    ("mdy", re.compile(rf"(?P<w>{WORD})\.?\s(?P<d>[0-3]?\d),?\s(?P<y>['’]\d{{2}}(?!\d))", re.I)),
)  # fmt: skip
ROMAN = dict(zip("I II III IV V VI VII VIII IX X XI XII".split(), range(1, 13), strict=True))
BESIDE_DAY = re.compile(rf"\d{{1,2}}\W{{0,2}}\s?({WORD})\W{{0,3}}(?=\d|$)|({WORD})\.?\s\d{{1,2}},?\s\d{{4}}", re.M)
SHORT_FORMS = FORMS[-2:]
FULL_YEAR = re.compile(YEAR)
DIGIT = re.compile(r"\d")
KEPT = 400  # characters of a line whose marks are remembered
NUMERIC = re.compile(
    rf"{FREE}(?P<a>\d{{1,2}})(?P<sep>[./-])\s?(?P<b>\d{{1,2}})(?P=sep)\s?(?P<y>{YEAR}(?:{AFTER_YEAR})|\d{{2}}(?![\d./-]))"
)
CLOCK = re.compile(
    r"(?<![\d:.,/-])(?P<clock>(?:\d{1,2}:)?\d{1,3}:[0-5]\d)(?![\d:])(?P<half>\s?[ap]\.?m\b\.?|\s?Uhr\b)?", re.I
)
UNIT_BEHIND = re.compile(rf"\s?(?P<u>{WORD})\b(?![-‐‑]\w)\.?")
PLAYER = re.compile(r"(?<![\d:])0{1,2}:00(?::00)?\s*[/|]\s*(?P<clock>(?:\d{1,2}:)?\d{1,3}:[0-5]\d)(?![\d:])")
# "13′41″", "1h12", "0h16"; "15h00" behind a date, or late in the day, is when.
PRIMES = re.compile(
    r"(?<![\d.,])(?:(?P<h>\d{1,2})\s?h\s?)?(?P<m>\d{1,3})\s?[′’']\s?(?P<s>[0-5]\d)\s?(?:[″”\"]|[′’']{2})"
)
ONLY_MINUTES = re.compile(r"(?<![\d.,:\w])(?P<m>[1-9]\d{0,2})\s?[′’'](?![\w′’'\"])")
HOURS = re.compile(r"(?<![\d.,:])(?P<h>\d{1,2})\s?h\s?(?P<m>[0-5]\d)(?!\s?[^\W\d_]|[\d:])", re.I)
SECONDS = re.compile(r"(?<![\d.,:])(?P<s>[2-9]\d\d|\d{1,2}[.,]?\d{3})\s?(?:s|secs?|seconds)\b(?!\s?ago)", re.I)
LONGEST_HOURS = 6
ISO_LENGTH = re.compile(r"\bP(?:\d{1,3}D)?T(?:\d{1,5}[HMS]){1,3}\b")
# "78 Min-cut" is no length.
AMOUNT = re.compile(
    r"(?:(?<![\d.,:/$€£-])|(?<=[א-ת]-))(?P<n>\d{1,4})[\s\u00a0-]?(?P<u>" + WORD + r")\.?(?![-‐‑][^\W\d_])"
)
AMOUNT_BEFORE = re.compile(r"(?<!\w)(?P<u>dakika|saa|phút|дақиқа)\s(?P<n>\d{1,4})(?!\d)", re.I)
JOINED = re.compile(r"[\s,]*(?:(?:and|und|et|y|e|en|och|og|i|ja|и|ve)\s+)?", re.I)
# "3 hours ago" says when, "16 min left" what is left of it, "5 min read" is a text's.
NOT_AFTER = re.compile(
    r"\W{0,3}(?:ago|left|remaining|read|restant\w*|verbleibend|übrig|geleden|назад|тому|sedan|siden|sitten|önce|temu|fa\b|"
    r"atrás|zpět|prije|前|전|전에|trước|yang lalu|पहले|προτού|lectura|lecture|lettura|de lectura|Lesezeit|прочтени|чтени)", re.I,
)  # fmt: skip
NOT_BEFORE = re.compile(
    r"(?:ago|vor|hace|il y a|há|cu|przed|пре|преди|πριν|för|for|skip|noch|reste|quedan|restam|każd\w*|every|alle)\s*$|"
    r"[-+−]$|^\s*[+−]\s*$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A date, a length or a clock in a line; `value` of a numeric date is decided by `Calendar`."""

    start: int
    end: int
    kind: str  # date | length | clock | time | ago
    day: date | None = None
    instant: str = ""
    numbers: tuple[int, int, int] | None = None  # first, second, year of a numeric date
    style: str = ""
    span: tuple[int, int] | None = None
    partial: tuple[int, int] | None = None  # month (0: not said) and day of a date without a year, which is no date yet


def language_of_dates(text: str) -> str:
    """The language in which the dates of a text are written, where the names of their months tell."""
    return language_of(match[1] or match[2] for match in BESIDE_DAY.finditer(text[:LONGEST]))


def marks(text: str, language: str = "") -> tuple[Mark, ...]:
    """All dates and lengths in a line, in their order, none within another."""
    if not DIGIT.search(text):
        return ()
    return _kept_marks(text, language) if len(text) < KEPT else _marks(text[:LONGEST], language)


def _marks(text: str, language: str) -> tuple[Mark, ...]:
    plain = plain_digits(text)
    days = [_with_weekday(mark, plain) for mark in _apart(_dates(plain, language))]
    # A date may be glued to a length: "Aug 4, 202416 min".
    if days:
        chars = list(plain)
        for mark in days:
            chars[mark.start : mark.end] = "\n" * (mark.end - mark.start)
        plain = "".join(chars)
    found = [*days, *_apart((*_agos(plain), *_lengths(plain), *_clocks(plain), *_parts(plain, language)))]
    return tuple(sorted(found, key=lambda mark: mark.start))


_kept_marks = lru_cache(maxsize=30_000)(_marks)  # pages repeat many lines


WEEKDAY_BEFORE = re.compile(
    rf"(?P<day>{WORD}(?:-feira)?)\.?\s?[,،、]?\s*(?:(?:de|den|d\.|the|el|le|il|o|a|ημέρα|ngày|วันที่)\s)?$", re.I
)
WEEKDAY_BEHIND = re.compile(
    rf"\s?[(（](?P<day>{WORD})\.?[)）]|[,،\s]\s?(?P<last>{WORD})\b\.?|\s?(?P<east>[一-龥]曜日?|星期.|[가-힣]요일)", re.I
)
YEAR_BEHIND = re.compile(r"\s?(?:(?:года|року|г|р)(?![^\W\d_])\.?|(?:m|d|ж|е)\.(?![^\W\d_]))")


def _with_weekday(mark: Mark, text: str) -> Mark:
    """A date with the day of the week that stands at it, and the word for "year" behind it."""
    start, end = mark.start, mark.end
    if before := WEEKDAY_BEFORE.search(text, max(0, start - 24), start):
        glued = (0, *_capitals(before["day"]))
        start = next((before.start() + place for place in glued if _is_weekday(before["day"][place:], mark)), start)
    if year := YEAR_BEHIND.match(text, end):
        end = year.end()
    behind = WEEKDAY_BEHIND.match(text, end, end + 24)
    if behind and (behind["east"] or _is_weekday(behind["day"] or behind["last"], mark)):
        end = behind.end()
    return replace(mark, start=start, end=end)


def _is_weekday(word: str, mark: Mark) -> bool:
    """Whether a word is the day of the week that a date falls on; of a date that could be two, any."""
    days = weekdays().get(key(word), frozenset())
    return mark.day.weekday() in days if mark.day else bool(days)


def _capitals(word: str) -> Iterator[int]:
    """Where a word begins that is glued to another."""
    return (place for place in range(1, len(word)) if word[place].isupper() and not word[place - 1].isupper())


def _apart(found: Iterable[Mark]) -> list[Mark]:
    """Those of the marks that do not overlap one before them."""
    kept: list[Mark] = []
    found = list(found)
    taken = bytearray(max((mark.end for mark in found), default=0))
    for mark in found:
        if not any(taken[mark.start : mark.end]):
            taken[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
            kept.append(mark)
    return kept


def _dates(text: str, language: str) -> Iterator[Mark]:
    full = FULL_YEAR.search(text) is not None
    for style, form in FORMS if full else SHORT_FORMS:
        for match in form.finditer(text):
            if mark := _dated(match, style, text, language):
                yield mark
    for match in NUMERIC.finditer(text):
        year = int(match["y"])
        width = len(match["y"])
        numbers = (int(match["a"]), int(match["b"]), year if width == 4 else _century(year))
        yield Mark(match.start(), match.end(), "date", numbers=numbers, style=f"{match['sep']}{width}")


def _century(year: int) -> int:
    return year + (2000 if year < 70 else 1900)


def _dated(match: re.Match[str], style: str, text: str, language: str) -> Mark | None:
    part = match.groupdict()
    start = match.start()
    if "r" in part:
        month = ROMAN.get(part["r"])
    elif "w" in part:
        month, skipped = _month(part["w"], language, whole=style != "mdy")
        start += skipped
    else:
        month = int(part["m"])
    year = int(re.sub(r"\D", "", part["y"]))
    day = day_in(year if len(re.sub(r"\D", "", part["y"])) == 4 else _century(year), month or 0, int(part["d"]))
    if day is None:
        return None
    at = moment(match[0]) if style == "iso" else None
    return Mark(start, match.end(), "date", day, at.isoformat() if at and not at.is_day else "", style=style)


def _month(word: str, language: str, *, whole: bool) -> tuple[int | None, int]:
    """The month that a word names, or its end does where a title is glued before it, and how much of it is no month."""
    if month := month_of(word, language):
        return month, 0
    for place in range(1, len(word) - 2) if not whole else ():
        if word[place].isupper() and not word[place - 1].isupper() and (month := month_of(word[place:], language)):
            return month, place
    return None, 0


def day_in(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if year in YEARS else None
    except ValueError:
        return None


FEW_DIGITS = re.compile(r"(?<!\d)\d{1,3}(?!\d)")
AHEAD = re.compile(r"(?:[^\W\d]+\.?\s){0,3}[^\W\d]*\s?$")
AFTER = re.compile(r"(?:\s?[^\W\d]+\.?){0,4}")


def _agos(text: str) -> Iterator[Mark]:
    """Times that only say how long ago something was: they are read over."""
    for number in FEW_DIGITS.finditer(text):
        low, high = number.span()
        after = AFTER.match(text, high, high + 60)
        ahead = AHEAD.search(text, max(0, low - 40), low)
        before, behind = ahead[0] if ahead else "", after[0] if after else ""
        if not _near_ago(before, behind):
            continue
        starts = [low, *(low - len(before) + word.start() for word in re.finditer(r"\S+", before))]
        ends = [high, *(high + word.end() for word in re.finditer(r"\S+", behind))]
        ends += [high + place for place in _capitals(behind)]
        spans = [(start, end) for start in starts for end in ends]
        for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
            if re.sub(r"\d+", "#", text[start:end].casefold()) in agos():
                yield Mark(start, end, "ago")
                break


def _near_ago(before: str, behind: str) -> bool:
    """Whether a word next to a number is one of those that say how long ago something was."""
    ahead, after = before.split(), behind.split()
    if ahead and ahead[-1].casefold().rstrip(".") in ago_words():
        return True
    places = (0, *_capitals(after[0])) if after else ()
    return any(after[0][: place or None].casefold().rstrip(".") in ago_words() for place in places)


# Between signs, or as a whole line: "Sun, Aug 4", "4. Aug.", and how long ago without a word for it: "3y", "2 weeks".
SIGNS = " \t-–—/:*()[]●○◆◇■□▪▫►▶▷•·☐☑✓✔★☆→»›"  # around a date in a list
BREAK = r"(?!\s[/:–—-]\s)[^|·•\n,،、]"
PART = re.compile(rf"(?:{BREAK})+(?:[,،、](?:{BREAK})+)?")
DAY_MONTH = re.compile(rf"(?P<d>[0-3]?\d){LINK}(?P<w>{WORD})\.?|(?P<m>{WORD})\.?\s(?P<n>[0-3]?\d)(?:st|nd|rd|th)?")
MONTH = re.compile(rf"(?P<w>{WORD})\.?(?:\s(?:de|del)\b)?\s?(?:{YEAR}|['’]\d\d)", re.I)
SPELL = re.compile(rf"(?P<n>\d{{1,3}})\s?(?P<u>{WORD})\.?")


def _parts(text: str, language: str) -> Iterator[Mark]:
    """Days without a year and short spells, each a part of the line by itself: they are read over."""
    for part in PART.finditer(text) if len(text) < KEPT else ():
        said = part[0].strip(SIGNS)
        if len(said) > 30 or not DIGIT.search(said):
            continue
        start = part.start() + part[0].index(said)
        spell = SPELL.fullmatch(said)
        alone = len(said) == len(text.strip())
        partial = day_of(said, language)
        if (
            (spell and spell["u"].casefold() in spells() and (not alone or len(spell["u"]) < 4))
            or partial
            or _is_month(said, language)
        ):
            yield Mark(start, start + len(said), "ago", partial=partial)


def _is_month(text: str, language: str) -> bool:
    """Whether a text is a month of a year: "Apr '24", "April 2024"."""
    match = MONTH.fullmatch(text)
    return match is not None and month_of(match["w"], language) is not None


def day_of(text: str, language: str) -> tuple[int, int] | None:
    """The month and day that a text says and nothing else, perhaps with a day of the week; month 0 beside one of these."""
    first, _, behind = text.partition(" ")
    weekday = weekdays().get(key(first.rstrip(",،")))
    tails = (text, behind) if first.endswith((",", "،")) or weekday else (text,)
    for tail in tails:
        if match := DAY_MONTH.fullmatch(tail.strip()):
            month, day = month_of(match["w"] or match["m"], language), int(match["d"] or match["n"])
            if month and 0 < day < 32:
                return month, day
    bare = behind.strip().rstrip(".")
    return (0, int(bare)) if weekday and bare.isdecimal() and len(bare) < 3 and 0 < int(bare) < 32 else None


MONTH_YEAR = re.compile(
    rf"(?:(?P<w>{WORD})\.?,?\s+(?:(?:de|del|do|of|di|d[’'])\s?\b)?)?(?P<y>{YEAR})(?:\s?(?:г\.?|год|года|р\.?|рік|року))?|"
    rf"(?P<z>{YEAR})(?:年|년|[.,]?\s)\s?(?:(?P<m>\d{{1,2}})\s?[月월]|(?P<v>{WORD})\.?)?",
    re.I,
)


def month_and_year(text: str, language: str) -> tuple[int, int] | None:
    """The year, and the month or 0, that a text names and nothing else; a month alone has the year 0."""
    text = plain_digits(text.strip())
    if alone := re.fullmatch(rf"({WORD})\.?", text):
        month = month_of(alone[1], language)
        return (0, month) if month and len(text) > 2 else None
    match = MONTH_YEAR.fullmatch(text)
    if not match:
        return None
    word = match["w"] or match["v"]
    month = month_of(word, language) if word else int(match["m"] or 0)
    return (int(match["y"] or match["z"]), month) if month is not None and month < 13 else None


def _lengths(text: str) -> Iterator[Mark]:
    for match in (*PLAYER.finditer(text), *ISO_LENGTH.finditer(text)):
        if span := seconds(match.groupdict().get("clock") or match[0]):
            yield Mark(match.start(), match.end(), "length", span=span)
    yield from _signed_lengths(text)
    amounts = list(_amounts(text))
    place = 0
    while place < len(amounts):
        group = [amounts[place]]
        while place + 1 < len(amounts) and _goes_on(group[-1], amounts[place + 1], text):
            place += 1
            group.append(amounts[place])
        place += 1
        start, end = group[0][0], group[-1][1]
        span = _sum({unit: number for _, _, number, unit in group})
        other = NOT_AFTER.match(text, end) or NOT_BEFORE.search(text[max(0, start - 12) : start])
        if span and not other:
            yield Mark(start, end, "length", span=span)


def _signed_lengths(text: str) -> Iterator[Mark]:
    """Lengths with signs for minutes and seconds, or with hours that their minutes are glued to."""
    for match in PRIMES.finditer(text):
        whole = int(match["h"] or 0) * 3600 + int(match["m"]) * 60 + int(match["s"])
        if span := _within((whole, whole)):
            yield Mark(match.start(), match.end(), "length", span=span)
    for match in ONLY_MINUTES.finditer(text):
        yield Mark(match.start(), match.end(), "length", span=(int(match["m"]) * 60, int(match["m"]) * 60 + 59))
    for match in SECONDS.finditer(text):
        if span := _within((whole := int(re.sub(r"\D", "", match["s"])), whole)):
            yield Mark(match.start(), match.end(), "length", span=span)
    for match in HOURS.finditer(text):
        whole = int(match["h"]) * 3600 + int(match["m"]) * 60
        behind_date = "\n" in text[max(0, match.start() - 6) : match.start()]
        span = _within((whole, whole + 59))
        if span and not behind_date and int(match["h"]) < LONGEST_HOURS:
            yield Mark(match.start(), match.end(), "length", span=span)
        else:
            yield Mark(match.start(), match.end(), "time")


def _amounts(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Numbers with a unit of time: where they begin and end, how many, of what."""
    for match in AMOUNT.finditer(text):
        word = match["u"]
        for end in _word_ends(word):
            if unit := units().get(word[:end].casefold()):
                stop = match.start("u") + end
                stop += text[stop : stop + 1] == "." and end == len(word)
                yield match.start(), stop, int(match["n"]), unit
                break
    for match in AMOUNT_BEFORE.finditer(text):
        if unit := units().get(match["u"].casefold()):
            yield match.start(), match.end(), int(match["n"]), unit


def _word_ends(word: str) -> Iterator[int]:
    """Where a unit's word can end: at its end, before a capital that is glued to it, or anywhere in scripts without blanks."""
    yield len(word)
    for place in range(1, min(len(word), 16)):
        glued = word[place].isupper() and not word[place - 1].isupper()
        if glued or "\u3000" < word[place - 1] < "\ud7ff":
            yield place


def _goes_on(one: tuple[int, int, int, str], two: tuple[int, int, int, str], text: str) -> bool:
    order = ("hour", "minute", "second")
    between = text[one[1] : two[0]]
    return order.index(one[3]) < order.index(two[3]) and JOINED.fullmatch(between) is not None


def _sum(parts: dict[str, int]) -> tuple[int, int] | None:
    """The span of a length in words; seconds alone are what a player skips, not what an episode lasts."""
    if set(parts) == {"second"}:
        return None
    whole = parts.get("hour", 0) * 3600 + parts.get("minute", 0) * 60
    if "second" in parts:
        return _within((whole + parts["second"], whole + parts["second"]))
    return _within((whole, whole + (59 if "minute" in parts else 3599)))


def _within(span: tuple[int, int]) -> tuple[int, int] | None:
    return span if 0 < span[0] < WEEK else None


def _clocks(text: str) -> Iterator[Mark]:
    for match in CLOCK.finditer(text):
        span = seconds(match["clock"])
        if match["half"]:
            yield Mark(match.start(), match.end(), "time")
        elif span and text[match.start() - 1 : match.start()] not in ("-", "−", "+"):
            unit = UNIT_BEHIND.match(text, match.end())
            if unit and units().get(unit["u"].casefold().rstrip(".")) in ("hour", "minute"):
                yield Mark(match.start(), unit.end(), "length", span=span)
            else:
                yield Mark(match.start(), match.end(), "clock", span=span)


ORDERS = ("dmy", "mdy")


class Calendar:
    """Reads the numeric dates of a page, all of one style the same way, or not at all.

    What is known of the episodes does not decide: a date that agrees because it was chosen to agree says nothing.
    """

    def __init__(self, found: Iterable[Mark], order: str = "") -> None:
        by_style: dict[str, set[tuple[int, int, int]]] = {}
        for mark in found:
            if mark.numbers:
                by_style.setdefault(mark.style, set()).add(mark.numbers)
        self.order = {style: order or _order(numbers) for style, numbers in by_style.items()}

    def read(self, mark: Mark) -> str:
        """What a date says, as `Moment.isoformat`; "" for one that could be two days."""
        if mark.instant:
            return mark.instant
        day = mark.day
        if mark.numbers:
            order = self.order.get(mark.style, "")
            day = _placed(mark.numbers, order) if order else None
        return datetime(day.year, day.month, day.day, tzinfo=UTC).date().isoformat() if day else ""


def _placed(numbers: tuple[int, int, int], order: str) -> date | None:
    first, second, year = numbers
    return day_in(year, second, first) if order == "dmy" else day_in(year, first, second)


def _order(numbers: set[tuple[int, int, int]]) -> str:
    """The one order in which every date of a style is a day; any where all are the same day in both: 08/08/21."""
    possible = [order for order in ORDERS if all(_placed(number, order) for number in numbers)]
    same = all(_placed(number, "dmy") == _placed(number, "mdy") for number in numbers)
    return possible[0] if possible and (len(possible) == 1 or same) else ""


HEADED = "headed"  # the style of dates that a heading completes


def completed_by(mark: Mark, under: tuple[int, int]) -> Mark:
    """A date without a year as one of the year, or year and month, that stands above."""
    if not mark.partial or not under[0]:
        return mark
    month, day = mark.partial[0] or under[1], mark.partial[1]
    if month and (not under[1] or under[1] == month) and (at := day_in(under[0], month, day)):
        return replace(mark, kind="date", day=at, style=HEADED)
    return mark
