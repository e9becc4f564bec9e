"""The show month by month: how many episodes each had, and how many of those are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from .selection import Selection

HEIGHT = 40


@dataclass(frozen=True)
class Bar:
    """A month with episodes: where its bar stands, how tall it is, how much of it is inked, and what it says."""

    x: int
    all_y: int
    all_height: int
    shown_y: int
    shown_height: int
    label: str


@dataclass(frozen=True)
class HistogramYear:
    """Twelve places, empty ones included, with the address of that year's episodes."""

    year: int
    bars: list[Bar]
    query: str
    chosen: bool
    words: str


def timeline(
    months: Mapping[date | None, int], shown: Mapping[date | None, int], chosen: Selection
) -> list[HistogramYear]:
    """Every year from the first episode to the last, also those without any.

    `months` counts the whole show, `shown` what passes every filter but the year.
    """
    dated = {month: count for month, count in months.items() if month}
    if not dated:
        return []
    most = max(dated.values())
    asked = chosen.one("year")
    inked = {month: count for month, count in shown.items() if month and asked in ("", str(month.year))}
    return [
        _year(year, {month: dated[month] for month in sorted(dated) if month.year == year}, inked, most, chosen)
        for year in range(min(dated).year, max(dated).year + 1)
    ]


def _year(
    year: int, months: Mapping[date, int], shown: Mapping[date, int], most: int, chosen: Selection
) -> HistogramYear:
    here = chosen.one("year") == str(year)
    return HistogramYear(
        year,
        [_bar(month, count, shown.get(month, 0), most) for month, count in months.items()],
        chosen.replaced(year="" if here else str(year)).query(),
        here,
        ", ".join(f"{month:%B} {_of(shown.get(month, 0), count)}" for month, count in months.items()) or "no episode",
    )


def _bar(month: date, count: int, shown: int, most: int) -> Bar:
    tall, inked = _height(count, most), _height(shown, most)
    words = f"{month:%B %Y}: {_of(shown, count)}"
    return Bar(month.month - 1, HEIGHT - tall, tall, HEIGHT - inked, inked, words)


def _height(count: int, most: int) -> int:
    return max(2, round(count * HEIGHT / most)) if count else 0


def _of(shown: int, count: int) -> str:
    return str(count) if shown == count else f"{shown} of {count}"
