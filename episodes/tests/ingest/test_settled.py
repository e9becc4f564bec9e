"""A feed in which too much changed at once waits for a person, but for its new entries."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from episodes.ingest import ImportOptions, ImportReport, ImportTarget, import_targets
from episodes.models import Episode, Item, Source

from .test_identity_of_feeds import SHOW, feed

pytestmark = pytest.mark.django_db
Read = Callable[..., ImportReport]
HOME = "https://feeds.example/talks"


def item(title: str, guid: str, text: str = "") -> str:
    notes = text or f"Everything about {title}, from the beginning to the end."
    return (
        f"<item><title>{title}</title><guid>{guid}</guid><pubDate>01 Feb 2024 10:00:00 GMT</pubDate>"
        f"<description>{notes}</description></item>"
    )


WHOLE = [item(f"Episode about {word}", word) for word in ("ants", "bees", "cats", "dogs", "eels", "frogs")]
SHRUNK = WHOLE[:2]
NEW = item("Episode about geese", "geese")
STRANGE = [item("Quite another", "x1"), item("And one more", "x2")]


@pytest.fixture
def read(ready: None, tmp_path: Path) -> Read:
    """Import a version of the show's feed on a day of January, by default from its own address."""
    Source.objects.filter(slug="feed").update(address=HOME)

    def on(
        day: int, items: Sequence[str], title: str = SHOW, *, accept: bool = False, address: str = HOME
    ) -> ImportReport:
        path = tmp_path / "feed.xml"
        path.write_text(feed(title, *items))
        at = datetime(2026, 1, 1, 12, tzinfo=UTC) + timedelta(days=day - 1)
        options = ImportOptions(url=address, source="" if address else "feed", accept=accept)
        (report,) = import_targets([ImportTarget("feed.xml", path=path)], options, lambda: at)
        return report

    return on


def outcomes(read: Read, *readings: tuple[int, Sequence[str]], title: str = SHOW, **more: str) -> list[str]:
    return [read(day, items, title, **more).outcome for day, items in readings]


def listed() -> set[str]:
    """The keys of the entries that the feed has, as the catalog knows."""
    return {key.removeprefix("guid:") for key in Item.objects.filter(gone_version=None).values_list("key", flat=True)}


SAME = "Everything about Episode about {}, from the beginning to the end."
WORDS = {"ants", "bees", "cats", "dogs", "eels", "frogs"}


@pytest.mark.parametrize(
    "items, outcome",
    [
        (WHOLE[:3], "taken"),  # half
        (WHOLE[:2], "refused"),
        ([], "refused"),
        ([NEW, *WHOLE], "taken"),
        ([item(f"About {word}", word, SAME.format(word)) for word in sorted(WORDS)], "taken"),  # retitled
        ([item("Another title", word, f"Rewritten {word}") for word in sorted(WORDS)], "refused"),
        ([item(f"Episode about {word}", f"new-{word}") for word in sorted(WORDS)], "taken"),
    ],
)
def test_too_much_at_once_is_refused(read: Read, items: Sequence[str], outcome: str) -> None:
    read(1, WHOLE)
    assert read(2, items).outcome == outcome


def test_person_can_accept(read: Read) -> None:
    read(1, WHOLE)
    assert outcomes(read, (2, SHRUNK), (3, STRANGE), title="Renamed") == ["refused", "refused"]
    assert read(4, SHRUNK, accept=True).outcome == "taken"
    assert listed() == {"ants", "bees"}
    assert Episode.objects.filter(title__startswith="Episode about").count() == len(WHOLE), "nothing is deleted"


def test_person_can_accept_empty_feed(read: Read) -> None:
    read(1, WHOLE)
    assert read(2, [], accept=True).outcome == "taken"
    assert listed() == set()


def test_new_entries_of_refused_feed_are_taken(read: Read) -> None:
    read(1, WHOLE)
    report = read(2, [NEW, *SHRUNK])
    assert (report.outcome, report.acceptable) == ("refused", True)
    assert "1 new item was imported" in report.reason
    assert Episode.objects.filter(title="Episode about geese").exists()
    assert listed() == {*WORDS, "geese"}, "the known ones stay"
    assert "new item" not in read(3, [NEW, *SHRUNK]).reason


def test_known_entries_keep_their_values(read: Read) -> None:
    read(1, WHOLE)
    rewritten = [item("Another title", word, f"Rewritten {word}") for word in sorted(WORDS)]
    read(2, [NEW, *rewritten])
    assert not Episode.objects.filter(title="Another title").exists()
    assert Episode.objects.count() == len(WHOLE) + 1


def test_known_entry_under_new_guid_is_not_new(read: Read) -> None:
    read(1, WHOLE)
    report = read(2, [NEW, item("Episode about ants", "moved-ants")])
    assert "1 new item was imported" in report.reason
    assert Episode.objects.count() == len(WHOLE) + 1


