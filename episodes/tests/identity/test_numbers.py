"""Numbers and seasons of episodes: how they are read, told apart, chosen and printed."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.fields import NUMBER_FIELD, SEASON_FIELD
from episodes.identity import MatchKeys, entry_with_plain_text_and_number, merge_values, number_at_title_start
from episodes.identity.match_keys import bare_title_and_numbers
from episodes.records import EntryData
from episodes.text.numbering import SEASON_AND_NUMBER, format_numbering, prints_number, season_and_number

from ..resolve.build import SHOW, entry
from ..tables import cases

PRINTED = tomllib.loads((Path(__file__).parents[1] / "data" / "printed_numbers.toml").read_text())


NUMBERS = {"twelve": 12, "zero": 0, "none": None}


@pytest.mark.parametrize("title, number", [(title, NUMBERS[name]) for name in NUMBERS for title in PRINTED[name]])
def test_number_at_start_of_title(title: str, number: int | None) -> None:
    assert number_at_title_start(title, "The Tidal Show") == number


@pytest.mark.parametrize("show", ["Tidal | Radio Delta", "Tidal: talks by the sea", "Tidal – Talks"])
def test_title_names_show_without_subtitle(show: str) -> None:
    assert number_at_title_start("Tidal odc. 12 Glass", show) == 12
    assert number_at_title_start("Tidal 12", show) is None


def test_show_without_name() -> None:
    assert number_at_title_start("Ep. 12: Glass", "") == 12
    assert number_at_title_start("12", "") is None


def test_other_titles_do_not_matter() -> None:
    """A title in an order of its own keeps its number, and an equal number is no reason to drop one."""
    titles = ["Ep. 9: Glass", "Ep. 2: Looms", "Ep. 2: Looms again"]
    entries: list[Any] = [entry(title, published=f"2021-01-0{day}") for day, title in enumerate(titles, 1)]
    numbers = [
        merge_values([entry_with_plain_text_and_number(one, MatchKeys(one.values, SHOW))], {}).number for one in entries
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


CASES = cases("identity_numbers")


@pytest.mark.parametrize("title, bare", CASES["a_title_that_says_season_and_number_is_read_as_both"])
def test_title_with_season_and_number_gives_both(title: str, bare: str) -> None:
    assert season_and_number(title) == (2, 5)
    said = EntryData(title=title)
    assert (SEASON_FIELD.value_of_entry(said), NUMBER_FIELD.value_of_entry(said)) == (2, 5)
    assert bare_title_and_numbers(title, SHOW.title)[:3] == (bare, 2, 5)


@pytest.mark.parametrize("title", CASES["incomplete_title_gives_neither"])
def test_incomplete_title_gives_neither(title: str) -> None:
    assert season_and_number(title) is None


@given(st.text(alphabet="s2e5x0-: .(#)ép", max_size=80))
def test_no_title_invents_a_number(title: str) -> None:
    found = season_and_number(title)
    assert (found is None) == (SEASON_AND_NUMBER.search(title.strip()) is None)
    assert found is None or all(str(number) in title for number in found)


def test_declared_number_precedes_title() -> None:
    said = EntryData(title="S2E5 Springs", season=3, number=7)
    assert (SEASON_FIELD.value_of_entry(said), NUMBER_FIELD.value_of_entry(said)) == (3, 7)


@pytest.mark.parametrize(
    "season, number, words", [(2, 5, "S2 E5"), (None, 5, "5"), (2, None, "S2"), (None, None, ""), (0, 0, "S0 E0")]
)
def test_pages_write_season_and_number_together(season: int | None, number: int | None, words: str) -> None:
    assert format_numbering(season, number) == words
