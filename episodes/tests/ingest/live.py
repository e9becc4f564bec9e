"""The live feed of the snapshot: guids, instants, audio, whole texts, the first episode, no numbers."""

import re
import xml.etree.ElementTree as ET
from datetime import datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path

from django.conf import settings

ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
SNAPSHOT = Path(settings.BASE_DIR) / "fixtures" / "feed.xml"
FIRST = "Binding C++ in Python"


def live_feed() -> bytes:
    root = ET.fromstring(SNAPSHOT.read_bytes())
    channel = root.find("channel")
    assert channel is not None
    items = channel.findall("item")
    dates = _instants(items)
    for number, (item, at) in enumerate(zip(items, dates, strict=True)):
        _enliven(item, f"guid-{len(items) + 1 - number}", at)
    first = ET.SubElement(channel, "item")
    _set(first, "title", FIRST)
    _set(first, "description", "<p>How PyTorch binds C++ objects to Python, which is where the show begins.</p>")
    _enliven(first, "guid-1", dates[-1] - timedelta(days=3))
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))


def _instants(items: list[ET.Element]) -> list[datetime]:
    """The instant of each item: the day's, at 13:00; for the undated a day between those of its neighbours."""
    known = [_date(item) for item in items]
    found: list[datetime] = []
    for place, at in enumerate(known):
        later = found[-1] if found else None
        if at is None:
            assert later is not None
            older = next((other for other in known[place:] if other), later - timedelta(days=60))
            at = later - max((later - older) / 4, timedelta(hours=2))
        found.append(at)
    return found


def _date(item: ET.Element) -> datetime | None:
    raw = item.findtext("pubDate")
    if not raw:
        return None
    return parsedate_to_datetime(raw if ":" in raw else f"{raw} 13:00:00 +0000")


def _enliven(item: ET.Element, guid: str, at: datetime) -> None:
    _set(item, "guid", guid).set("isPermaLink", "false")
    _set(item, "pubDate", format_datetime(at))
    if item.find("enclosure") is None:
        ET.SubElement(
            item, "enclosure", url=f"https://cdn.example/audio/{guid}.mp3?aid=rss", type="audio/mpeg", length="1"
        )
    if not item.findtext("title"):
        _set(item, "title", "New CI")
    for number in item.findall(f"{ITUNES}episode"):
        item.remove(number)
    notes = item.findtext("description") or "<p>Notes that only the live feed has.</p>"
    _set(item, "description", re.sub(r"</p>", " And so on to the end of the notes.</p>", notes, count=1))


def _set(item: ET.Element, tag: str, text: str) -> ET.Element:
    element = item.find(tag)
    if element is None:
        element = ET.SubElement(item, tag)
    element.text = text
    return element
