"""Reads a podcast's RSS or Atom feed with feedparser, and in one ElementTree pass what feedparser loses."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import feedparser

from ...records import Moment, Page, Reading, Refused, Said, Show
from ..dates import seconds
from ..html import absolute, is_html, title_of
from ..names import is_show

TITLE = "RSS feed"
HOSTS: tuple[str, ...] = ()
MIN_ENTRIES = 1
MIN_WITH_TEXT = 0.2

ROOT = re.compile(rb"<(rss|feed|rdf:RDF)[\s>]", re.I)
CLOCK = re.compile(r"\d{1,2}:\d{2}|T\d{2}")
NAMESPACES = {
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "psc": "http://podlove.org/simple-chapters",
}
# The Podcasting 2.0 namespace is in use under its address and under the file that first described it.
PODCAST = (
    "{https://podcastindex.org/namespace/1.0}",
    "{https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md}",
)


def recognises(page: Page) -> bool:
    return ROOT.search(page.body[:4096]) is not None


def read(page: Page, show: Show) -> Reading:
    """The feed's items in their order, and what its channel says of the show.

    Raises:
        Refused: it is an HTML page, no feed, cut off, or the feed of another show.
    """
    root = ROOT.search(page.body[:4096])
    if root is None:
        raise Refused(_what_it_is(page))
    if b"</" + root[1].lower() not in page.body[-4096:].lower():
        raise Refused(f"the feed is cut off: it ends without </{root[1].decode()}>")
    # No sanitiser and no address resolution: notes are cleaned once by nh3, and kept as they came until then.
    parsed = feedparser.parse(page.body, sanitize_html=False, resolve_relative_uris=False)
    if not parsed.get("version"):
        raise Refused(f"not a feed that can be read ({parsed.get('bozo_exception', 'unknown format')})")
    channel = parsed.feed
    _check_show(channel, show)
    extras = list(_elements(page.body))
    entries = tuple(
        _said(entry, extras[place] if len(extras) == len(parsed.entries) else None)
        for place, entry in enumerate(parsed.entries)
    )
    return Reading(entries, str(channel.get("title", "")), feed=_channel(channel))


def _what_it_is(page: Page) -> str:
    from ..html import decode  # decode refuses what is empty or no text, with its own words

    text = decode(page)
    if is_html(text):
        return f"an HTML page in place of a feed: {title_of(page) or 'untitled'}"
    return "not a feed: no <rss> or <feed> in it"


def _check_show(channel: Any, show: Show) -> None:
    title = " ".join(str(channel.get("title", "")).split())
    own = {link.get("href", "") for link in channel.get("links", []) if link.get("rel") == "self"}
    if not is_show(title, show.title) and not (show.feed_url and show.feed_url in own):
        raise Refused(f"the feed of another show: {title or 'untitled'}, not {show.title}")


def _channel(channel: Any) -> dict[str, str]:
    names = {"title": "title", "author": "author", "language": "language", "site_url": "link", "description": "subtitle"}
    return {name: str(channel.get(key, "") or "") for name, key in names.items()}


def _elements(body: bytes) -> Iterator[ET.Element]:
    """The item elements; none where the document is not well-formed, which feedparser may still read."""
    try:
        tree = ET.fromstring(body)
    except (ET.ParseError, ValueError, LookupError):
        return
    for element in tree.iter():
        if element.tag in ("item", "{http://www.w3.org/2005/Atom}entry", "{http://purl.org/rss/1.0/}item"):
            yield element


def _said(entry: Any, element: ET.Element | None) -> Said:
    date = str(entry.get("published") or (entry.get("updated") if "updated" in entry else "") or "")
    audio = _enclosure(entry, "audio/", "video/")
    length = str(entry.get("itunes_duration", "") or "")
    span = seconds(length)
    html = _notes(entry, element)
    return Said(
        title=_folded(_own(element, "itunes", "title") if not entry.get("title") else entry.get("title")),
        text="",
        html=html,
        date_raw=date,
        published=_published(entry, date),
        length_raw=length,
        seconds_low=span[0] if span else None,
        seconds_high=span[1] if span else None,
        number=_number(entry.get("itunes_episode")),
        season=_number(entry.get("itunes_season")),
        episode_type=_folded(entry.get("itunes_episodetype")).lower(),
        guid=_folded(entry.get("id")) if element is None or _has_guid(element) else "",
        url=absolute(_folded(entry.get("link")), ""),
        audio_url=audio.get("href", ""),
        audio_type=audio.get("type", ""),
        image_url=_folded((entry.get("image") or {}).get("href")),
        author=_folded(entry.get("author")),
        keywords=tuple(sorted({_folded(tag.get("term")) for tag in entry.get("tags", []) if tag.get("term")})),
        people=tuple(_people(element)),
        extras=tuple(_extras(element)),
        raw="" if element is None else ET.tostring(element, encoding="unicode").strip(),
    )


def _folded(value: Any) -> str:
    return " ".join(str(value or "").split())


def _number(value: Any) -> int | None:
    text = _folded(value)
    return int(text) if text.isdecimal() and len(text) < 7 else None


def _published(entry: Any, raw: str) -> str:
    """An instant, or a day where the feed gives no time of day; "" for what cannot be read."""
    # feedparser warns where it is asked for `updated` and only has `published`.
    parts = entry.get("published_parsed") or (entry.get("updated_parsed") if "updated_parsed" in entry else None)
    if not parts or not raw:
        return ""
    try:
        at = datetime(*parts[:6], tzinfo=UTC)
    except ValueError:
        return ""
    return Moment(at, "instant" if CLOCK.search(raw) else "day").isoformat()


def _notes(entry: Any, element: ET.Element | None) -> str:
    """The longest of what the item calls its text: feedparser can lose the one beside the other."""
    found = [str(content.get("value", "")) for content in entry.get("content", [])]
    found += [str(entry.get("summary", "") or ""), str(entry.get("description", "") or "")]
    if element is not None:
        found += [_own(element, "", "description"), _own(element, "content", "encoded")]
    # An itunes:summary without markup is a copy of the notes with the links lost.
    marked = [text for text in found if "<" in text]
    return max(marked or found, key=len).strip()


def _own(element: ET.Element | None, prefix: str, name: str) -> str:
    if element is None:
        return ""
    tag = f"{{{NAMESPACES[prefix]}}}{name}" if prefix else name
    return element.findtext(tag) or ""


def _has_guid(element: ET.Element) -> bool:
    """feedparser fills a missing guid with the link."""
    return any(element.find(tag) is not None for tag in ("guid", "{http://www.w3.org/2005/Atom}id"))


def _enclosure(entry: Any, *kinds: str) -> dict[str, str]:
    found = [e for e in entry.get("enclosures", []) if absolute(_folded(e.get("href")), "")]
    best = next((e for e in found if str(e.get("type", "")).startswith(kinds)), found[0] if found else {})
    return {"href": _folded(best.get("href")), "type": _folded(best.get("type"))} if best else {}


def _podcast(element: ET.Element | None, name: str) -> Iterator[ET.Element]:
    if element is not None:
        for namespace in PODCAST:
            yield from element.iterfind(namespace + name)


def _people(element: ET.Element | None) -> Iterator[tuple[str, str, str]]:
    for person in _podcast(element, "person"):
        if name := _folded(person.text):
            yield (name, (person.get("role") or "host").lower(), person.get("href") or "")


def _extras(element: ET.Element | None) -> Iterator[tuple[str, str]]:
    for name in ("transcript", "chapters"):
        for found in _podcast(element, name):
            if address := absolute(found.get("url") or "", ""):
                yield (name, address)
