"""A feed in which much changed at once is stopped, and is taken when the change stays: no feed is refused for ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from episodes.ingest import Options, Report, Target, ingest
from episodes.models import Episode, Item

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
        at = datetime(2026, 1, day, 12, tzinfo=UTC)
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


def test_a_state_that_grows_is_taken_at_once(read: Read) -> None:
    read(1, WHOLE)
    assert outcomes(read, (2, SHRUNK), (2, [item("New", "new"), *SHRUNK])) == ["refused", "taken"]
    assert Episode.objects.count() == len(WHOLE) + 1


def test_an_accident_between_good_readings_is_forgotten(read: Read) -> None:
    read(1, WHOLE)
    assert outcomes(read, (2, SHRUNK), (3, WHOLE), (4, SHRUNK), (5, WHOLE[:-1]), (6, SHRUNK)) == [
        "refused", "unchanged", "refused", "taken", "refused",
    ]  # fmt: skip


def test_states_that_differ_from_day_to_day_are_not_taken(read: Read) -> None:
    read(1, WHOLE)
    others = [WHOLE[:2], WHOLE[2:4], WHOLE[4:]]
    assert outcomes(read, *enumerate(others, 2)) == ["refused"] * 3


def test_a_feed_whose_only_item_was_replaced_goes_on_after_three_days(read: Read) -> None:
    read(1, [item("Test upload", "test")])
    first = [item("The first real one", "real")]
    assert outcomes(read, (2, first), (3, first), (4, first)) == ["refused", "refused", "taken"]


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


def test_a_state_that_was_an_accident_once_can_stay_later(read: Read) -> None:
    read(1, WHOLE)
    assert outcomes(read, (2, SHRUNK), (3, WHOLE[:-1]), (4, WHOLE)) == ["refused", "taken", "taken"]
    assert outcomes(read, (5, SHRUNK), (6, SHRUNK), (7, SHRUNK)) == ["refused", "refused", "taken"]
