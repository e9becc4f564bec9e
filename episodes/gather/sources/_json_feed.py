"""Writes a JSON Feed (jsonfeed.org) as RSS, so that it is read like every other feed."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from lxml import etree

from ...records import DocumentRejected
from ._podcasting import ITUNES
from ._values import Element, stored

SIGN = "jsonfeed.org/version/"
# Elements of RSS with the keys that have their values.
CHANNEL = {
    "title": "title",
    "link": "home_page_url",
    "description": "description",
    "language": "language",
}
ITEM = {"title": "title", "link": "url", "guid": "id", "pubDate": "date_published"}


def is_json_feed(text: str) -> bool:
    return text.startswith("{") and SIGN in text.replace(r"\/", "/")


def as_rss(text: str) -> str:
    """RSS that says what a JSON Feed says.

    Raises:
        DocumentRejected: it is cut off, or otherwise no JSON.
    """
    try:
        feed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentRejected(f"the JSON Feed cannot be read: {error}") from error
    rss = etree.Element("rss", version="2.0")
    channel = _add(rss, "channel")
    _describe(channel, feed, CHANNEL)
    for said in _objects(feed.get("items")):
        item = _add(channel, "item")
        _describe(item, said, ITEM)
        plain = escape(_text(said.get("content_text") or said.get("summary")), False)
        _add(item, "description", _text(said.get("content_html")) or plain)
        for file in _objects(said.get("attachments")):
            _add(item, "enclosure", url=_text(file.get("url")), type=_text(file.get("mime_type")))
            _add(item, f"{ITUNES}duration", _text(file.get("duration_in_seconds")))
    return str(etree.tostring(rss, encoding="unicode"))


def _describe(element: Element, said: dict[str, Any], keys: dict[str, str]) -> None:
    """Give an element what a feed or an item says of itself."""
    for name, key in keys.items():
        _add(element, name, _text(said.get(key)))
    authors = _objects(said.get("authors") or [said.get("author")])
    _add(element, f"{ITUNES}author", ", ".join(_text(author.get("name")) for author in authors))
    _add(element, f"{ITUNES}image", href=_text(said.get("image") or said.get("icon")))


def _add(parent: Element, name: str, text: str = "", **attributes: str) -> Element:
    element = etree.SubElement(parent, name, attributes)
    element.text = text
    return element


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none of anything else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Text or a number as text; "" for anything else."""
    return stored(value) if isinstance(value, str | int | float) else ""
