"""A feed in which much changed at once is stopped, and is taken when the change stays: no feed is refused for ever."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.ingest import Options, Report, Target, ingest
from episodes.ingest.guard import implausible
from episodes.models import Episode, Item
from episodes.records import EntryData

from .test_identity_of_feeds import SHOW, feed, item

pytestmark = pytest.mark.django_db
Read = Callable[..., Report]

WHOLE = [item(f"Episode about {word}", word) for word in ("ants", "bees", "cats", "dogs", "eels", "frogs")]
SHRUNK = WHOLE[:2]
REPLACED = [item("Quite another", "x1"), item("And one more", "x2")]


@pytest.fixture
def read(ready: None, tmp_path: Path) -> Read:
    def on(day: int, items: Sequence[str], title: str = SHOW, *, accept: bool = False) -> Report:
        path = tmp_path / "feed.xml"
        path.write_text(feed(title, *items))
        at = datetime(2026, 1, 1, 12, tzinfo=UTC) + timedelta(days=day - 1)
        options = Options(source="feed", accept=accept)
        (report,) = ingest([Target("feed.xml", path=path)], options, lambda: at)
        return report

    return on


def outcomes(read: Read, *readings: tuple[int, Sequence[str]], title: str = SHOW) -> list[str]:
    return [read(day, items, title).outcome for day, items in readings]


def test_the_same_state_on_three_days_is_taken(read: Read) -> None:
    read(1, WHOLE)
    assert outcomes(read, (2, SHRUNK), (2, SHRUNK), (3, SHRUNK), (3, SHRUNK)) == ["refused"] * 4
    assert outcomes(read, (4, SHRUNK), (5, SHRUNK)) == ["taken", "unchanged"]
    assert Episode.objects.count() == len(WHOLE), "nothing known is deleted"
    assert Item.objects.filter(gone_version=None).count() == len(SHRUNK)


NEW = item("New", "new")


@pytest.mark.parametrize(
    "stopped, later, outcome",
    [
        (SHRUNK, [NEW, *SHRUNK], "taken"),
        (SHRUNK, [NEW, item("Newer", "newer"), WHOLE[0]], "refused"),  # one of those that were stopped is gone
        (SHRUNK, [NEW, item("Quite another", "ants"), item("And one more", "bees")], "refused"),
        (REPLACED, [NEW, *REPLACED], "refused"),  # nothing ties them to the show
    ],
)
def test_a_state_that_only_grows_is_taken_at_once(
    read: Read, stopped: Sequence[str], later: Sequence[str], outcome: str
) -> None:
    read(1, WHOLE)
    assert outcomes(read, (2, stopped), (2, later), title="Renamed") == ["refused", outcome]


def test_an_accident_between_good_readings_is_forgotten(read: Read) -> None:
    read(1, WHOLE)
    assert outcomes(read, (2, SHRUNK), (3, WHOLE), (4, SHRUNK), (5, WHOLE[:-1]), (6, SHRUNK)) == [
        "refused", "unchanged", "refused", "taken", "refused",
    ]  # fmt: skip


def test_states_that_differ_from_day_to_day_are_not_taken(read: Read) -> None:
    read(1, WHOLE)
    others = [WHOLE[:2], WHOLE[2:4], WHOLE[4:]]
    assert outcomes(read, *enumerate(others, 2)) == ["refused"] * 3


def test_a_renamed_feed_of_unknown_items_waits_for_a_person(read: Read) -> None:
    read(1, WHOLE)
    days = range(2, 9)
    assert outcomes(read, *((day, REPLACED) for day in days), title="Renamed") == ["refused"] * 7
    assert read(9, REPLACED, "Renamed", accept=True).outcome == "taken"
    assert Episode.objects.count() == len(WHOLE) + len(REPLACED)


def test_a_renamed_feed_that_keeps_some_items_is_taken_after_three_days(read: Read) -> None:
    read(1, WHOLE)
    state = [*REPLACED, WHOLE[0]]
    assert outcomes(read, (2, state), (3, state), (4, state), title="Renamed") == ["refused", "refused", "taken"]


def test_days_on_which_nothing_could_be_read_do_not_count(read: Read, tmp_path: Path) -> None:
    read(1, WHOLE)
    for day in (2, 3):
        (tmp_path / "feed.xml").write_text(feed(SHOW, *SHRUNK)[:-20])
        at = datetime(2026, 1, day, 12, tzinfo=UTC)
        target = Target("feed.xml", path=tmp_path / "feed.xml")
        (report,) = ingest([target], Options(source="feed"), partial(datetime.fromisoformat, at.isoformat()))
        assert report.outcome == "refused"
    assert outcomes(read, (4, SHRUNK), (5, SHRUNK)) == ["refused", "refused"]


# -- a feed that lists its newest entries only ----------------------------------------------------------------------------


SIZES = (1, 3, 10, pytest.param(50, marks=pytest.mark.long))


def daily(day: int, word: str = "News") -> str:
    """The entry of a day."""
    at = datetime(2026, 1, 1, 6, tzinfo=UTC) + timedelta(days=day - 1)
    return (
        f"<item><title>{word} of day {day}</title><guid>{word}-{day}</guid><pubDate>{at:%d %b %Y %H:%M:%S} GMT</pubDate>"
        f"<description>{word} that nobody had heard before the morning of day {day}.</description></item>"
    )


def window(day: int, size: int) -> list[str]:
    """The newest entries of a day, the newest first."""
    return [daily(one) for one in reversed(range(day - size + 1, day + 1))]


@pytest.mark.parametrize("size", SIZES)
def test_a_list_of_the_newest_moves_on_after_any_pause(read: Read, size: int) -> None:
    day = 50
    outcomes(read, (day, window(day, size)), (day + 1, window(day + 1, size)), (day + 2, window(day + 2, size)))
    for pause in (1, size // 2 + 1, size, size + 1, 60):
        day += 2 + pause
        assert read(day, window(day, size)).outcome == "taken", pause
    assert Episode.objects.filter(title=f"News of day {day}").exists()


@pytest.mark.parametrize("size", SIZES)
def test_a_list_that_was_never_seen_to_move_does_so_within_three_days(read: Read, size: int) -> None:
    read(50, window(50, size))
    first = 50 + size + 60
    after = outcomes(read, *((day, window(day, size)) for day in range(first, first + 4)))
    assert after[2:] == ["taken", "taken"]
    assert (after[0] == "taken") == (size == 1), "with one place every new entry takes it"
    assert Episode.objects.count() >= 2 * size


def test_a_list_of_the_newest_is_guarded_as_any_other(read: Read) -> None:
    outcomes(read, *((day, window(day, 10)) for day in (50, 51, 52)))
    older = window(44, 10)
    another = [daily(day, "Recipe") for day in reversed(range(100, 110))]
    same_guids = [
        entry.replace("News of", "Recipes of").replace("News that", "Dishes that") for entry in window(52, 10)
    ]
    assert read(60, older).outcome == "refused", "an older copy from a cache"
    assert read(60, window(60, 3)).outcome == "refused", "most places are empty"
    assert read(60, same_guids).outcome == "refused", "other entries under the guids of those known"
    assert read(60, another, "Cooking with Ann").outcome == "refused", "another show"
    assert read(60, []).outcome == "refused", "nothing"
    assert read(60, window(60, 10)).outcome == "taken"


def entries(days: range) -> dict[str, EntryData]:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    said = [EntryData(title=f"Day {n}", guid=f"{n}", published=(at + timedelta(days=n)).isoformat()) for n in days]
    return {f"guid:{one.guid}": one for one in said}


@given(st.integers(1, 60), st.integers(1, 60))
def test_a_list_moves_on_and_never_back(size: int, pause: int) -> None:
    before, now = entries(range(size)), entries(range(pause, pause + size))
    undated, once = (
        {key: EntryData(title=said.title, guid=said.guid) for key, said in some.items()} for some in (now, before)
    )
    assert not implausible(before, now, moves=True)
    for another in (
        implausible(before, now),
        implausible(now, before, moves=True),
        implausible(before, undated, moves=True),
        implausible(once, now, moves=True),
    ):
        assert bool(another) == (min(pause, size) * 2 > size)


def said(*names: str, **more: Any) -> dict[str, EntryData]:
    return {name: EntryData(title=name, text=f"About {name}.", **more) for name in names}


@pytest.mark.parametrize(
    "now, options, stops",
    [
        ("ab", {}, False),
        ("a", {}, True),
        ("abcdefgh", {}, False),
        # A page of the newest loses its oldest, unless nothing is left of it.
        ("awxy", {}, True),
        ("awxy", {"complete": False}, False),
        ("a", {"complete": False}, True),
        ("wxyz", {"complete": False}, True),
    ],
)
def test_over_half_of_a_version_may_not_vanish_at_once(now: str, options: dict[str, bool], stops: bool) -> None:
    assert bool(implausible(said(*"abcd"), said(*now), **options)) == stops


@pytest.mark.parametrize("field", ["guid", "audio_url", "url"])
@pytest.mark.parametrize("lies, is_strict, stops", [(2, True, False), (3, True, True), (3, False, False)])
def test_another_guid_file_or_page_is_a_change_where_the_guard_is_strict(
    field: str, lies: int, is_strict: bool, stops: bool
) -> None:
    before = said(*"abcde", **{field: "https://bees.example/1"})
    now = before | said(*"abcde"[:lies], **{field: "https://lies.example/2"})
    assert bool(implausible(before, now, strict=is_strict)) == stops
    assert not implausible(said(*"abcde"), now, strict=True), "what fills a blank is no change"


@pytest.mark.parametrize("title, text, stops", [("new", "old", False), ("old", "new", False), ("new", "new", True)])
def test_an_entry_is_another_where_title_and_text_both_changed(title: str, text: str, stops: bool) -> None:
    before, now = EntryData(title="old", text="old"), EntryData(title=title, text=text)
    assert bool(implausible({"key": before}, {"key": now})) == stops
    assert not implausible({"key": EntryData(guid="1")}, {"key": now}), "what fills a blank is no change"


# -- guids that name nothing ----------------------------------------------------------------------------------------------


def weekly(number: int, guid: object) -> str:
    at = datetime(2026, 1, 5, 6, tzinfo=UTC) + timedelta(weeks=number)
    return (
        f"<item><title>Topic {number} explained</title><guid>{guid}</guid><pubDate>{at:%d %b %Y %H:%M:%S} GMT</pubDate>"
        f"<description>Notes of {number}.</description></item>"
    )


def known(read: Read, *versions: Sequence[str]) -> dict[str, str]:
    """The titles and addresses of all episodes after these versions; no address may have led to another one before."""
    ledger: dict[str, str] = {}
    for day, items in enumerate(versions, 1):
        read(day, items, accept=True)
        now = dict(Episode.objects.values_list("slug", "title"))
        assert {slug: title for slug, title in now.items() if slug in ledger} == ledger
        ledger = now
    return ledger


def test_a_guid_that_is_used_again_is_another_episode(read: Read) -> None:
    before = [weekly(number, f"g{number}") for number in (3, 2, 1)]
    assert len(known(read, before, [weekly(4, "g3"), *before[1:]])) == 4


def test_guids_that_are_places_in_a_list_lose_no_episode(read: Read) -> None:
    versions = [[weekly(newest - place, place) for place in range(5)] for newest in (5, 6, 7, 9, 16)]
    assert len(known(read, *versions)) == 14


def test_an_episode_that_is_corrected_under_its_guid_stays_one(read: Read) -> None:
    before, after = weekly(1, "g1"), weekly(2, "g1")
    day, notes = ("12 Jan", "19 Jan"), ("Notes of 1", "Notes of 2")
    assert day[0] in before
    for changed in (after.replace(day[1], day[0]), after.replace(notes[1], notes[0]), after.replace("2 exp", "1 exp")):
        read(1, [before], accept=True)
        read(2, [changed], accept=True)
        assert Episode.objects.count() == 1