def test_version_of_new_entries_is_accepted_whole(read: Read) -> None:
    read(1, WHOLE)
    read(2, [NEW, *SHRUNK])
    assert read(3, [NEW, *SHRUNK], accept=True).outcome == "taken"
    assert listed() == {"ants", "bees", "geese"}
    assert read(4, [NEW, *SHRUNK]).outcome == "unchanged"


def test_file_gives_no_new_entries_if_refused(read: Read) -> None:
    read(1, WHOLE, address="")
    assert outcomes(read, *((day, [NEW, *SHRUNK]) for day in (2, 3, 4, 5)), address="") == ["refused"] * 4
    assert not Episode.objects.filter(title="Episode about geese").exists()


def test_same_entries_on_three_days_are_taken(read: Read) -> None:
    read(1, WHOLE)
    assert outcomes(read, (2, SHRUNK), (2, SHRUNK), (3, SHRUNK), (3, SHRUNK)) == ["refused"] * 4
    assert outcomes(read, (4, SHRUNK), (5, SHRUNK)) == ["taken", "unchanged"]
    assert Episode.objects.count() == len(WHOLE), "nothing known is deleted"
    assert listed() == {"ants", "bees"}


def test_same_entries_with_new_ones_are_taken(read: Read) -> None:
    read(1, WHOLE)
    items = [NEW, *SHRUNK]
    assert outcomes(read, (2, items), (3, items), (4, items)) == ["refused", "refused", "taken"]
    assert listed() == {"ants", "bees", "geese"}


@pytest.mark.parametrize(
    "readings",
    [
        (WHOLE[:2], WHOLE[2:4], WHOLE[4:]),
        (SHRUNK, SHRUNK, [NEW, *SHRUNK]),
        (SHRUNK, SHRUNK, [WHOLE[0], item("Episode about bees", "bees", "Corrected")]),
        (SHRUNK, WHOLE[1:], SHRUNK),
    ],
)
def test_other_entries_on_one_of_three_days_wait(read: Read, readings: Sequence[Sequence[str]]) -> None:
    read(1, WHOLE)
    assert outcomes(read, *enumerate(readings, 2))[-1] == "refused"


@pytest.mark.parametrize(
    "items, title, outcome",
    [
        (SHRUNK, SHOW, "taken"),
        ([item("Episode about ants", "moved"), *STRANGE], SHOW, "taken"),  # a known title
        (SHRUNK, "Renamed", "refused"),
        (STRANGE, SHOW, "refused"),  # its own entries of day 2 are not known ones
        ([], SHOW, "refused"),
    ],
)
def test_entries_of_three_days_belong_to_the_show(read: Read, items: Sequence[str], title: str, outcome: str) -> None:
    read(1, WHOLE)
    assert outcomes(read, (2, items), (3, items), (4, items), title=title)[-1] == outcome


def daily(day: int) -> str:
    """The entry of a day."""
    at = datetime(2026, 1, 1, 6, tzinfo=UTC) + timedelta(days=day - 1)
    return (
        f"<item><title>News of day {day}</title><guid>News-{day}</guid><pubDate>{at:%d %b %Y %H:%M:%S} GMT</pubDate>"
        f"<description>News that nobody had heard before the morning of day {day}.</description></item>"
    )


def window(day: int, size: int) -> list[str]:
    """The newest entries of a day, the newest first."""
    return [daily(number) for number in reversed(range(day - size + 1, day + 1))]


@pytest.mark.parametrize("pause, outcome", [(1, "taken"), (5, "taken"), (6, "refused"), (60, "refused")])
def test_list_of_newest_may_move(read: Read, pause: int, outcome: str) -> None:
    read(50, window(50, 10))
    assert read(50 + pause, window(50 + pause, 10)).outcome == outcome
    assert Episode.objects.filter(title__startswith="News").count() == 10 + min(pause, 10), "new ones are taken"


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


def test_reused_guid_is_another_episode(read: Read) -> None:
    before = [weekly(number, f"g{number}") for number in (3, 2, 1)]
    assert len(known(read, before, [weekly(4, "g3"), *before[1:]])) == 4


def test_positional_guids_lose_no_episode(read: Read) -> None:
    versions = [[weekly(newest - place, place) for place in range(5)] for newest in (5, 6, 7, 9, 16)]
    assert len(known(read, *versions)) == 14


def test_corrected_episode_under_guid_stays_one(read: Read) -> None:
    before, after = weekly(1, "g1"), weekly(2, "g1")
    day, notes = ("12 Jan", "19 Jan"), ("Notes of 1", "Notes of 2")
    assert day[0] in before
    for changed in (after.replace(day[1], day[0]), after.replace(notes[1], notes[0]), after.replace("2 exp", "1 exp")):
        read(1, [before], accept=True)
        read(2, [changed], accept=True)
        assert Episode.objects.count() == 1
