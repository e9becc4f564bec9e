"""The months of a list as bars: how many episodes each has, and how many of them pass the filters."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..text import formatting
from .facets import share_of_largest
from .selection import Selection

_MAX_YEARS = 10  # the filter of the year has all of them


@dataclass(frozen=True)
class MonthBar:
    """The bar of a month. Heights are of 40."""

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


def build_bars_of_years(
    all_counts_by_month: Mapping[str, int],
    filtered_counts_by_month: Mapping[str, int],
    selection: Selection,
) -> list[YearOfBars]:
    """Return the years from the first episode to the last, at most the last ten, with a bar a month.

    Both mappings have the number of episodes of months such as `2021-03`.
    `filtered_counts_by_month` has the episodes that pass all filters but year and month. Return [] if
    fewer than two of them have a date.
    """
    months = sorted(month for month in all_counts_by_month if month)
    # A picture of one episode would say less than its date.
    if sum(filtered_counts_by_month.get(month, 0) for month in months) < 2:
        return []
    first_year, last_year = int(months[0][:4]), int(months[-1][:4])
    bars = _bars_by_month(months, all_counts_by_month, filtered_counts_by_month, selection)
    without_month = selection.without("month")
    years = []
    for number in range(max(first_year, last_year - _MAX_YEARS + 1), last_year + 1):
        year = str(number)
        bars_of_year = [bars.get(f"{year}-{month:02}") for month in range(1, 13)]
        query = without_month.switched("year", year).query()
        years.append(YearOfBars(year, bars_of_year, query, selection.first("year") == year))
    return years


def _bars_by_month(
    months: list[str],
    all_counts_by_month: Mapping[str, int],
    filtered_counts_by_month: Mapping[str, int],
    selection: Selection,
) -> dict[str, MonthBar]:
    """Return the bar of each month, by month such as `2021-03`. Months outside the selected period are empty."""
    selected_period = selection.first("month") or selection.first("year")
    without_year = selection.without("year")
    largest = max(all_counts_by_month[month] for month in months)
    bars = {}
    for month in months:
        total = all_counts_by_month[month]
        passing = 0
        if month.startswith(selected_period):
            passing = filtered_counts_by_month.get(month, 0)
        label = f"{formatting.format_month(month)}: {passing}"
        if passing != total:
            label += f" of {total}"
        bars[month] = MonthBar(
            label,
            passing,
            share_of_largest(total, largest, steps=40),
            share_of_largest(passing, largest, steps=40),
            without_year.switched("month", month).query(),
            month == selection.first("month"),
        )
    return bars
