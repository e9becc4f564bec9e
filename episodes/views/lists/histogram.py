"""The show month by month: how many episodes each month had, and how many of those are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...text import formatting
from .selection import Selection

HEIGHT = 40


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


def timeline(whole: Mapping[str, int], shown: Mapping[str, int], chosen: Selection) -> list[HistogramYear]:
    """Every year from the first episode to the last, also those without any.

    `whole` counts all episodes by months such as `2021-03`, `shown` those that pass all filters but year and month.
    """
    counts = {month: count for month, count in whole.items() if month}
    if not counts:
        return []
    most, asked, here = max(counts.values()), chosen.one("month") or chosen.one("year"), chosen.one("month")

    def height(count: int) -> int:
        return max(2, round(count * HEIGHT / most)) if count else 0

    def bar(month: str) -> Bar:
        count, inked = counts[month], shown.get(month, 0) if month.startswith(asked) else 0
        label = f"{formatting.month(month)}: {inked}" + (f" of {count}" if inked != count else "")
        query = chosen.replaced(year="").switched("month", month).query()
        return Bar(label, inked, height(count), height(inked), query, month == here)

    years = []
    for year in range(int(min(counts)[:4]), int(max(counts)[:4]) + 1):
        months = [f"{year:04}-{month:02}" for month in range(1, 13)]
        query = chosen.replaced(month="").switched("year", str(year)).query()
        bars = [bar(month) if month in counts else None for month in months]
        years.append(HistogramYear(year, bars, query, chosen.one("year") == str(year)))
    return years
