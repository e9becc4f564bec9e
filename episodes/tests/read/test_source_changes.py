"""What sources changed since, on its page and as RSS."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client

from episodes.models import Capture, Content, Document, Item, Podcast, Revision, Source
from episodes.records import EntryData
from episodes.site import load_shows_and_sections
from episodes.views.source_changes import find_newest_changes, iterate_field_change_phrases

Say = Callable[..., Item]


@pytest.fixture
def say(db: None) -> Say:
    """An entry of a complete feed of one show that said these values, one after the other, a day between two."""
    podcast = Podcast.objects.create(slug="mill", title="Mill")
    address = "https://a.example/"
    source = Source.objects.create(podcast=podcast, slug="feed", title="Feed", address=address, complete=True)
    document = Document.objects.create(source=source, address=address, kind="listing")

    def make(key: str, *said: dict[str, Any], day: int = 1, gone: int | None = None) -> Item:
        item = Item.objects.create(document=document, key=key, position=day, first_version=1, gone_version=gone)
        for version, values in enumerate(said, 1):
            at = datetime(2030, 1, day + version, tzinfo=UTC)
            Revision.objects.create(item=item, version=version, payload=values, recorded_at=at)
        if gone:
            Content.objects.create(sha256="b" * 64, packed=b"", size=7)
            at = datetime(2030, 1, day + gone, tzinfo=UTC)
            Capture.objects.create(document=document, version=gone, sha256="b" * 64, taken_at=at)
        return item

    return make


def headings() -> list[str]:
    return [change.heading for change in find_newest_changes(load_shows_and_sections())]


def test_change_heading_falls_back(say: Say) -> None:
    say("a", {"title": "Reeds", "text": "x"}, {"title": "Reed", "text": "x"}, day=1)
    say("b", {"text": "w" * 70}, {"text": "v" * 70}, day=2)
    say("c", {"url": "https://a.example/1"}, {"url": "https://a.example/2"}, day=3)
    assert headings() == ["c", "v" * 60, "Reed"], "the newest first"


def test_vanished_entry_is_news(say: Say) -> None:
    say("a", {"title": "Reeds"}, gone=2)
    (change,) = find_newest_changes(load_shows_and_sections())
    assert (change.heading, change.sentences) == ("Reeds", ("no longer in Feed",))
    assert change.at == datetime(2030, 1, 3, tzinfo=UTC)
    Source.objects.update(complete=False)
    assert find_newest_changes(load_shows_and_sections()) == [], "a list of the newest drops others all the time"


def test_changes_and_removals_are_sorted_together(say: Say) -> None:
    say("a", {"title": "Reed"}, {"title": "Reeds"}, day=1)
    say("b", {"title": "Loom"}, gone=7, day=1)
    say("c", {"title": "Salt"}, {"title": "Salts"}, day=20)
    assert headings() == ["Salts", "Loom", "Reeds"]


@pytest.mark.parametrize("length, quoted", [(120, "“" + "b" * 120 + "”"), (121, "“" + "b" * 119 + "…”")])
def test_120_characters_of_a_value_are_quoted(length: int, quoted: str) -> None:
    before, now = EntryData(title="Reeds"), EntryData(title="b" * length)
    assert list(iterate_field_change_phrases(before, now)) == [f"title changed from “Reeds” to {quoted}"]
    assert list(iterate_field_change_phrases(now, EntryData())) == [f"title changed from {quoted} to nothing"]


def test_changes_feed_without_items_has_no_date(say: Say, client: Client) -> None:
    empty = ElementTree.fromstring(client.get("/changes.rss").content)
    assert [element.tag for element in empty.find("channel") or ()] == [
        "title",
        "link",
        "description",
        "{http://www.w3.org/2005/Atom}link",
        "language",
    ]
    say("a", {"title": "Reeds"}, {"title": "Reed"})
    tree = ElementTree.fromstring(client.get("/changes.rss").content)
    assert tree.findtext("channel/lastBuildDate") == "Thu, 03 Jan 2030 00:00:00 +0000"


def test_changes_feed_links_to_page(say: Say, client: Client) -> None:
    say("a", {"title": "Reeds"}, {"title": "Reed"})
    tree = ElementTree.fromstring(client.get("/changes.rss").content)
    assert [link.get("href") for link in tree.iter("{http://www.w3.org/2005/Atom}link")] == [
        "http://testserver/changes.rss"
    ]
    assert tree.findtext("channel/title") == "Source changes"
    assert tree.findtext("channel/link") == "http://testserver/changes/"
    assert [node.get("isPermaLink") for node in tree.iter("guid")] == ["false"]
    of_show = ElementTree.fromstring(client.get("/shows/mill/changes.rss").content)
    assert of_show.findtext("channel/title") == "Source changes: Mill"
