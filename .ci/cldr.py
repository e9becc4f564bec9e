"""Writes the words of CLDR that `episodes/dates/words.py` reads: `python .ci/cldr.py`, after an upgrade of Babel."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
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
    weekdays = {name for _, _, name in names("days") if len(name) > 2 or not name.isascii()}
    found = {unit: unit_words(unit) for unit in UNITS}
    return {
        "months": sorted(set(months())),
        "days": sorted(weekdays),
        "units": {unit: sorted(sure(unit, found)) for unit in UNITS},
        "agos": sorted(agos()),
    }


def months() -> Iterator[tuple[str, int, str]]:
    """Names of months; no signs, and no numbers."""
    for language, month, name in names("months"):
        if len(name) > 1 and not any(letter.isdecimal() for letter in name):
            yield language, month, name
            if language == "he":  # "in August" is one word
                yield language, month, f"ב{name}"


def sure(unit: str, found: dict[str, set[str]]) -> set[str]:
    """Words of one unit that are of no other, no endings of ordinals, and no single letters."""
    others = set().union(*(found[one] for one in UNITS if one != unit))
    own = set().union(*EXTRA["units"].values(), EXTRA["between"]["ordinals"])
    return {word for word in found[unit] - others - own if len(word) > 1 or not word.isascii()}


def names(kind: str) -> Iterator[tuple[str, int, str]]:
    """Every name of the months or days: its language, its number, the name."""
    for language in EXTRA["languages"]:
        tables = getattr(Locale.parse(language), kind)
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in tables[context][width].items():
                    yield language.partition("_")[0], number, word_key(plain_digits(name))


def unit_words(unit: str) -> set[str]:
    """The words for one unit of time, of all lengths."""
    printed = (
        format_unit(amount, f"duration-{unit}", length, locale=language)
        for language in EXTRA["languages"]
        for length in WIDTHS
        for amount in AMOUNTS
    )
    found = (word_key(re.sub(r"[\d\s]+", " ", plain_digits(text)).strip()) for text in printed)
    return {word for word in found if word and " " not in word}


def agos() -> set[str]:
    """The words for how long ago something was, with # for the number."""
    found = set()
    for language in EXTRA["languages"]:
        for unit, size in SECONDS.items():
            for amount in AMOUNTS:
                for width in WIDTHS:
                    with suppress(KeyError):  # CLDR has not all forms of all languages
                        ago = timedelta(seconds=-amount * size)
                        said = format_timedelta(
                            ago, unit, 1.0, add_direction=True, format=width, locale=language
                        )  # type: ignore[arg-type]
                        found.add(re.sub(r"\d+", "#", plain_digits(said).casefold()))
    return {ago for ago in found if "#" in ago}


if __name__ == "__main__":
    CLDR.write_text(
        json.dumps(words(), ensure_ascii=False, indent=0, separators=(",", ":")) + "\n", "utf-8"
    )
