"""The show month by month: how many episodes each month had, and how many of those are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from operator import itemgetter
from typing import NamedTuple

from ...text import formatting
from .selection import Selection

HEIGHT = 40
MOST_YEARS = 10  # shown month by month; of more, only the chosen one


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
    """Every year from the first episode to the last, also those without any.

    `whole` counts all episodes by months such as `2021-03`, `shown` those that pass all filters but
    year and month.
    """
    dated = sorted(filter(None, whole))
    if not dated:
        return []
    asked = chosen.one("month") or chosen.one("year")
    years = [f"{year:04}" for year in range(int(dated[0][:4]), int(dated[-1][:4]) + 1)]
    by_month = years if len(years) <= MOST_YEARS else [asked[:4]]
    counts, inked = Counter[str](), Counter[str]()
    for month in dated:
        period = month if month[:4] in by_month else month[:4]
        counts[period] += whole[month]
        inked[period] += shown.get(month, 0) if month.startswith(asked) else 0
    bars = _bars(counts, inked, chosen)
    found = []
    for year in years:
        periods = [f"{year}-{month:02}" for month in range(1, 13)] if year in by_month else [year]
        query = chosen.replaced(month="").switched("year", year).query()
        found.append(
            HistogramYear(
                year, [bars.get(period) for period in periods], query, chosen.one("year") == year
            )
        )
    return found


def _bars(counts: Mapping[str, int], inked: Mapping[str, int], chosen: Selection) -> dict[str, Bar]:
    """The bars of months and years with these numbers of episodes; the highest month and the
    highest year are as high."""
    most = {len(period): count for period, count in sorted(counts.items(), key=itemgetter(1))}

    def height(period: str, count: int) -> int:
        return max(2, round(count * HEIGHT / most[len(period)])) if count else 0

    bars = {}
    for period, count in counts.items():
        ink = inked[period]
        label = f"{formatting.month(period)}: {ink}" + (f" of {count}" if ink != count else "")
        one, other = ("month", "year") if "-" in period else ("year", "month")
        query = chosen.replaced(**{other: ""}).switched(one, period).query()
        bars[period] = Bar(
            label,
            ink,
            height(period, count),
            height(period, ink),
            query,
            period == chosen.one("month"),
        )
    return bars
