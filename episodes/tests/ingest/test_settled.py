"""A feed in which too much changed at once waits for a person, but for its new entries."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from episodes.ingest import ImportOptions, ImportReport, ImportTarget, import_targets
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
        (report,) = import_targets([ImportTarget("feed.xml", path=path)], options, lambda: at)
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
