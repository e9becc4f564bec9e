"""Writes a JSON Feed (jsonfeed.org) as RSS, so that it is read like every other feed."""

import json
from html import escape
from typing import Any

from lxml import etree

from ...records import DocumentRejected
from ._feed_item import ATOM_LINK, ITUNES, Element, stored

SIGN = "jsonfeed.org/version/"
# Elements of RSS with the keys that have their values.
CHANNEL = {
    "title": "title",
    "link": "home_page_url",
    "description": "description",
    "language": "language",
}
ITEM = {"title": "title", "link": "url", "guid": "id", "pubDate": "date_published"}


def as_rss(text: str) -> str:
    """RSS that says what a JSON Feed says; a value of another type than its own is left out.

    Raises:
        DocumentRejected: it is cut off, or otherwise no JSON.
    """
    try:
        feed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentRejected(f"the JSON Feed cannot be read: {error}") from error
    rss = etree.Element("rss", version="2.0")
    channel = etree.SubElement(rss, "channel")
    _describe(channel, feed, CHANNEL)
    etree.SubElement(channel, ATOM_LINK, rel="next", href=_text(feed.get("next_url")))
    for said in _objects(feed.get("items")):
        item = etree.SubElement(channel, "item")
        _describe(item, said, ITEM)
        # RSS has markup in this place.
        plain = escape(_text(said.get("content_text")) or _text(said.get("summary")), quote=False)
        _add(item, "description", _text(said.get("content_html")) or plain)
        files = _objects(said.get("attachments"))
        for file in files:
            values = {"url": _text(file.get("url")), "type": _text(file.get("mime_type"))}
            etree.SubElement(item, "enclosure", values)
        lengths = (_text(file.get("duration_in_seconds")) for file in files)
        _add(item, f"{ITUNES}duration", next(filter(None, lengths), ""))
    return str(etree.tostring(rss, encoding="unicode"))


def _describe(element: Element, said: dict[str, Any], keys: dict[str, str]) -> None:
    """Give an element what a feed or an item says of itself."""
    for name, key in keys.items():
        _add(element, name, _text(said.get(key)))
    authors = _objects(said.get("authors")) or _objects([said.get("author")])
    _add(element, f"{ITUNES}author", ", ".join(_text(author.get("name")) for author in authors))
    image = _text(said.get("image")) or _text(said.get("icon"))
    etree.SubElement(element, f"{ITUNES}image", href=image)


def _add(parent: Element, name: str, text: str) -> None:
    etree.SubElement(parent, name).text = text


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none of anything else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Text or a number as text; "" for anything else."""
    return stored(value) if isinstance(value, str | int | float) else ""
