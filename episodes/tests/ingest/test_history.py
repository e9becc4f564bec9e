"""Every change of what a source says is kept and told in words; saying the same again adds nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from episodes.models import Revision
from episodes.records import EntryData
from episodes.site import load_shows_and_sections
from episodes.views.source_changes import find_newest_changes, iterate_field_change_phrases

from ..kept import made_once
from ..tables import cases
from .conftest import configured, of_the_feed, run_feed, take

FEED = of_the_feed(
    "Compiler collectives", "Higher order operators", "CUDA graph trees", "Min-cut partitioner", "AOTInductor", "vmap", "TensorIterator",
)  # fmt: skip
Write = Callable[[str, bytes | str], Path]


@pytest.fixture
def changed(db: None) -> None:
    """The snapshot, and a second version of it in which four things are otherwise."""
    made_once(_changed)


def _changed() -> None:
    configured()
    again = (
        FEED.replace("Compiler collectives</", "Compiler collectives explained</")
        .replace("<itunes:duration>00:17:10", "<itunes:duration>00:18:10")
        .replace("<pubDate>Sat, 02 Mar 2024</pubDate>", "<pubDate>Sat, 02 Mar 2024 10:00:00 +0000</pubDate>")
        .replace(
            "<title>TensorIterator</title>", "<title>TensorIterator</title><description>Notes at last.</description>"
        )
    )
    for body in (FEED, again):
        take("feed", body.encode())


def told() -> dict[str, tuple[str, ...]]:
    changes = find_newest_changes(load_shows_and_sections())
    assert all(change.page for change in changes)
    return {change.heading: change.sentences for change in changes}


def test_what_changed_is_told_in_words(changed: None) -> None:
    assert told() == {
        "Compiler collectives explained": (
            "title changed from “Compiler collectives” to “Compiler collectives explained”",
        ),
        "Higher order operators": ("length changed from “17 min 10 s” to “18 min 10 s”",),
        "AOTInductor": ("date changed from “2 March 2024” to “2 March 2024, 10:00 UTC”",),
        "TensorIterator": ("notes changed from 0 characters to 14 characters",),
    }


def test_each_change_is_one_revision(changed: None, file: Write) -> None:
    rows = Revision.objects.count()
    assert rows == 7 + 4
    latest_bytes = FEED.replace("Compiler collectives</", "Compiler collectives explained</")
    run_feed(file("feed.xml", latest_bytes))
    assert Revision.objects.count() == rows + 3
    run_feed(file("feed.xml", latest_bytes))
    assert Revision.objects.count() == rows + 3


def test_arrivals_and_departures_are_reported(ready: None, file: Write) -> None:
    run_feed(file("feed.xml", FEED))
    first, rest = FEED.index("<item>"), FEED.index("</item>") + len("</item>")
    new = "<item><title>A new one</title><guid>new</guid><description>All about it.</description></item>"
    run_feed(file("feed.xml", FEED[:first] + new + FEED[rest:]))
    assert told() == {
        "A new one": ("new in The show's RSS feed",),
        "Compiler collectives": ("no longer in The show's RSS feed",),
    }


def test_new_guid_is_one_change(ready: None, file: Write) -> None:
    with_guid = FEED.replace("<title>vmap</title>", "<title>vmap</title><guid>one</guid>")
    run_feed(file("feed.xml", with_guid))
    run_feed(file("feed.xml", with_guid.replace("<guid>one</guid>", "<guid>two</guid>")))
    assert told() == {"vmap": ("guid changed from “one” to “two”",)}


def test_the_page_and_its_feed_tell_the_same(changed: None, client: Client) -> None:
    page, feed = client.get("/changes/"), client.get("/changes.rss")
    assert (page.status_code, feed.status_code) == (200, 200)
    assert feed["Content-Type"].startswith("application/rss+xml")
    for heading, sentences in told().items():
        assert heading in page.content.decode()
        assert sentences[0] in page.content.decode()
        assert sentences[0] in feed.content.decode()


@pytest.mark.parametrize("before, now, sentences", cases("ingest_history")["differences"])
def test_each_kind_of_difference_has_its_words(
    before: dict[str, Any], now: dict[str, Any], sentences: list[str]
) -> None:
    assert list(iterate_field_change_phrases(EntryData(**before), EntryData(**now))) == sentences
