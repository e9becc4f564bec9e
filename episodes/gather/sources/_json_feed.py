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
        DocumentRejected: it is cut off, otherwise no JSON, or has other things in the place of some.
    """
    try:
        return str(etree.tostring(_rss(json.loads(text)), encoding="unicode"))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DocumentRejected(f"the JSON Feed cannot be read: {error}") from error


def _rss(feed: dict[str, Any]) -> Element:
    rss = etree.Element("rss", version="2.0")
    channel = etree.SubElement(rss, "channel")
    _describe(channel, feed, CHANNEL)
    for said in feed.get("items", ()):
        item = etree.SubElement(channel, "item")
        _describe(item, said, ITEM)
        plain = escape(said.get("content_text", said.get("summary", "")), quote=False)
        _add(item, "description", said.get("content_html", plain))
        for file in said.get("attachments", ()):
            values = {"url": stored(file.get("url")), "type": stored(file.get("mime_type"))}
            etree.SubElement(item, "enclosure", values)
            _add(item, f"{ITUNES}duration", file.get("duration_in_seconds"))
    return rss


def _describe(element: Element, said: dict[str, Any], keys: dict[str, str]) -> None:
    """Give an element what a feed or an item says of itself."""
    for name, key in keys.items():
        _add(element, name, said.get(key))
    authors = said.get("authors", [said.get("author", {})])
    _add(element, f"{ITUNES}author", ", ".join(stored(author.get("name")) for author in authors))
    image = stored(said.get("image", said.get("icon")))
    etree.SubElement(element, f"{ITUNES}image", href=image)


def _add(parent: Element, name: str, value: object) -> None:
    etree.SubElement(parent, name).text = stored(value)
