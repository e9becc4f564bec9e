"""The months of a list as bars: how many episodes each has, and how many of them pass the filters."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ..text import formatting
from .facets import share_of_largest
from .selection import Selection


@dataclass(frozen=True)
class MonthBar:
    """The bar of a month, or of a year if there are many years. Heights are of 40."""

    label: str
    count: int  # of the episodes that pass the filters
    full_height: int
    filled_height: int
    query: str
    is_selected: bool


@dataclass(frozen=True)
class YearOfBars:
    """A year with a bar for each of its months, None for a month without episodes."""

    year: str
    bars: list[MonthBar | None]
    query: str
    is_selected: bool


def bars_by_year(
    all_counts: Mapping[str, int], filtered_counts: Mapping[str, int], selection: Selection
) -> list[YearOfBars]:
    """Return every year from the first episode to the last, also years without any.

    Both mappings have the number of episodes of months such as `2021-03`. `filtered_counts` are of
    episodes that pass all filters but year and month. Return [] if fewer than two of them have a
    date.
    """
    months = sorted(month for month in all_counts if month)
    # A picture of one episode would say less than its date.
    if sum(filtered_counts.get(month, 0) for month in months) < 2:
        return []
    first_year, last_year = int(months[0][:4]), int(months[-1][:4])
    by_month = last_year - first_year < 10  # more years have one bar each
    bars = _bars_by_period(all_counts, filtered_counts, selection, by_month=by_month)
    without_month = selection.without("month")
    years = []
    for number in range(first_year, last_year + 1):
        year = str(number)
        periods = [year]
        if by_month:
            periods = [f"{year}-{month:02}" for month in range(1, 13)]
        query = without_month.switched("year", year).query()
        is_selected = selection.first("year") == year
        years.append(YearOfBars(year, [bars.get(period) for period in periods], query, is_selected))
    return years


def _bars_by_period(
    all_counts: Mapping[str, int],
    filtered_counts: Mapping[str, int],
    selection: Selection,
    *,
    by_month: bool,
) -> dict[str, MonthBar]:
    """Return the bars of months, or of years, by `2021-03` or `2021`."""
    selected_period = selection.first("month") or selection.first("year")
    totals, filtered_totals = Counter[str](), Counter[str]()
    for month in all_counts:
        if month:
            period = month if by_month else month[:4]
            totals[period] += all_counts[month]
            if month.startswith(selected_period):
                filtered_totals[period] += filtered_counts.get(month, 0)

    parameter, conflicting = ("month", "year") if by_month else ("year", "month")
    base = selection.without(conflicting)
    largest = max(totals.values())
    bars = {}
    for period, total in totals.items():
        filtered = filtered_totals[period]
        label = f"{formatting.format_month(period)}: {filtered}"
        if filtered != total:
            label += f" of {total}"
        bars[period] = MonthBar(
            label,
            filtered,
            share_of_largest(total, largest, steps=40),
            share_of_largest(filtered, largest, steps=40),
            base.switched(parameter, period).query(),
            period == selection.first("month"),
        )
    return bars
