"""The show month by month: how many episodes each month had, and how many of those are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from .selection import Selection

HEIGHT = 40


@dataclass(frozen=True)
class Bar:
    """A month with episodes: its numbers, the height of its bar, how much of it is inked, and where it leads."""

    label: str
    shown: int
    all_height: int
    shown_height: int
    query: str
    chosen: bool


@dataclass(frozen=True)
class HistogramYear:
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
    asked = chosen.one("month") or chosen.one("year")
    bars = {
        month: _bar(month, count, shown.get(month, 0) if f"{month:%Y-%m}".startswith(asked) else 0, most, chosen)
        for month, count in dated.items()
    }
    return [_year(year, bars, chosen) for year in range(min(dated).year, max(dated).year + 1)]


def _year(year: int, bars: Mapping[date, Bar], chosen: Selection) -> HistogramYear:
    here = chosen.one("year") == str(year)
    query = chosen.replaced(month="", year="" if here else str(year)).query()
    return HistogramYear(year, [bars.get(date(year, month, 1)) for month in range(1, 13)], query, here)


def _bar(month: date, count: int, shown: int, most: int, chosen: Selection) -> Bar:
    name = f"{month:%Y-%m}"
    here = chosen.one("month") == name
    query = chosen.replaced(year="", month="" if here else name).query()
    label = f"{month:%B %Y}: {shown if shown == count else f'{shown} of {count}'}"
    return Bar(label, shown, _height(count, most), _height(shown, most), query, here)


def _height(count: int, most: int) -> int:
    return max(2, round(count * HEIGHT / most)) if count else 0
