"""Writes the words of CLDR that `episodes/dates/words.py` reads: `python .ci/cldr.py`, after an upgrade of Babel."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any, Literal

from babel import Locale
from babel.dates import format_timedelta
from babel.units import format_unit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from episodes.dates.words import CLDR, EXTRA, UNITS, plain_digits, word_key

AMOUNTS = (1, 2, 5, 11, 21)  # languages have forms of a word for some numbers
WIDTHS: tuple[Literal["long", "short", "narrow"], ...] = ("long", "short", "narrow")
SECONDS = {
    "year": 31_536_000,
    "month": 2_592_000,
    "week": 604_800,
    "day": 86_400,
    "hour": 3_600,
    "minute": 60,
}


def words() -> dict[str, Any]:
    """Return the words by the names that `episodes/dates/words.py` uses."""
    weekdays = {name for _, _, name in names("days") if len(name) > 2 or not name.isascii()}
    words_by_unit = {unit: unit_words(unit) for unit in UNITS}
    return {
        "months": sorted(set(months())),
        "days": sorted(weekdays),
        "units": {unit: sorted(unambiguous_words(unit, words_by_unit)) for unit in UNITS},
        "agos": sorted(agos()),
    }


def months() -> Iterator[tuple[str, int, str]]:
    """Yield language, number and name of months. Signs and numbers are no names."""
    for language, month, name in names("months"):
        if len(name) > 1 and not any(letter.isdecimal() for letter in name):
            yield language, month, name
            if language == "he":  # "in August" is one word
                yield language, month, f"ב{name}"


def unambiguous_words(unit: str, words_by_unit: dict[str, set[str]]) -> set[str]:
    """Return the words of a unit without words of other units, endings of ordinals, and single letters."""
    ambiguous = set().union(*EXTRA["units"].values(), EXTRA["between"]["ordinals"])
    for other_unit, other_words in words_by_unit.items():
        if other_unit != unit:
            ambiguous |= other_words
    words = words_by_unit[unit] - ambiguous
    return {word for word in words if len(word) > 1 or not word.isascii()}


def names(kind: str) -> Iterator[tuple[str, int, str]]:
    """Yield language, number and name of all months or days. `kind` is "months" or "days"."""
    for language in EXTRA["languages"]:
        tables = getattr(Locale.parse(language), kind)
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in tables[context][width].items():
                    yield language.partition("_")[0], number, word_key(plain_digits(name))


def unit_words(unit: str) -> set[str]:
    """Return the words for a unit of time, of all lengths."""
    words = set()
    for language, width, amount in product(EXTRA["languages"], WIDTHS, AMOUNTS):
        text = format_unit(amount, f"duration-{unit}", width, locale=language)
        without_number = re.sub(r"[\d\s]+", " ", plain_digits(text)).strip()
        words.add(word_key(without_number))
    return {word for word in words if word and " " not in word}


def agos() -> set[str]:
    """Return the words for how long ago something was, with # for the number."""
    phrases = set()
    forms = product(EXTRA["languages"], SECONDS.items(), AMOUNTS, WIDTHS)
    for language, (unit, seconds), amount, width in forms:
        with suppress(KeyError):  # CLDR does not have all forms in all languages
            text = format_timedelta(
                timedelta(seconds=-amount * seconds),
                unit,  # type: ignore[arg-type]
                1.0,
                add_direction=True,
                format=width,
                locale=language,
            )
            phrases.add(re.sub(r"\d+", "#", plain_digits(text).casefold()))
    return {phrase for phrase in phrases if "#" in phrase}


if __name__ == "__main__":
    CLDR.write_text(
        json.dumps(words(), ensure_ascii=False, indent=0, separators=(",", ":")) + "\n", "utf-8"
    )
