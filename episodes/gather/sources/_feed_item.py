"""Reads one item of a feed: what feedparser made of it, and from its element what feedparser loses."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html import unescape
from typing import Any

from ...listings import absolute, read_date, read_length
from ...records import EntryData

# What feedparser lets through in broken XML, and no database or XML document takes.
UNSTORABLE = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
ATOM_TITLE = "{http://www.w3.org/2005/Atom}title"
NAMESPACES = {
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "content": "http://purl.org/rss/1.0/modules/content/",
}
CHAPTERS = ("{http://podlove.org/simple-chapters}", "{http://podlove.org/simple-chapters/}")
# Files that an item offers in the Podcasting 2.0 namespace, and what it says of them beside their address.
OFFERED = {"transcript": ("type", "language", "rel"), "chapters": ("type",)}
# The Podcasting 2.0 namespace is in use under its address and under the file that first described it.
PODCAST = (
    "{https://podcastindex.org/namespace/1.0}",
    "{https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md}",
)


def read_item(entry: Any, element: ET.Element | None) -> EntryData:
    date, published = _date(entry)
    audio = _enclosure(entry, "audio/", "video/")
    length = folded(entry.get("itunes_duration"))
    span = read_length(length)
    return EntryData(
        title=_title(entry, element),
        html=_notes(entry, element),
        date_raw=date,
        published=published,
        length_raw=length,
        seconds_low=span[0] if span else None,
        seconds_high=span[1] if span else None,
        number=_number(entry.get("itunes_episode")),
        season=_number(entry.get("itunes_season")),
        episode_type=folded(entry.get("itunes_episodetype")).lower(),
        guid=folded(entry.get("id")),
        url=_address(entry.get("link")) or (_address(entry.get("id")) if entry.get("guidislink") else ""),
        audio_url=audio.get("href", ""),
        audio_type=audio.get("type", ""),
        image_url=_address((entry.get("image") or {}).get("href")),
        author=folded(entry.get("author")),
        keywords=tuple(sorted({folded(tag.get("term")) for tag in entry.get("tags", []) if tag.get("term")})),
        people=tuple(_people(element)),
        extras=tuple(_extras(element)),
    )


def stored(value: Any) -> str:
    return UNSTORABLE.sub("", str(value or ""))


def folded(value: Any) -> str:
    return " ".join(stored(value).split())


def _address(value: Any) -> str:
    return absolute(folded(value), "")


def _title(entry: Any, element: ET.Element | None) -> str:
    """The title as plain text. What looks like markup in it is text, save in Atom where it says that it is markup."""
    title = folded(entry.get("title") or _own(element, "itunes", "title"))
    own = element.find(ATOM_TITLE) if element is not None else None
    if own is not None and own.get("type") in ("html", "xhtml"):
        title = folded(unescape(re.sub(r"<[^<>]{1,300}>", "", title)))
    return title


def _number(value: Any) -> int | None:
    text = folded(value)
    return int(text) if text.isdecimal() and len(text) < 7 else None


def _date(entry: Any) -> tuple[str, str]:
    """The date as it stands in the feed, and what it says: an instant, a day, or "" for what cannot be read.

    feedparser's own reading is not used: it makes today of a time without a date, and a New Year's Day of "2024".
    """
    # Asked as a plain dict: feedparser warns, and answers with another date, where there is no `updated`.
    raws = [text for key in ("published", "updated") if (text := folded(dict.get(entry, key)))]
    for raw in raws:
        if at := read_date(raw):
            return raw, at.isoformat()
    return (raws[0] if raws else ""), ""


def _notes(entry: Any, element: ET.Element | None) -> str:
    """The longest of what the item calls its text: feedparser can lose the one beside the other."""
    found = [str(content.get("value", "")) for content in entry.get("content", [])]
    found += [str(entry.get("summary", "") or ""), str(entry.get("description", "") or "")]
    if element is not None:
        found += [_own(element, "", "description"), _own(element, "content", "encoded")]
    # An itunes:summary without markup is a copy of the notes with the links lost.
    marked = [text for text in found if "<" in text]
    return stored(max(marked or found, key=len)).strip()


def _own(element: ET.Element | None, prefix: str, name: str) -> str:
    if element is None:
        return ""
    tag = f"{{{NAMESPACES[prefix]}}}{name}" if prefix else name
    return element.findtext(tag) or ""


def _enclosure(entry: Any, *kinds: str) -> dict[str, str]:
    found = [e for e in entry.get("enclosures", []) if _address(e.get("href"))]
    best = next((e for e in found if str(e.get("type", "")).startswith(kinds)), found[0] if found else {})
    return {"href": _address(best.get("href")), "type": folded(best.get("type"))} if best else {}


def _podcast(element: ET.Element | None, name: str) -> Iterator[ET.Element]:
    if element is not None:
        for namespace in PODCAST:
            yield from element.iterfind(namespace + name)


def _people(element: ET.Element | None) -> Iterator[tuple[str, str, str]]:
    for person in _podcast(element, "person"):
        if name := folded(person.text):
            yield (name, folded(person.get("role") or "host").lower(), _address(person.get("href")))


def _extras(element: ET.Element | None) -> Iterator[tuple[str, ...]]:
    """Everything that is offered beside the audio, each in the shape that `Said.extras` gives for it, once."""
    yield from dict.fromkeys((*_offered(element), *_simple_chapters(element)))


def _offered(element: ET.Element | None) -> Iterator[tuple[str, ...]]:
    for name, attributes in OFFERED.items():
        for found in _podcast(element, name):
            if address := _address(found.get("url")):
                yield (name, address, *(folded(found.get(attribute)) for attribute in attributes))


def _simple_chapters(element: ET.Element | None) -> Iterator[tuple[str, ...]]:
    """Podlove Simple Chapters, which stand in the feed itself."""
    if element is not None:
        for namespace in CHAPTERS:
            for found in element.iterfind(f"{namespace}chapters/{namespace}chapter"):
                start, title = folded(found.get("start")), folded(found.get("title"))
                if start or title:
                    yield ("chapter", start, title, _address(found.get("href")), _address(found.get("image")))
