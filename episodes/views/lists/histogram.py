"""The show month by month: how many episodes each month had, and how many of those are shown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from .selection import Selection

HEIGHT = 40
MONTHS = [f"{date(2000, month, 1):%B}" for month in range(1, 13)]


class Bar(NamedTuple):
    """A month with episodes: its numbers, the height of its bar, how much of it is inked, and where it leads."""

    label: str
    shown: int
    all_height: int
    shown_height: int
    query: str
    chosen: bool


class HistogramYear(NamedTuple):
    """Twelve months, None for those without episodes, and the address of that year's episodes."""

    year: int
    months: list[Bar | None]
    query: str
    chosen: bool


def timeline(
    months: Mapping[date | None, int], shown: Mapping[date | None, int], chosen: Selection
) -> list[HistogramYear]:
    """Every year from the first episode to the last, also those without any.

    `months` counts the whole show, `shown` what passes every filter but year and month.
    """
    dated = {month: count for month, count in months.items() if month}
    if not dated:
        return []
    most = max(dated.values())
    asked, one_month = chosen.one("month") or chosen.one("year"), chosen.one("month")
    query = chosen.each("month", "year")
    bars = {}
    for month, count in dated.items():
        name = f"{month.year:04}-{month.month:02}"
        here = name == one_month
        inked = shown.get(month, 0) if name.startswith(asked) else 0
        label = f"{MONTHS[month.month - 1]} {month.year:04}: {inked if inked == count else f'{inked} of {count}'}"
        to = chosen.replaced(year="", month="").query() if here else query(name)
        bars[month.year, month.month] = Bar(label, inked, _height(count, most), _height(inked, most), to, here)
    return [_year(year, bars, chosen) for year in range(min(dated).year, max(dated).year + 1)]


def _year(year: int, bars: Mapping[tuple[int, int], Bar], chosen: Selection) -> HistogramYear:
    here = chosen.one("year") == str(year)
    query = chosen.replaced(month="", year="" if here else str(year)).query()
    return HistogramYear(year, [bars.get((year, month)) for month in range(1, 13)], query, here)


def _height(count: int, most: int) -> int:
    return max(2, round(count * HEIGHT / most)) if count else 0
