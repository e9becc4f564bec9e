"""Numbers that titles print."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from episodes.identity import MatchKeys, merge_values, number_at_title_start, ranked_entry_with_text_and_number
from episodes.text.numbering import prints_number

from ..resolve.build import SHOW, entry

PRINTED = tomllib.loads((Path(__file__).parents[1] / "data" / "printed_numbers.toml").read_text())


NUMBERS = {"twelve": 12, "zero": 0, "none": None}


@pytest.mark.parametrize("title, number", [(title, NUMBERS[name]) for name in NUMBERS for title in PRINTED[name]])
def test_number_at_start_of_title(title: str, number: int | None) -> None:
    assert number_at_title_start(title, "The Tidal Show") == number


def test_show_without_name() -> None:
    assert number_at_title_start("Ep. 12: Glass", "") == 12
    assert number_at_title_start("12", "") is None


def test_other_titles_do_not_matter() -> None:
    """A title in an order of its own keeps its number, and an equal number is no reason to drop one."""
    titles = ["Ep. 9: Glass", "Ep. 2: Looms", "Ep. 2: Looms again"]
    entries: list[Any] = [entry(title, published=f"2021-01-0{day}") for day, title in enumerate(titles, 1)]
    numbers = [
        merge_values([ranked_entry_with_text_and_number(one, MatchKeys(one.values, SHOW))], {}).number
        for one in entries
    ]
    assert numbers == [9, 2, 2]


@pytest.mark.parametrize(
    "title, season, number, is_printed",
    [
        ("KP #193: Glass", None, 193, True), ("007: Glass", None, 7, True), ("Glass", None, 7, False),
        ("Glass in 1970", None, 7, False), ("S2 E5: Glass", 2, 5, True), ("S2 E5: Glass", 3, 5, False),
        ("5: Glass", 2, 5, False),
    ],
)  # fmt: skip
def test_title_has_number(title: str, season: int | None, number: int, is_printed: bool) -> None:
    assert prints_number(title, season, number) == is_printed
