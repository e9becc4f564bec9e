"""Names of months, days and units of time in the world's languages, from CLDR and
`data/dates.toml`."""

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

WORDS_FOLDER = Path(__file__).parent / "data"
UNITS = ("hour", "minute", "second")
CLDR = WORDS_FOLDER / "cldr.json"
EXTRA: dict[str, Any] = tomllib.loads((WORDS_FOLDER / "dates.toml").read_text("utf-8"))


@cache
def cldr_words() -> dict[str, Any]:
    """Return the words of CLDR, as `.ci/cldr.py` took them from Babel: Babel itself takes half a second
    and 80 MB.

    `months` are rows of language, number and name. `days` are names, `units` the words of each unit,
    `agos` phrases.
    """
    words: dict[str, Any] = json.loads(CLDR.read_text("utf-8"))
    return words


def plain_digits(text: str) -> str:
    """Return the text with the digits of every script as 0 to 9, at the same offsets."""
    if text.isascii():
        return text
    return re.sub(r"(?![0-9])\d", lambda match: str(unicodedata.digit(match[0])), text)


def word_key(word: str) -> str:
    return unicodedata.normalize("NFC", word.casefold()).strip(". \u200e\u200f")


def alternatives_pattern(words: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


@cache
def month_number(name: str, language: str) -> int | None:
    """Return the month of a name. Return None if there is none, or several and the language does not
    decide."""
    languages_by_month = _languages_by_name_then_month().get(word_key(name), {})
    months = list(languages_by_month)
    # "listopad" is October in Croatian and November in Polish.
    if len(months) > 1:
        months = [month for month in months if language in languages_by_month[month]]
    return months[0] if len(months) == 1 else None


def is_month_name(word: str) -> bool:
    """Return True for the name of a month in any language."""
    return word_key(word) in _languages_by_name_then_month()


@cache
def _languages_by_name_then_month() -> dict[str, dict[int, set[str]]]:
    languages: dict[str, dict[int, set[str]]] = {}
    # Further names belong to no language. "extra" takes its place.
    extra_months = [("extra", month, word_key(name)) for name, month in EXTRA["months"].items()]
    for language, month, name in (*cldr_words()["months"], *extra_months):
        languages_by_month = languages.setdefault(name, {})
        languages_by_month.setdefault(month, set()).add(language)
    return languages


@cache
def weekday_names() -> frozenset[str]:
    return frozenset(map(word_key, cldr_words()["days"]))


@cache
def unit_words() -> frozenset[str]:
    return frozenset(chain.from_iterable(cldr_words()["units"].values()))


@cache
def ago_phrases() -> frozenset[str]:
    """Return phrases for how long ago something was, with # for the number."""
    short = [f"#{word}" for word in EXTRA["spells"]["short"]]
    return frozenset([*cldr_words()["agos"], *short])
