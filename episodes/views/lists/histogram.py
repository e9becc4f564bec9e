"""The show month by month: how many episodes each month had, and how many of those are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


class WholeMonth(NamedTuple):
    """A month with all that came out in it: what its bar says and shows, whatever is chosen."""

    year: int
    month: int
    name: str
    words: str
    episodes: int
    height: int


def whole_months(months: Mapping[str, int]) -> list[WholeMonth]:
    """The months of a catalog, by `2021-03`, with the heights of their bars."""
    most = max((count for month, count in months.items() if month), default=0)
    return [
        WholeMonth(
            int(month[:4]),
            int(month[5:]),
            month,
            f"{MONTHS[int(month[5:]) - 1]} {month[:4]}",
            count,
            _height(count, most),
        )
        for month, count in months.items()
        if month
    ]


def timeline(whole: Sequence[WholeMonth], shown: Mapping[str, int], chosen: Selection) -> list[HistogramYear]:
    """Every year from the first episode to the last, also those without any; `shown` passes all filters but year and month."""
    if not whole:
        return []
    most = max(month.episodes for month in whole)
    asked, here = chosen.one("month") or chosen.one("year"), chosen.one("month")
    query, off = chosen.each("month", "year"), chosen.replaced(year="", month="").query()
    rows: dict[int, list[Bar | None]] = {}
    for month in whole:
        inked = shown.get(month.name, 0) if month.name.startswith(asked) else 0
        to = off if month.name == here else query(month.name)
        bar = _bar(month, inked, _height(inked, most), to, month.name == here)
        rows.setdefault(month.year, [None] * 12)[month.month - 1] = bar
    return [_year(year, rows.get(year) or [None] * 12, chosen) for year in range(min(rows), max(rows) + 1)]


def _bar(month: WholeMonth, inked: int, height: int, to: str, chosen: bool) -> Bar:
    label = f"{month.words}: {inked}" if inked == month.episodes else f"{month.words}: {inked} of {month.episodes}"
    return Bar(label, inked, month.height, height, to, chosen)


def _year(year: int, months: list[Bar | None], chosen: Selection) -> HistogramYear:
    here = chosen.one("year") == str(year)
    query = chosen.replaced(month="", year="" if here else str(year)).query()
    return HistogramYear(year, months, query, here)


def _height(count: int, most: int) -> int:
    return max(2, round(count * HEIGHT / most)) if count else 0
