"""What cannot be read in an item is not taken back, and an upgrade that reads it otherwise keeps its key."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from episodes.models import Capture, IngestRun, Item

from ..gather.test_broken_feeds import END, HEAD, item
from .conftest import Ran, command, export, run

URL = "https://looms.example/feed.xml"
Write = Callable[[str, bytes | str], Path]
SOUND = HEAD + item(1) + item(2) + END
OPEN_TITLE = SOUND.replace("Warp 2</title>", "Warp 2")
CUT_IN_PERSON = SOUND.replace('<podcast:person role="guest">Ada 2</podcast:person>', '<podcast:person role="guest"')
TROUBLE = "its XML is not well-formed; items that could be read only in part:"


@pytest.fixture
def take(db: None, file: Write) -> Callable[[str], Ran]:
    return lambda body: run(file("feed.xml", body), url=URL)


def people() -> list[list[str]]:
    rows = json.loads(export())["episodes"]
    return [[person["name"] for person in row["people"] if person["role"] == "guest"] for row in rows]


@pytest.mark.parametrize("body", [OPEN_TITLE, CUT_IN_PERSON])
def test_broken_item_keeps_its_values(take: Callable[[str], Ran], body: str) -> None:
    take(SOUND)
    before = export()
    ran = take(body)
    assert ran.out == (
        f"feed: 2 items: 0 new, 2 matched, 0 held, 0 ignored; 2 unchanged since last time; {TROUBLE} 1\n"
    )
    assert export() == before


def test_sound_item_takes_values_back(take: Callable[[str], Ran]) -> None:
    take(SOUND)
    take(SOUND.replace('<podcast:person role="guest">Ada 2</podcast:person>', "<br>"))
    assert sorted(people()) == [[], ["Ada 1"]]


def test_trouble_is_mentioned_until_the_feed_is_sound(take: Callable[[str], Ran], client: Client) -> None:
    words = f"{TROUBLE} 0"
    control_character = SOUND.replace("Warp 2", "Warp\x0b 2")
    assert words in take(control_character).out
    assert words in take(control_character).out, "of a version that is known"
    assert IngestRun.objects.latest("pk").counts["broken"] == 0
    assert words in client.get("/sources/").content.decode()
    assert TROUBLE not in take(SOUND).out
    assert TROUBLE not in client.get("/sources/").content.decode()


def test_added_show_mentions_trouble(db: None, file: Write) -> None:
    ran = command("add_show", file("feed.xml", SOUND.replace("Warp 2", "Warp & 2")), url=URL)
    assert f"looms: {TROUBLE} 0" in ran.err


def test_upgrade_keeps_keys_of_repaired_titles(take: Callable[[str], Ran]) -> None:
    bare = SOUND.replace('<guid isPermaLink="false">w2</guid><link>https://looms.example/2?id=3&amp;sect=1</link>', "")
    take(bare)
    Capture.objects.update(fingerprint="another release")
    Item.objects.filter(key__endswith="warp 2").update(key="title:warp 2;")
    take(bare.replace("Looms</title>", "Looms</title><ttl>60</ttl>"))
    take(bare.replace("About the weft", "About the warp"))
    assert list(Item.objects.order_by("key").values_list("key", "gone_version")) == [
        ("guid:w1", None),
        ("title:warp 2;", None),
    ]
