"""Names of months, days and units of time in the world's languages: the tables of CLDR, and
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

FOLDER = Path(__file__).parent / "data"

UNITS = ("hour", "minute", "second")
CLDR = FOLDER / "cldr.json"
_DIGIT = re.compile(r"(?![0-9])\d")
MORE: dict[str, Any] = tomllib.loads((FOLDER / "dates.toml").read_text("utf-8"))


@cache
def tables() -> dict[str, Any]:
    """The words of CLDR that can be read, as `.ci/cldr.py` took them from Babel: to ask Babel takes
    half a second and 80 MB.

    `months` are rows of language, number and name; `days` are names; `units` has the words for
    each; `agos` are phrases.
    """
    found: dict[str, Any] = json.loads(CLDR.read_text("utf-8"))
    return found


def plain_digits(text: str) -> str:
    """The text with the digits of every script as 0 to 9, at the same places."""
    return text if text.isascii() else _DIGIT.sub(_plain_digit, text)


def _plain_digit(match: re.Match[str]) -> str:
    return str(unicodedata.digit(match[0]))


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
    own = [("own", month, key(name)) for name, month in MORE["months"].items()]
    for language, month, name in (*tables()["months"], *own):
        found.setdefault(name, {}).setdefault(month, set()).add(language)
    return found


@cache
def month_of(name: str, language: str) -> int | None:
    """The month that a name means; None where it is none, or means several and the language does
    not tell which."""
    own = months().get(key(name), {})
    sure = [month for month, where in own.items() if len(own) == 1 or language in where]
    return sure[0] if len(sure) == 1 else None


@cache
def weekdays() -> frozenset[str]:
    """Names of the days of the week."""
    return frozenset(map(key, tables()["days"]))


@cache
def unit_words() -> frozenset[str]:
    """Return the words for hours, minutes and seconds."""
    return frozenset(chain.from_iterable(tables()["units"].values()))


@cache
def agos() -> frozenset[str]:
    """Words for how long ago something was, with # for the number."""
    return frozenset(tables()["agos"]).union(f"#{word}" for word in MORE["spells"]["short"])
