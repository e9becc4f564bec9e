"""Shows that count by seasons: how seasons are read, told apart, chosen and ordered."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.fields import NUMBER_FIELD, SEASON_FIELD
from episodes.identity.match_keys import bare_title
from episodes.records import EntryData
from episodes.text.numbering import SEASON_AND_NUMBER, format_numbering, season_and_number

from ..resolve.build import LONG, OTHER, SHOW, entry, episode, merged, names, outcome
from ..tables import cases

CASES = cases("identity_seasons")


@pytest.mark.parametrize("title, bare", CASES["a_title_that_says_season_and_number_is_read_as_both"])
def test_title_with_season_and_number_gives_both(title: str, bare: str) -> None:
    assert season_and_number(title) == (2, 5)
    said = EntryData(title=title)
    assert (SEASON_FIELD.value_of_entry(said), NUMBER_FIELD.value_of_entry(said)) == (2, 5)
    assert bare_title(title, SHOW.title)[:3] == (bare, 2, 5)


@pytest.mark.parametrize("kind, number", [("", 4), ("full", 4), ("trailer", None), ("bonus", None)])
def test_a_list_counts_no_trailer_or_bonus(kind: str, number: int | None) -> None:
    page = entry("S2E4: Springs", source="page")
    result = merged(entry("Springs", season=2, episode_type=kind), page)
    assert (result.season, result.number) == (2, number)
    assert merged(entry("S2E4: Springs", episode_type=kind)).number == number
    assert merged(entry("Springs", season=2, number=7, episode_type=kind), page).number == 7  # by hand


@pytest.mark.parametrize(
    "title",
    ["Springs", "5. Springs", "Episode 5", "16x16 tiles", "4x12 Springs", "Season 2 finale", "S2", "1920x1080", "x05",
     "Is2E5 Springs", "S2E5Springs", "2 seasons, 5 episodes", "3 t 5 e", "Planks of 2x12 - oak"],
)  # fmt: skip
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
    "title", ["Springs (S2E5)", "Springs | Season 2, Episode 5", "Springs, S02-E05", "Loom Hour 2x05 – Springs"]
)
def test_season_and_number_are_read_anywhere(title: str) -> None:
    assert season_and_number(title) == (2, 5)
    assert (merged(entry(title)).season, merged(entry(title)).number) == (2, 5)


def test_numbers_of_several_seasons_are_different_episodes() -> None:
    one, other = (
        entry("Springs", LONG, season=1, number=5),
        entry("Springs", LONG, source="listing", season=2, number=5),
    )
    assert outcome(one, other) == "held"
    assert outcome(entry("Springs", LONG, number=5), entry("Springs", LONG, source="listing", number=5)) == "same"
    assert outcome(one, entry("Springs", LONG, source="listing", season=1, number=5)) == "same"


def test_directorys_own_count_is_no_contradiction() -> None:
    said: dict[str, Any] = {"day": "2021-06-01", "seconds": 900}
    feed = entry("Springs", season=2, number=3, **said)
    assert outcome(feed, entry("S2-E1: Springs", source="listing", **said)) == "same"
    assert outcome(feed, entry("Springs", source="listing", number=17, **said)) == "same"
    assert outcome(feed, entry("S2-E1: Springs", source="listing", day="2021-06-01")) == "held"
    assert outcome(feed, entry("S2-E1: Springs", source="listing", day="2021-06-02", seconds=900)) == "held"


def test_misnumbered_feed_agrees_with_its_titles() -> None:
    feed = entry("Episode 133: Springs", number=134, day="2021-06-01")
    assert outcome(feed, entry("Episode 133: Springs", source="listing", day="2021-06-01")) == "same"
    assert outcome(feed, entry("Episode 131: Springs", source="listing", day="2021-06-01")) == "held"


def test_feed_seasons_yield_to_titles() -> None:
    feed = entry("S1 Afl 14: Springs", season=3, day="2021-06-01")
    for title, found in (
        ("S1 Afl 14: Springs", "same"),
        ("S2 Afl 14: Springs", "held"),
        ("S1 Afl 13: Springs", "held"),
    ):
        assert outcome(feed, entry(title, source="listing", day="2021-06-01")) == found


def test_running_numbers_are_no_season_conflict() -> None:
    result = merged(entry("Springs", season=2, number=5), entry("Springs", source="other", number=17))
    assert (result.season, result.number, result.conflicts) == (2, 5, ())
    result = merged(entry("Springs", season=2, number=5), entry("Springs", source="other", season=2, number=6))
    assert [conflict.field for conflict in result.conflicts] == ["number"]


def test_season_follows_shown_number() -> None:
    through = entry("Springs", number=17)
    assert merged(through, entry("Springs", source="other", season=2, number=5)).season is None
    assert merged(through, entry("Springs", source="other", season=2, number=17)).season == 2
    assert merged(through, entry("Springs", source="other", season=2)).season == 2


def test_seasons_order_by_number_and_date() -> None:
    assert (
        names(
            episode("a", 1, season=1), episode("b", 2, season=1), episode("c", 1, season=2), episode("d", 2, season=2)
        )
        == "dcba"
    )
    assert names(episode("a", 2, day=9, season=1), episode("b", 1, day=3, season=2)) == "ba"
    assert names(episode("a", 1, day=1, season=1), episode("b", 1, day=2, season=1)) == "ba"


def test_date_places_episode_without_season() -> None:
    counted = [episode("a", 1, day=1, season=1), episode("b", 2, day=3, season=1), episode("c", 1, day=7, season=2)]
    assert names(*counted, episode("x", 9, day=5, season=None), episode("y", None, day=2, season=2)) == "cxbya"


@pytest.mark.parametrize(
    "season, number, words", [(2, 5, "S2 E5"), (None, 5, "5"), (2, None, "S2"), (None, None, ""), (0, 0, "S0 E0")]
)
def test_pages_write_season_and_number_together(season: int | None, number: int | None, words: str) -> None:
    assert format_numbering(season, number) == words


def test_season_and_number_alone_join_nothing() -> None:
    one = entry("Springs", LONG, season=1, number=5)
    assert outcome(one, entry("Gears", OTHER, source="listing", season=1, number=5)) != "same"
