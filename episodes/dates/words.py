"""Names of months, days and units of time in the world's languages: the tables of CLDR, and
`data/dates.toml`."""

from __future__ import annotations

import json
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data"

UNITS = ("hour", "minute", "second")
CLDR = FOLDER / "cldr.json"
DIGITS = {
    code: str(unicodedata.digit(chr(code)))
    for code in range(0x660, 0x1FBFA)
    if chr(code).isdecimal()
}
MORE: dict[str, Any] = tomllib.loads((FOLDER / "dates.toml").read_text("utf-8"))


@cache
def tables() -> dict[str, Any]:
    """The words of CLDR, as `.ci/cldr.py` took them from Babel: to ask Babel takes half a second
    and 80 MB.

    `months` and `days` are rows of language, number and name; `units` has the words for each;
    `agos` are phrases.
    """
    found: dict[str, Any] = json.loads(CLDR.read_text("utf-8"))
    return found


def plain_digits(text: str) -> str:
    """The text with the digits of every script as 0 to 9, at the same places."""
    return text if text.isascii() else text.translate(DIGITS)


def key(word: str) -> str:
    """The form under which a word is looked up."""
    return unicodedata.normalize("NFC", word.casefold()).strip(". \u200e\u200f")


def any_of(words: Iterable[str]) -> str:
    """A pattern of words, the longest first."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


@cache
def months() -> dict[str, dict[int, set[str]]]:
    """Names of months: the month, or the months, that a name means, each with the languages in
    which it does."""
    found: dict[str, dict[int, set[str]]] = {}
    for language, month, name in tables()["months"]:
        if len(name) > 1 and not any(letter.isdecimal() for letter in name):
            for form in (
                (name, f"ב{name}") if language == "he" else (name,)
            ):  # "in August" is one word
                found.setdefault(form, {}).setdefault(month, set()).add(language)
    for name, month in MORE["months"].items():
        found.setdefault(key(name), {}).setdefault(month, set())
    return found


@cache
def month_of(name: str, language: str) -> int | None:
    """The month that a name means; None where it is none, or means several and the language does
    not tell which."""
    own = months().get(key(name), {})
    sure = (
        own
        if len(own) == 1
        else {month: where for month, where in own.items() if language in where}
    )
    return next(iter(sure)) if len(sure) == 1 else None


@cache
def weekdays() -> dict[str, set[int]]:
    """Names of the days of the week, each with the days that it means, Monday being 0."""
    found: dict[str, set[int]] = {}
    for _, day, name in tables()["days"]:
        if (len(name) > 2 or not name.isascii()) and name not in units():
            found.setdefault(name, set()).add(day)
    return found


@cache
def _unit_words(unit: str) -> frozenset[str]:
    """The words for one unit of time, of all lengths."""
    return frozenset(tables()["units"][unit])


@cache
def units() -> dict[str, str]:
    """Words for hours, minutes and seconds; words that mean different ones are left out, and so are
    those of ordinals."""
    found = Counter(word for unit in UNITS for word in _unit_words(unit))
    sure = {
        word
        for word, count in found.items()
        if count == 1 and (len(word) > 1 or not word.isascii())
    }
    own = {
        word: unit
        for unit in UNITS
        for word in _unit_words(unit) & sure - set(MORE["between"]["ordinals"])
    }
    return own | {word: unit for unit, words in MORE["units"].items() for word in words}


@cache
def agos() -> frozenset[str]:
    """Words for how long ago something was, with # for the number."""
    return frozenset(tables()["agos"]).union(f"#{word}" for word in MORE["spells"]["short"])
