"""A feed in which too much changed at once waits for a person, but for its new entries."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from episodes.ingest import ImportOptions, ImportReport, ImportTarget, iterate_import_reports
from episodes.models import Episode, Item, Source

from ..tables import cases
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


WORDS = ("ants", "bees", "cats", "dogs", "eels", "frogs")


def items_of(entries: Sequence[str | Sequence[str]]) -> list[str]:
    """Items of a table: a guid, or a guid, a title and a text."""
    items = []
    for entry in entries:
        guid, title, *text = [entry, f"Episode about {entry}"] if isinstance(entry, str) else entry
        items.append(item(title, guid, *text))
    return items


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
        (report,) = iterate_import_reports([ImportTarget("feed.xml", path=path)], options, lambda: at)
        return report

    return on


def listed() -> set[str]:
    return {key.removeprefix("guid:") for key in Item.objects.filter(gone_version=None).values_list("key", flat=True)}


@pytest.mark.parametrize("case", cases("ingest_settled")["versions"], ids=lambda case: case["case"])
def test_too_much_at_once_waits(read: Read, case: dict[str, Any]) -> None:
    address = case.get("address", HOME)
    read(1, items_of(WORDS), address=address)
    for version in case["reads"]:
        title, accept = version.get("title", SHOW), version.get("accept", False)
        report = read(version["day"], items_of(version["items"]), title, accept=accept, address=address)
        assert report.outcome == version["outcome"], version
        assert report.acceptable == (report.outcome == "refused")
        new_items = re.findall(r"(\d+) new items? (?:was|were) imported", report.reason)
        assert new_items == version.get("new", [])
    assert listed() == set(case.get("listed", listed()))
    known = Episode.objects.filter(title__startswith="Episode about").count()
    assert known == case.get("episodes", known), "nothing known is deleted"


def test_known_entries_keep_their_values(read: Read) -> None:
    read(1, items_of(WORDS))
    read(2, items_of(["geese", *((word, "Another title", f"Rewritten {word}") for word in WORDS)]))
    assert not Episode.objects.filter(title="Another title").exists()
    assert Episode.objects.count() == len(WORDS) + 1


def daily(day: int) -> str:
    at = datetime(2026, 1, 1, 6, tzinfo=UTC) + timedelta(days=day - 1)
    return (
        f"<item><title>News of day {day}</title><guid>News-{day}</guid><pubDate>{at:%d %b %Y %H:%M:%S} GMT</pubDate>"
        f"<description>News that nobody had heard before the morning of day {day}.</description></item>"
    )


def window(day: int, size: int) -> list[str]:
    return [daily(number) for number in reversed(range(day - size + 1, day + 1))]


@pytest.mark.parametrize("pause, outcome", [(1, "taken"), (5, "taken"), (6, "refused"), (60, "refused")])
def test_list_of_newest_may_move(read: Read, pause: int, outcome: str) -> None:
    read(50, window(50, 10))
    assert read(50 + pause, window(50 + pause, 10)).outcome == outcome
    assert Episode.objects.filter(title__startswith="News").count() == 10 + min(pause, 10), "new ones are taken"


def on_one_page(number: int, days: int = 7) -> str:
    """Return an item with the page and the audio file of all others, but for the query of the file."""
    at = datetime(2026, 1, 5, 6, tzinfo=UTC) + number * timedelta(days)
    return (
        f"<item><title>Tale {number}</title><guid>tale-{number}</guid><pubDate>{at:%d %b %Y %H:%M:%S} GMT</pubDate>"
        f"<link>https://talks.example/listen</link><description>Notes of {number}.</description>"
        f'<enclosure url="https://cdn.example/stream.mp3?episode={number}" type="audio/mpeg"/></item>'
    )


def test_another_host_prints_known_titles_its_own_way(read: Read) -> None:
    read(1, [item(f"Tales of {word}", f"old-{word}") for word in WORDS])
    moved = [item(f"{number}. TALES OF {word.upper()}!", f"new-{word}") for number, word in enumerate(WORDS, 1)]
    assert read(2, moved).outcome == "refused"
    assert Episode.objects.filter(title__icontains="tales of").count() == len(WORDS)


def test_new_items_with_a_shared_page_are_taken(read: Read) -> None:
    read(1, [on_one_page(number) for number in range(4)])
    report = read(2, [on_one_page(number) for number in range(4, 8)])
    assert report.outcome == "refused"
    assert Episode.objects.filter(title__startswith="Tale").count() == 8


@pytest.mark.parametrize("days, printed", [(7, ""), (1, "<itunes:episode>{}</itunes:episode>")])
def test_newest_item_alone_is_taken(read: Read, days: int, printed: str) -> None:
    for number in range(3):
        report = read(number + 1, [on_one_page(number, days).replace("<link>", f"{printed.format(number)}<link>")])
        assert report.outcome == "taken"
    assert Episode.objects.filter(title__startswith="Tale").count() == 3
    assert read(4, [item("Ants", "ants")], "Another show").outcome == "refused"


def test_newest_item_alone_in_file_waits(read: Read) -> None:
    read(1, [on_one_page(1)], address="")
    assert read(2, [on_one_page(2)], address="").outcome == "refused"


def bulletin(hour: int) -> str:
    audio = f'<enclosure url="https://cdn.example/{hour}.mp3" type="audio/mpeg"/>'
    return item("News", f"news-{hour}").replace("10:00", f"{hour}:00").replace("</item>", f"{audio}</item>")


def test_next_bulletin_of_title_is_taken(read: Read) -> None:
    read(1, [bulletin(10), item("First words", "first"), item("Last words", "last")])
    assert read(2, [bulletin(11)]).outcome == "refused"
    assert Episode.objects.filter(title="News").count() == 2


@pytest.mark.parametrize("others", [[], [item("First words", "first"), item("Last words", "last")]])
def test_bulletins_of_one_host_stay_apart(read: Read, others: list[str]) -> None:
    hours = (10, 11) if others else (10,)
    read(1, [*map(bulletin, hours), *others])
    assert read(2, [*(bulletin(hour + 2) for hour in hours), *others]).outcome == "taken"
    assert Episode.objects.filter(title="News").count() == 2 * len(hours)


def test_new_host_may_shift_all_dates(read: Read) -> None:
    def items_at(host: str, hour: int) -> list[str]:
        items = []
        for word in WORDS:
            audio = f'<enclosure url="https://{host}.example/{word}.mp3" type="audio/mpeg"/>'
            items.append(
                item(word, f"{host}-{word}").replace("10:00", f"{hour}:00").replace("</item>", f"{audio}</item>")
            )
        return items

    read(1, items_at("old", 10))
    assert read(2, items_at("new", 14)).outcome == "taken"
    assert set(Episode.objects.values_list("guid", flat=True)) == {f"new-{word}" for word in WORDS}
    assert read(3, [bulletin(15), *items_at("new", 14)]).outcome == "taken"
    assert Episode.objects.count() == len(WORDS) + 1


def test_new_item_with_page_of_show_is_taken(read: Read) -> None:
    page = "<link>https://talks.example/</link>"
    read(1, [item("First words", "first").replace("</guid>", f"</guid>{page}"), page])
    assert read(2, [item("Last words", "last").replace("</guid>", f"</guid>{page}"), page]).outcome == "taken"
    assert Episode.objects.filter(title__endswith="words").count() == 2


def weekly(number: int, guid: object, days: int = 7) -> str:
    at = datetime(2026, 1, 5, 6, tzinfo=UTC) + number * timedelta(days)
    return (
        f"<item><title>Topic {number} explained</title><guid>{guid}</guid><pubDate>{at:%d %b %Y %H:%M:%S} GMT</pubDate>"
        f'<description>Notes of {number}.</description><enclosure url="https://cdn.example/{number}.mp3"/></item>'
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


@pytest.mark.parametrize("days", [1, 7])
def test_positional_guids_lose_no_episode(read: Read, days: int) -> None:
    versions = [[weekly(newest - place, place, days) for place in range(5)] for newest in (5, 6, 7, 9, 16)]
    assert len(known(read, *versions)) == 14


def test_corrected_episode_under_guid_stays_one(read: Read) -> None:
    before, after = weekly(1, "g1"), weekly(2, "g1")
    day, notes = ("12 Jan", "19 Jan"), ("Notes of 1", "Notes of 2")
    assert day[0] in before
    for changed in (after.replace(day[1], day[0]), after.replace(notes[1], notes[0]), after.replace("2 exp", "1 exp")):
        read(1, [before], accept=True)
        read(2, [changed], accept=True)
        assert Episode.objects.count() == 1


def test_corrected_date_moves_no_address(read: Read) -> None:
    first, second, third = (item("News", f"n{day}").replace("01 Feb", f"{day:02} Feb") for day in (1, 2, 3))
    read(1, [third, second, first])
    before = dict(Episode.objects.values_list("guid", "slug"))
    assert before["n1"] == "news"
    read(2, [first.replace("01 Feb", "20 Feb"), third, second])
    assert list(Episode.objects.order_by("order").values_list("guid", flat=True)) == ["n2", "n3", "n1"]
    assert dict(Episode.objects.values_list("guid", "slug")) == before
