"""The names of months and of units of time in the world's languages, from the tables of CLDR that Babel carries."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from functools import cache

from babel import Locale
from babel.dates import format_timedelta
from babel.units import format_unit

LANGUAGES = (
    "en de fr es it pt nl sv da nb nn fi is et lv lt pl cs sk sl hr sr bs mk sq hu ro bg el tr az ru uk be kk uz ky hy "
    "ka he ar fa ur hi bn ta te ml mr gu kn pa ne si th lo km my vi id ms fil sw af zu am ca eu gl ga cy ast br lb fo "
    "ja zh zh_Hant ko mn"
).split()
# What pages write beside the forms of CLDR.
MORE_MONTHS = {"sept": 9, "sept.": 9, "janv": 1, "févr": 2, "fev": 2, "mrz": 3, "mär": 3, "maerz": 3, "gen": 1}
MORE_UNITS = {
    "h": "hour", "hr": "hour", "hrs": "hour", "hour": "hour", "hours": "hour", "std": "hour", "m": "minute", "min": "minute",
    "mins": "minute", "mn": "minute", "минуты": "minute", "ч": "hour", "мин": "minute", "分鐘": "minute", "分钟": "minute",
    "分": "minute", "時間": "hour", "小時": "hour", "小时": "hour", "秒": "second", "분": "minute", "시간": "hour",
    "초": "second", "דק": "minute", "שע": "hour", "s": "second", "sec": "second", "secs": "second", "sek": "second",
}  # fmt: skip
MORE_SPELLS = ("y", "yr", "yrs", "mo", "mos", "w", "wk", "wks", "d")
ORDINALS = frozenset(("st", "nd", "rd", "th"))  # "31st" is a day of a month, not 31 hours
UNITS = ("hour", "minute", "second")
DIGITS = {code: str(unicodedata.digit(chr(code))) for code in range(0x660, 0x1FBFA) if chr(code).isdecimal()}


def plain_digits(text: str) -> str:
    """The text with the digits of every script as 0 to 9, at the same places."""
    return text if text.isascii() else text.translate(DIGITS)


def key(word: str) -> str:
    """The form under which a word is looked up."""
    return unicodedata.normalize("NFC", word.casefold()).strip(". \u200e\u200f")


@cache
def months() -> dict[str, dict[int, frozenset[str]]]:
    """Names of months: the month, or the months, that a name means, each with the languages in which it does."""
    found: dict[str, dict[int, set[str]]] = {}
    for language in LANGUAGES:
        names = Locale.parse(language).months
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for month, name in names[context][width].items():
                    if not re.search(r"\d", plain_digits(name)) and len(key(name)) > 1:
                        forms = (name, f"ב{name}") if language == "he" else (name,)  # "in August" is one word
                        for form in forms:
                            found.setdefault(key(form), {}).setdefault(month, set()).add(language.partition("_")[0])
    for name, month in MORE_MONTHS.items():
        found.setdefault(key(name), {}).setdefault(month, set()).add("")
    return {name: {month: frozenset(where) for month, where in own.items()} for name, own in found.items()}


@cache
def month_of(name: str, language: str) -> int | None:
    """The month that a name means; None where it is none, or means several and the language does not tell which."""
    own = months().get(key(name), {})
    if len(own) > 1:
        own = {month: where for month, where in own.items() if language in where}
    return next(iter(own)) if len(own) == 1 else None


def language_of(words: Iterable[str]) -> str:
    """The language in which most of the words are names of months; "" where several are as good, English but for that."""
    found: Counter[str] = Counter()
    for word in words:
        found.update({language for where in months().get(key(word), {}).values() for language in where if language})
    most = max(found.values(), default=0)
    best = [language for language, count in found.items() if count == most]
    return best[0] if len(best) == 1 and most > 1 else "en" if "en" in best else ""


@cache
def weekdays() -> dict[str, frozenset[int]]:
    """Names of the days of the week, each with the days that it means, Monday being 0."""
    found: dict[str, set[int]] = {}
    for language in LANGUAGES:
        names = Locale.parse(language).days
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for day, name in names[context][width].items():
                    found.setdefault(key(name), set()).add(day)
    long = {name: days for name, days in found.items() if len(name) > 2 or not name.isascii()}
    return {name: frozenset(days) for name, days in long.items() if name not in units()}


@cache
def units() -> dict[str, str]:
    """Words for units of time: hour, minute or second; words that mean different ones are left out."""
    found: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for unit in UNITS:
            for length in ("long", "short", "narrow"):
                for amount in (1, 2, 5, 21):
                    printed = format_unit(amount, f"duration-{unit}", length, locale=language)
                    word = key(re.sub(r"[\d\s]+", " ", plain_digits(printed)).strip())
                    if word and " " not in word and (len(word) > 1 or not word.isascii()):
                        found.setdefault(word, set()).add(unit)
    sure = {word: next(iter(own)) for word, own in found.items() if len(own) == 1 and word not in ORDINALS}
    return sure | MORE_UNITS


@cache
def spells() -> frozenset[str]:
    """Words for years, months, weeks and days, short ones too."""
    found = set(MORE_SPELLS)
    for language in LANGUAGES:
        for unit in ("year", "month", "week", "day"):
            for length in ("long", "short", "narrow"):
                for amount in (1, 2, 5, 21):
                    printed = format_unit(amount, f"duration-{unit}", length, locale=language)
                    word = key(re.sub(r"[\d\s]+", " ", plain_digits(printed)).strip())
                    if word and " " not in word:
                        found.add(word)
    return frozenset(found)


@cache
def agos() -> frozenset[str]:
    """How long ago something was, in words, with # for the number."""
    found = set()
    for language in LANGUAGES:
        for unit in ("year", "month", "week", "day", "hour", "minute"):
            for amount in (1, 2, 5, 11, 21):
                for width in ("long", "short"):
                    ago = timedelta(seconds=-amount * SECONDS[unit])
                    with suppress(KeyError):  # CLDR has not all forms of all languages
                        said = format_timedelta(ago, unit, 1.0, add_direction=True, format=width, locale=language)
                        found.add(re.sub(r"\d+", "#", plain_digits(said).casefold()))
    return frozenset(ago for ago in found if "#" in ago)


@cache
def ago_words() -> frozenset[str]:
    """The words that stand next to the number in them."""
    beside = (re.split(r"\s?#\s?", ago, maxsplit=1) for ago in agos())
    words = {w for before, behind in beside for w in (*before.split()[-1:], *behind.split()[:1])}
    return frozenset(word.rstrip(".") for word in words)


SECONDS = {"year": 31_536_000, "month": 2_592_000, "week": 604_800, "day": 86_400, "hour": 3_600, "minute": 60}
