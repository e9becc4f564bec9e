"""Finds dates and lengths inside the lines of pages in any language, and decides numeric dates by the whole page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from .dates import WEEK, YEARS, moment, seconds
from .local_words import agos, key, month_of, plain_digits, units, weekdays

LONGEST = 200_000  # characters of a line in which fields are looked for
YEAR = r"(?:19|20)\d{2}"
WORD = r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u200c])*"
# What stands between day, month and year: "4. August 2024", "4 de agosto de 2024", "4º agosto, 2024", "4th of August".
LINK = r"(?:\s*(?:(?<=\d)(?:st|nd|rd|th|er|re|º|ª|°|e)\b)?\s*[.,]?\s*(?:(?:de|del|do|of|d[’']|ta[’']|di|den)\s?\b)?\s*)"
# A date may be glued to a clock before it: "16:3321/06/21".
FREE = r"(?:(?<![\d.,/:-])|(?<=\d:[0-5]\d))"
AFTER_YEAR = r"(?!\d)|(?=\d{1,3}\s*(?::\d\d|[^\W\d_]))"
SHORT_YEAR = r"['’]?\d{2}(?!\d)"
ISO_TIME = r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)"
FORMS = (
    ("iso", re.compile(rf"{FREE}(?P<y>{YEAR})-(?P<m>\d{{1,2}})-(?P<d>\d{{2}}|\d(?!\d)){ISO_TIME}?")),
    ("east", re.compile(rf"{FREE}(?P<y>{YEAR})\s?[年년]\s?(?P<m>\d{{1,2}})\s?[月월]\s?(?P<d>\d{{1,2}})\s?[日号일]")),
    ("dotted", re.compile(rf"{FREE}(?P<y>{YEAR})\.\s?(?P<m>\d{{1,2}})\.\s?(?P<d>\d{{1,2}})\.?(?!\d)")),
    ("big", re.compile(rf"{FREE}(?P<y>{YEAR})/(?P<m>\d{{1,2}})/(?P<d>\d{{2}}|\d(?!\d))")),
    ("dmy", re.compile(rf"{FREE}(?P<d>[0-3]?\d){LINK}(?P<w>{WORD})\.?{LINK}(?P<y>{YEAR})(?:{AFTER_YEAR})", re.I)),
    ("mdy", re.compile(rf"(?P<w>{WORD})\.?\s*(?P<d>[0-3]?\d)(?:st|nd|rd|th)?,?\s+(?P<y>{YEAR})(?:{AFTER_YEAR})", re.I)),
    ("ymd", re.compile(rf"{FREE}(?P<y>{YEAR})[.,]?\s?(?:m\.|г\.|й\.)?\s*(?P<w>{WORD})\.?\s*(?P<d>[0-3]?\d)(?!\d)\.?")),
    ("dmy", re.compile(rf"(?<![\d:.])(?P<d>[0-3]?\d)[.\s-]\s?(?P<w>{WORD})\.?[\s-]\s?(?P<y>{SHORT_YEAR})", re.I)),
    ("mdy", re.compile(rf"(?P<w>{WORD})\.?\s(?P<d>[0-3]?\d),?\s(?P<y>['’]\d{{2}}(?!\d))", re.I)),
)  # fmt: skip
NUMERIC = re.compile(
    rf"{FREE}(?P<a>\d{{1,2}})(?P<sep>[./-])\s?(?P<b>\d{{1,2}})(?P=sep)\s?(?P<y>{YEAR}(?:{AFTER_YEAR})|\d{{2}}(?![\d./-]))"
)
CLOCK = re.compile(
    r"(?<![\d:.,/-])(?P<clock>(?:\d{1,2}:)?\d{1,3}:[0-5]\d)(?![\d:])(?P<half>\s?[ap]\.?m\b\.?|\s?Uhr\b)?", re.I
)
PLAYER = re.compile(r"(?<![\d:])0{1,2}:00(?::00)?\s*[/|]\s*(?P<clock>(?:\d{1,2}:)?\d{1,3}:[0-5]\d)(?![\d:])")
ISO_LENGTH = re.compile(r"\bP(?:\d{1,3}D)?T(?:\d{1,5}[HMS]){1,3}\b")
AMOUNT = re.compile(r"(?<![\d.,:/$€£-])(?P<n>\d{1,4})[\s\u00a0-]?(?P<u>" + WORD + r")\.?")
AMOUNT_BEFORE = re.compile(r"(?<!\w)(?P<u>dakika|saa|phút|дақиқа)\s(?P<n>\d{1,4})(?!\d)", re.I)
JOINED = re.compile(r"[\s,]*(?:(?:and|und|et|y|e|en|och|og|i|ja|и|ve)\s+)?", re.I)
# "3 hours ago" says when, "16 min left" what is left of it, "5 min read" is a text's.
NOT_AFTER = re.compile(
    r"\W{0,3}(?:ago|left|remaining|read|restant\w*|verbleibend|übrig|geleden|назад|тому|sedan|siden|sitten|önce|temu|fa\b|"
    r"atrás|zpět|prije|前|전|전에|trước|yang lalu|पहले|προτού|lectura|lecture|lettura|de lectura|Lesezeit|прочтени|чтени)", re.I,
)  # fmt: skip
NOT_BEFORE = re.compile(
    r"(?:ago|vor|hace|il y a|há|cu|przed|пре|преди|πριν|för|for|skip|noch|reste|quedan|restam|każd\w*|every|alle|[-+−])\s*$",
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


def marks(text: str, language: str = "") -> tuple[Mark, ...]:
    """All dates and lengths in a line, in their order, none within another."""
    if len(text) > LONGEST:
        text = text[:LONGEST]
    if not re.search(r"\d", text):
        return ()
    plain = plain_digits(text)
    days = [_with_weekday(mark, plain) for mark in _apart(_dates(plain, language))]
    # A date may be glued to a length: "Aug 4, 202416 min".
    if days:
        chars = list(plain)
        for mark in days:
            chars[mark.start : mark.end] = "\n" * (mark.end - mark.start)
        plain = "".join(chars)
    found = [*days, *_apart((*_agos(plain), *_lengths(plain), *_clocks(plain)))]
    return tuple(sorted(found, key=lambda mark: mark.start))


WEEKDAY_BEFORE = re.compile(
    rf"(?P<day>{WORD}(?:-feira)?)\.?\s?[,،、]?\s*(?:(?:de|den|d\.|the|el|le|il|o|a|ημέρα|ngày|วันที่)\s)?$", re.I
)
WEEKDAY_BEHIND = re.compile(
    rf"\s?[(（](?P<day>{WORD})\.?[)）]|[,،\s]\s?(?P<last>{WORD})\b\.?|\s?(?P<east>[一-龥]曜日?|星期.|[가-힣]요일)", re.I
)
YEAR_BEHIND = re.compile(r"\s?(?:г\.?|года|р\.?|року|m\.|d\.|ж\.|е\.)(?!\w)")


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
    for style, form in FORMS:
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
    if "w" in part:
        month, skipped = _month(part["w"], language, whole=style != "mdy")
        start += skipped
    else:
        month = int(part["m"])
    year = int(re.sub(r"\D", "", part["y"]))
    day = _day(year if len(re.sub(r"\D", "", part["y"])) == 4 else _century(year), month or 0, int(part["d"]))
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


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if year in YEARS else None
    except ValueError:
        return None


AROUND = re.compile(r"(?P<before>(?:[^\W\d]+\.?\s){0,3}[^\W\d]*?)\s?(?P<n>\d{1,3})(?P<behind>(?:\s?[^\W\d]+\.?){0,4})")


def _agos(text: str) -> Iterator[Mark]:
    """Times that only say how long ago something was: they are read over."""
    for match in AROUND.finditer(text):
        before = [match.start("n"), *(match.start("before") + m.start() for m in re.finditer(r"\S+", match["before"]))]
        behind = [match.end("n"), *(match.start("behind") + m.end() for m in re.finditer(r"\S+", match["behind"]))]
        behind += [match.start("behind") + place for place in _capitals(match["behind"])]
        spans = [(start, end) for start in before for end in behind]
        for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
            if re.sub(r"\d+", "#", text[start:end].casefold()) in agos():
                yield Mark(start, end, "ago")
                break


def _lengths(text: str) -> Iterator[Mark]:
    for match in (*PLAYER.finditer(text), *ISO_LENGTH.finditer(text)):
        if span := seconds(match.groupdict().get("clock") or match[0]):
            yield Mark(match.start(), match.end(), "length", span=span)
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
            yield Mark(match.start(), match.end(), "clock", span=span)


ORDERS = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}


class Calendar:
    """Reads the numeric dates of a page, all of one style the same way, or not at all."""

    def __init__(self, found: Iterable[Mark], known: Iterable[tuple[Mark, Sequence[date]]]) -> None:
        """`known` pairs dates of the page with the days that are known of the same episode."""
        by_style: dict[str, set[tuple[int, int, int]]] = {}
        for mark in found:
            if mark.numbers:
                by_style.setdefault(mark.style, set()).add(mark.numbers)
        pairs = [(mark, days) for mark, days in known if mark.numbers and days]
        self.order = {
            style: _order(
                numbers, [(mark.numbers, days) for mark, days in pairs if mark.numbers and mark.style == style]
            )
            for style, numbers in by_style.items()
        }

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
    return _day(year, second, first) if order == "dmy" else _day(year, first, second)


def _order(numbers: set[tuple[int, int, int]], known: list[tuple[tuple[int, int, int], Sequence[date]]]) -> str:
    """The one order in which every date of a style is a day, or in which all known days agree and none in the other."""
    possible = [order for order in ("dmy", "mdy") if all(_placed(number, order) for number in numbers)]
    # 08/08/21 is one day in both.
    if all(_placed(number, "dmy") == _placed(number, "mdy") for number in numbers):
        return possible[0] if possible else ""
    if len(possible) != 2:
        return possible[0] if possible else ""
    agree, apart = dict.fromkeys(possible, 0), dict.fromkeys(possible, 0)
    for number, days in known:
        for order in possible:
            day = _placed(number, order)
            near = day is not None and any(abs((day - other).days) <= 2 for other in days)
            agree[order] += near and _placed(number, "dmy") != _placed(number, "mdy")
            apart[order] += not near
    for order, other in (("dmy", "mdy"), ("mdy", "dmy")):
        if agree[order] and not apart[order] and not agree[other]:
            return order
    return ""
