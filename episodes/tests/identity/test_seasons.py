"""Shows that count by seasons: how seasons are read, told apart, chosen and ordered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.fields import NUMBER_FIELD, SEASON_FIELD
from episodes.identity.match_keys import bare_title_and_numbers
from episodes.records import EntryData
from episodes.text.numbering import SEASON_AND_NUMBER, format_numbering, season_and_number

from ..resolve.build import SHOW
from ..tables import cases

CASES = cases("identity_seasons")


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
