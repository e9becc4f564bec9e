"""The show month by month: how many episodes each month had, and how many of those are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ...text import formatting
from .selection import Selection

HEIGHT = 40
MOST_YEARS = 10  # shown month by month; more have a bar each


class Bar(NamedTuple):
    """A month or year with episodes: its numbers, the height of its bar, how much of it is inked,
    and where it leads."""

    label: str
    shown: int
    all_height: int
    shown_height: int
    query: str
    chosen: bool


class HistogramYear(NamedTuple):
    """A year with its twelve months or a bar of its own, None where there are no episodes, and the
    address of its list."""

    year: str
    bars: list[Bar | None]
    query: str
    chosen: bool


def timeline(
    whole: Mapping[str, int], shown: Mapping[str, int], chosen: Selection
) -> list[HistogramYear]:
    """Every year from the first episode to the last, also those without any; none where none of
    the episodes shown has a date.

    `whole` counts all episodes by months such as `2021-03`, `shown` those that pass all filters but
    year and month.
    """
    dated = sorted(filter(None, whole))
    if not any(map(shown.get, dated)):
        return []
    years = range(int(dated[0][:4]), int(dated[-1][:4]) + 1)
    name, other, length = ("month", "year", 7) if len(years) <= MOST_YEARS else ("year", "month", 4)
    asked = chosen.one("month") or chosen.one("year")
    counts, inked = Counter[str](), Counter[str]()
    for month in dated:
        counts[month[:length]] += whole[month]
        inked[month[:length]] += shown.get(month, 0) * month.startswith(asked)
    bars, bare, most = {}, chosen.replaced(**{other: ""}), max(counts.values())
    for period, count in counts.items():
        ink = inked[period]
        label = f"{formatting.month(period)}: {ink}" + (f" of {count}" if ink != count else "")
        high, low = (-(-number * HEIGHT // most) for number in (count, ink))
        query = bare.switched(name, period).query()
        bars[period] = Bar(label, ink, high, low, query, period == chosen.one("month"))
    found, without_month = [], chosen.replaced(month="")
    for year in map(str, years):
        months = [f"{year}-{month:02}" for month in range(1, 13)]
        shown_bars = list(map(bars.get, months if name == "month" else [year]))
        query = without_month.switched("year", year).query()
        found.append(HistogramYear(year, shown_bars, query, chosen.one("year") == year))
    return found
