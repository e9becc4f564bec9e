"""Tells what of a feed is used, for what, and what is not."""

from __future__ import annotations

import tomllib
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...listings import read_xml
from ...records import DocumentRejected, FetchedDocument
from ._feed_parts import ITEMS
from .feed import body_of, channel_element

PREFIXES = {
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "https://podcastindex.org/namespace/1.0": "podcast",
    "https://github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": "podcast",
    "http://purl.org/rss/1.0/modules/content": "content",
    "http://purl.org/rss/1.0/modules/syndication": "sy",
    "http://purl.org/dc/elements/1.1": "dc",
    "http://purl.org/dc/terms": "dcterms",
    "http://search.yahoo.com/mrss": "media",
    "http://podlove.org/simple-chapters": "psc",
    "http://purl.oclc.org/net/rss_2.0/enc#": "enc",
    "http://www.google.com/schemas/play-podcasts/1.0": "googleplay",
    "http://www.w3.org/2005/atom": "atom",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://purl.org/rss/1.0": "",
}


@dataclass(frozen=True, slots=True)
class ElementUse:
    """An element of a feed's channel or items: how often it is there, and what is made of it (""
    for nothing)."""

    place: str  # channel | item
    name: str
    count: int
    use: str


def explain(page: FetchedDocument) -> list[ElementUse]:
    """Every kind of element of a feed, the channel's first, in the order of the document.

    Raises:
        DocumentRejected: the feed is not well-formed, so that nothing can be told of its elements.
    """
    tree, _ = read_xml(body_of(page))
    if tree is None:
        raise DocumentRejected(
            "not well-formed XML: the readable part can be imported, but not explained"
        )
    channel = channel_element(tree)
    of_atom = tree.tag.startswith("{http://www.w3.org/2005/Atom}")
    items = [element for element in tree.iter() if element.tag in ITEMS]
    found = Counter(("channel", _name(child, of_atom)) for child in _children(channel))
    found.update(("item", _name(child, of_atom)) for item in items for child in _children(item))
    return [
        ElementUse(place, name, count, _uses()[place].get(name, ""))
        for (place, name), count in found.items()
    ]


@cache
def _uses() -> dict[str, dict[str, str]]:
    return tomllib.loads((Path(__file__).parent / "_elements.toml").read_text("utf-8"))


def _children(element: ET.Element) -> Iterator[ET.Element]:
    yield from (child for child in element if isinstance(child.tag, str))


def _name(element: ET.Element, of_atom: bool) -> str:
    """`itunes:image` whatever prefix the feed uses; an unknown namespace by its host."""
    namespace, _, name = element.tag.rpartition("}")
    namespace = namespace.lstrip("{")
    prefix = PREFIXES.get(namespace.lower().rstrip("/"), namespace)
    if not prefix or (prefix == "atom" and of_atom):
        return name
    return f"{prefix}:{name}"
