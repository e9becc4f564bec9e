"""Numbers that titles print."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from episodes.identity import MatchKeys, merge_values, number_at_title_start, prepare_entry_for_merge
from episodes.text.numbering import prints_number

from ..resolve.build import SHOW, entry, merged

PRINTED = tomllib.loads((Path(__file__).parents[1] / "data" / "printed_numbers.toml").read_text())


@pytest.mark.parametrize("title", PRINTED["twelve"])
def test_number_at_start_of_title(title: str) -> None:
    assert number_at_title_start(title, "The Tidal Show") == 12


@pytest.mark.parametrize("title", PRINTED["zero"])
def test_number_zero(title: str) -> None:
    assert number_at_title_start(title, "The Tidal Show") == 0


def test_number_zero_is_a_value() -> None:
    assert merged(entry("#00")).number == 0


@pytest.mark.parametrize("title", PRINTED["none"])
def test_title_without_number(title: str) -> None:
    assert number_at_title_start(title, "The Tidal Show") is None


def test_show_without_name() -> None:
    assert number_at_title_start("Ep. 12: Glass", "") == 12
    assert number_at_title_start("12", "") is None


def test_number_is_read_from_one_title() -> None:
    result = merged(entry("Ep. 5: Glass"))
    assert (result.season, result.number) == (None, 5)
    assert (result.provenance["number"].source, result.provenance["number"].locked) == ("feed", False)


def test_number_behind_name_of_show() -> None:
    assert merged(entry("The Widget Show - 5 - Glass")).number == 5


def test_declared_number_wins() -> None:
    assert merged(entry("Ep. 5: Glass", number=7)).number == 7
    assert merged(entry("S2E5: Glass", season=3, number=7)).number == 7


def test_declared_season_stays() -> None:
    result = merged(entry("Ep. 5: Glass", season=3))
    assert (result.season, result.number) == (3, 5)


def test_curators_number_wins() -> None:
    result = merged(entry("Ep. 5: Glass"), number="99")
    assert (result.number, result.provenance["number"].locked) == (99, True)
    assert result.provenance["number"].others == (("5", ("feed",)),)


@pytest.mark.parametrize("kind, number", [("", 5), ("full", 5), ("trailer", None), ("bonus", None)])
def test_trailer_has_no_printed_number(kind: str, number: int | None) -> None:
    assert merged(entry("Ep. 5: Glass", episode_type=kind)).number == number


def test_title_of_directory_gives_no_number() -> None:
    """Its numbers may be ranks."""
    page = entry("5: Glass", source="page", is_publisher=False)
    assert merged(entry("Glass"), page).number is None
    assert merged(entry("Glass"), entry("Glass", source="page", is_publisher=False, number=5)).number == 5


def test_other_titles_do_not_matter() -> None:
    """A title in an order of its own keeps its number, and an equal number is no reason to drop one."""
    titles = ["Ep. 9: Glass", "Ep. 2: Looms", "Ep. 2: Looms again"]
    entries: list[Any] = [entry(title, published=f"2021-01-0{day}") for day, title in enumerate(titles, 1)]
    numbers = [merge_values([prepare_entry_for_merge(one, MatchKeys(one.values, SHOW))], {}).number for one in entries]
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
