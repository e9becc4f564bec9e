"""The publisher's live feed over the snapshot: what was missing fills in, and nothing is there twice."""

import json
import xml.etree.ElementTree as ET
from datetime import datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from episodes.models import Podcast, Source
from episodes.tests.loopback import Loopback

from .conftest import export, run

ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
SNAPSHOT = Path(settings.BASE_DIR) / "fixtures" / "feed.xml"
FIRST = "Binding C++ in Python"


def live_feed() -> bytes:
    """Return the snapshot as the live feed: with guids, instants, audio, whole texts and the first episode, without
    numbers."""
    root = ET.fromstring(SNAPSHOT.read_bytes())
    channel = root.find("channel")
    assert channel is not None
    first = ET.SubElement(channel, "item")
    for tag, text in (("title", FIRST), ("description", "<p>How PyTorch binds C++ objects to Python.</p>")):
        ET.SubElement(first, tag).text = text
    items, at = channel.findall("item"), datetime.max
    for number, item in zip(range(len(items), 0, -1), items, strict=True):
        raw = item.findtext("pubDate")
        # An item without a date is two hours older than the one before.
        at = parsedate_to_datetime(raw if ":" in raw else f"{raw} 13:00:00 +0000") if raw else at - timedelta(hours=2)
        _complete_item(item, f"guid-{number}", at)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))


def _complete_item(item: ET.Element, guid: str, at: datetime) -> None:
    notes = item.findtext("description") or "<p>Notes that only the live feed has.</p>"
    texts = {
        "title": item.findtext("title") or "New CI",
        "guid": guid,
        "pubDate": format_datetime(at),
        "description": notes.replace("</p>", " And so on to the end of the notes.</p>", 1),
    }
    for tag, text in texts.items():
        element = item.find(tag)
        if element is None:
            element = ET.SubElement(item, tag)
        element.text = text
    if item.find("enclosure") is None:
        ET.SubElement(item, "enclosure", url=f"https://cdn.example/audio/{guid}.mp3?aid=rss", type="audio/mpeg")
    for number in item.findall(f"{ITUNES}episode"):
        item.remove(number)


FEED = {"Content-Type": "application/rss+xml"}


def episodes() -> list[dict[str, Any]]:
    return list(json.loads(export())["episodes"])


def test_live_feed_completes_the_snapshot(catalog: None, web: Loopback) -> None:
    before = {e["slug"] for e in episodes()}
    Source.objects.filter(slug="feed").update(address=web.address("/feed"))
    web.routes["/feed"] = (200, FEED, live_feed())
    ran = run("feed")
    assert ran.code == 0
    assert ran.out == "feed: 83 items: 1 new, 82 matched, 0 held, 0 ignored; 0 unchanged since last time\n"
    after = episodes()
    assert len(after) == 83
    assert {e["slug"] for e in after} - before == {"binding-c-in-python", "new-ci"}
    assert before - {e["slug"] for e in after} == {"episode-59"}
    assert all(e["guid"] and e["audio_url"] and e["published_precision"] == "instant" for e in after)
    assert after[-1]["title"] == FIRST
    assert [e["number"] for e in after[:-1]] == list(range(83, 1, -1))


LOGIN = b"<!doctype html><title>Sign in</title><form><input name=u><input type=password></form>"


def test_login_page_makes_no_source(catalog: None, web: Loopback) -> None:
    web.routes["/list"] = (200, {"Content-Type": "text/html"}, LOGIN)
    before, address = Source.objects.count(), web.address("/list")
    ran = run(address, "--podcast", "pytorch-developer-podcast")
    assert ran.code == 1
    assert f"refused: {address}" in ran.err
    assert "the page asks for a login. Save it in a browser" in ran.err
    assert Source.objects.count() == before


def test_failure_names_one_of_several_shows(ready: None, web: Loopback) -> None:
    Podcast.objects.create(slug="other", title="Other")
    Source.objects.filter(slug="feed").update(address=web.address("/feed"))
    web.routes["/feed"] = (410, {}, b"")
    assert run("feed").err.startswith("pytorch-developer-podcast · feed: failed: http")
