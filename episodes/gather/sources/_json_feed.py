"""Writes a JSON Feed (jsonfeed.org) as RSS, so that it is read like every other feed."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from html import escape
from typing import Any

from ...records import DocumentRejected
from ._podcasting import ITUNES
from ._values import stored

SIGN = b"jsonfeed.org/version/"
# Elements of RSS with the keys that have their values.
CHANNEL = {
    "title": "title",
    "link": "home_page_url",
    "description": "description",
    "language": "language",
}
ITEM = {"title": "title", "link": "url", "guid": "id", "pubDate": "date_published"}


def is_json_feed(body: bytes) -> bool:
    return body.startswith(b"{") and SIGN in body.replace(rb"\/", b"/")


def as_rss(body: bytes) -> bytes:
    """RSS that says what a JSON Feed says.

    Raises:
        DocumentRejected: it is cut off, or otherwise no JSON.
    """
    try:
        feed = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise DocumentRejected(f"the JSON Feed cannot be read: {error}") from error
    rss = ET.Element("rss", version="2.0")
    channel = _add(rss, "channel")
    _describe(channel, feed, CHANNEL)
    for said in _objects(feed.get("items")):
        item = _add(channel, "item")
        _describe(item, said, ITEM)
        notes = _text(said.get("content_html")) or escape(_text(said.get("content_text")), False)
        _add(item, "description", notes or escape(_text(said.get("summary")), False))
        files = _objects(said.get("attachments"))
        for file in files:
            _add(item, "enclosure", url=_text(file.get("url")), type=_text(file.get("mime_type")))
        lengths = (_text(file.get("duration_in_seconds")) for file in files)
        _add(item, f"{ITUNES}duration", next(lengths, ""))
    read_as_rss: bytes = ET.tostring(rss, encoding="utf-8")
    return read_as_rss


def _describe(element: ET.Element, said: dict[str, Any], keys: dict[str, str]) -> None:
    """Give an element what a feed or an item says of itself."""
    for name, key in keys.items():
        _add(element, name, _text(said.get(key)))
    authors = _objects(said.get("authors") or [said.get("author")])
    _add(element, f"{ITUNES}author", ", ".join(_text(author.get("name")) for author in authors))
    _add(element, f"{ITUNES}image", href=_text(said.get("image") or said.get("icon")))


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, name, attributes)
    element.text = text
    return element


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none of anything else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    """A word or number as text that XML can hold; "" for anything else."""
    return stored(value) if isinstance(value, str | int | float) else ""
