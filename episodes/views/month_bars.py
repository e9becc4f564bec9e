"""The months of a list as bars: how many episodes each has, and how many of them pass the filters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..text import formatting
from .facets import share_of_largest
from .selection import Selection


@dataclass(frozen=True)
class MonthBar:
    """The bar of a month. Heights are from 0 to 40."""

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


def build_years_of_month_bars(
    all_counts_by_month: Mapping[str, int],
    filtered_counts_by_month: Mapping[str, int],
    selection: Selection,
) -> list[YearOfBars]:
    """Return the years from the first episode to the last, at most the last ten, with a bar a month.

    Both mappings have the number of episodes of months such as `2021-03`.
    `filtered_counts_by_month` has the episodes that pass all filters but year and month. Return [] if
    fewer than two of them have a date.
    """
    all_counts = _without_undated(all_counts_by_month)
    filtered_counts = _without_undated(filtered_counts_by_month)
    # A picture of one episode would say less than its date.
    if sum(filtered_counts.values()) < 2:
        return []
    months = sorted(all_counts)
    last_year = _year_of(months[-1])
    # At most the last ten years. The filter of the year beside the list has all years.
    first_year = max(_year_of(months[0]), last_year - 9)
    months_from_first_year = [month for month in months if _year_of(month) >= first_year]
    bar_by_month = _bars_by_month(months_from_first_year, all_counts, filtered_counts, selection)
    years = range(first_year, last_year + 1)
    return [_year_of_bars(str(year), bar_by_month, selection) for year in years]


def _year_of_bars(
    year: str, bar_by_month: Mapping[str, MonthBar], selection: Selection
) -> YearOfBars:
    bars = [bar_by_month.get(f"{year}-{month:02}") for month in range(1, 13)]
    # A month lies in one year, so the choice of a year takes the month off.
    query = selection.without("month").switched("year", year).query()
    return YearOfBars(year, bars, query, is_selected=selection.first("year") == year)


def _without_undated(counts_by_month: Mapping[str, int]) -> dict[str, int]:
    return {month: count for month, count in counts_by_month.items() if month}


def _year_of(month: str) -> int:
    year, _, _ = month.partition("-")
    return int(year)


def _bars_by_month(
    months: Sequence[str],
    all_counts: Mapping[str, int],
    filtered_counts: Mapping[str, int],
    selection: Selection,
) -> dict[str, MonthBar]:
    """Return the bars of months such as `2021-03`, by month. Months outside the selected period are empty."""
    # `2021-03`, else `2021`, else "". Every month starts with "".
    selected_period = selection.first("month") or selection.first("year")
    # The choice of a month takes a selected year off, because the month may be of another year.
    without_year = selection.without("year")
    largest = max(all_counts.values())
    picture_height = 40  # in the units of the template
    bar_by_month = {}
    for month in months:
        total = all_counts[month]
        passing = 0
        is_in_selected_period = month.startswith(selected_period)
        if is_in_selected_period:
            passing = filtered_counts.get(month, 0)
        # `March 2021: 2 of 5`, or `March 2021: 5` if all pass.
        label = f"{formatting.format_month(month)}: {passing}"
        if passing != total:
            label += f" of {total}"
        bar_by_month[month] = MonthBar(
            label=label,
            count=passing,
            full_height=share_of_largest(total, largest, steps=picture_height),
            filled_height=share_of_largest(passing, largest, steps=picture_height),
            query=without_year.switched("month", month).query(),
            is_selected=month == selection.first("month"),
        )
    return bar_by_month
