"""Reads a podcast's RSS, Atom or JSON feed with feedparser, and in one ElementTree pass what
feedparser loses."""

from __future__ import annotations

import codecs
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from html import unescape
from typing import Any

import feedparser

from ...listings import (
    PageDocument,
    decode,
    defines_entities,
    is_html,
    mended,
    read_xml,
)
from ...records import (
    Channel,
    DocumentRejected,
    EntryData,
    FetchedDocument,
    KnownFeed,
    ParsedPage,
    Show,
)
from ...text.addresses import without_mail
from ...text.release import digest, digest_of_code
from ...text.show_notes import to_text
from . import _podcasting as podcasting
from ._feed_item import read_item
from ._feed_parts import ITEMS, FeedParts, parts_of
from ._json_feed import as_rss, is_json_feed
from ._podcasting import ITUNES
from ._values import address, one_line, stored

TITLE = "RSS feed"
HOSTS: tuple[str, ...] = ()
MIN_WITH_TEXT = 0.2

# Another encoding than UTF-8; ISO-2022 is made of ASCII, so that its bytes do not tell it.
DECLARED_OTHER = re.compile(rb"\A<\?xml(?![^>]*(?:utf-?8|2022))[^>]{0,200}\?>\s*", re.I)
ROOT = re.compile(rb"<((?:\w+:)?(?:rss|feed|rdf))[\s>]", re.I)
# feedparser gives up a whole feed for one chapter without a start or one position outside its
# place.
DROPPED = re.compile(
    rb"""</?(?:[\w.-]{1,40}:)?(?:chapters?|pos(?:list)?)(?=[\s/>])(?:[^<>"']|"[^"<]*"|'[^'<]*')*>""",
    re.I,
)
LONGEST = 100_000  # characters of a description
AT_ONCE = (
    100  # items given to feedparser, so that its memory is bounded whatever the size of the feed
)
NOTHING = ET.Element("nothing")  # in place of a feed that is not well-formed
PROLOG = 16_384  # bytes in which a feed must have begun


def recognises(page: FetchedDocument) -> bool:
    return _root(body_of(page)) is not None


@dataclass(frozen=True, slots=True)
class FeedNews:
    """A reading of a feed with only the entries that were not known. For each item, `places` has
    the place of the same item among the known ones, or None."""

    reading: ParsedPage
    places: tuple[int | None, ...]

    def complete(self, known: Sequence[EntryData]) -> ParsedPage:
        """The reading with all entries."""
        fresh = iter(self.reading.entries)
        entries = tuple(next(fresh) if place is None else known[place] for place in self.places)
        return replace(self.reading, entries=entries)


def read(page: FetchedDocument, show: Show) -> ParsedPage:
    """The feed's items in their order, and what its channel says of the show.

    Raises:
        DocumentRejected: it is an HTML page, no feed, cut off, or defines entities.
    """
    return read_news(page).complete(())


def read_news(page: FetchedDocument, known: KnownFeed | None = None) -> FeedNews:
    """As `read`, but items that `known` has byte for byte are not read again.

    Raises:
        DocumentRejected: as `read`.
    """
    body = _checked(page)
    parts = _apart(body)
    return (_read_parts(parts, page.address, known) if parts else None) or _read_whole(
        body, page.address
    )


def _apart(body: bytes) -> FeedParts | None:
    """The parts of a feed, mended where it had to be; None for one that does not come apart."""
    return parts_of(body) or parts_of(mended(body))


def _read_by(address: str, site: str) -> str:
    """A digest of all that the reading of an item depends on: the code, and the feed's address and
    its site's, to which those in the item are relative; "" for a feed without an address."""
    return digest(_code(), address, site) if address else ""


@cache
def _code() -> str:
    return digest_of_code(
        "gather/sources", "listings", "dates", "text", "records.py", libraries=["feedparser"]
    )


def _checked(page: FetchedDocument) -> bytes:
    """The feed from its first character on."""
    body = body_of(page)
    root = _root(body)
    if root is None or b"\0" in body:
        raise DocumentRejected(what_it_is(page))
    if defines_entities(body[: root.start()]):
        raise DocumentRejected("the feed defines its own XML entities, which is unsafe")
    if b"</" + root[1].lower() not in body[-4096:].lower():
        raise DocumentRejected(f"the feed is cut off: it ends without </{root[1].decode()}>")
    return body


def _read_parts(parts: FeedParts, address: str, known: KnownFeed | None) -> FeedNews | None:
    """The news of a feed in parts; None if a part is not well-formed for both parsers, or
    feedparser finds other items in it."""
    frame, tree = _strictly(parts.frame)
    if frame is None or frame.entries:
        return None
    base, site = _bases(frame.feed, address)
    read_by = _read_by(address, site)
    places = _places(parts, known, read_by)
    fresh = [item for item, place in zip(parts.items, places, strict=True) if place is None]
    entries: list[EntryData] = []
    for start in range(0, len(fresh), AT_ONCE):
        some = fresh[start : start + AT_ONCE]
        parsed, elements = _strictly(parts.with_only(some))
        found = _items(elements)
        if parsed is None or not len(parsed.entries) == len(found) == len(some):
            return None
        entries += map(partial(read_item, base=base, site=site), parsed.entries, found)
    return FeedNews(_reading(frame.feed, tree, entries, read_by), places)


def _places(parts: FeedParts, known: KnownFeed | None, read_by: str) -> tuple[int | None, ...]:
    """For each item the place of the same bytes among the known ones, or None; all None if other
    tags enclosed those."""
    nothing: tuple[int | None, ...] = (None,) * len(parts.items)
    if known is None or known.read_by != read_by:
        return nothing
    before = _apart(body_of(FetchedDocument(known.body)))
    if before is None or before.opening != parts.opening or len(before.items) != len(known.entries):
        return nothing
    place_of = {item: place for place, item in enumerate(before.items)}
    return tuple(map(place_of.get, parts.items))


def _strictly(body: bytes) -> tuple[Any, ET.Element]:
    """The document as parsed by feedparser and by ElementTree; None and nothing unless it is
    well-formed for both."""
    try:
        tree = ET.fromstring(body)
    except (ET.ParseError, ValueError, LookupError):
        return None, NOTHING
    parsed = _parsed(body)
    return (None, NOTHING) if parsed.get("bozo") else (parsed, tree)


def _read_whole(body: bytes, address: str) -> FeedNews:
    """A feed as it is, broken or not."""
    tree, body = read_xml(body)
    tree = NOTHING if tree is None else tree
    parsed = _parsed(body)
    bases, elements = _bases(parsed.feed, address), _items(tree)
    own = elements if len(elements) == len(parsed.entries) else [NOTHING] * len(parsed.entries)
    entries = [
        read_item(entry, element, *bases)
        for entry, element in zip(parsed.entries, own, strict=True)
    ]
    return FeedNews(_reading(parsed.feed, tree, entries, ""), (None,) * len(entries))


def _bases(channel: Any, base: str) -> tuple[str, str]:
    """The addresses from which those of items are seen, and those in their notes: the feed's, and
    its site's."""
    link = one_line(channel.get("link"))
    return base or link, address(link, base) or base


def _items(tree: ET.Element) -> list[ET.Element]:
    return [element for element in tree.iter() if element.tag in ITEMS]


def _reading(
    channel: Any, tree: ET.Element, entries: Sequence[EntryData], read_by: str
) -> ParsedPage:
    said = _channel(channel, channel_element(tree))
    return ParsedPage(tuple(entries), said.title, channel=said, read_by=read_by)


def body_of(page: FetchedDocument) -> bytes:
    """The document from its first character on, in an encoding that keeps its markup ASCII; a JSON
    Feed as RSS."""
    wide = page.body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    body = decode(page).encode() if wide else page.body.removeprefix(codecs.BOM_UTF8)
    if is_json_feed(body.lstrip()):
        return as_rss(body)
    is_utf8 = body.decode(errors="ignore").encode() == body
    return DECLARED_OTHER.sub(b"", body.lstrip()) if is_utf8 else body.lstrip()


def _root(body: bytes) -> re.Match[bytes] | None:
    """Where the feed begins; None where markup of another kind does before, as in a page that
    speaks of feeds."""
    found = ROOT.search(body[:PROLOG])
    before = body[: found.start()].lower() if found else b""
    return None if b"<html" in before or b"<!doctype html" in before else found


def _parsed(body: bytes) -> Any:
    try:
        # Given as a stream, since bytes could be taken for a file's name. No sanitiser and no
        # address resolution: notes are cleaned once by nh3, and kept as they came until then.
        stream = io.BytesIO(DROPPED.sub(b"", body))
        parsed = feedparser.parse(stream, sanitize_html=False, resolve_relative_uris=False)
    except (
        Exception
    ) as error:  # its reader of broken XML stops at much, with exceptions of every kind
        raise DocumentRejected(f"unreadable feed ({type(error).__name__})") from error
    if not parsed.get("version"):
        raise DocumentRejected(
            f"unreadable feed ({parsed.get('bozo_exception', 'unknown format')})"
        )
    return parsed


def what_it_is(page: FetchedDocument) -> str:
    """What a document is that is no feed."""
    text = decode(page)  # refuses what is empty or no text, in its own words
    if is_html(text):
        return f"an HTML page in place of a feed: {PageDocument.of(page).title or 'untitled'}"
    return "not a feed (no <rss> or <feed> element)"


def _channel(channel: Any, element: ET.Element) -> Channel:
    own = (link.get("href") for link in channel.get("links", []) if link.get("rel") == "self")
    terms = (one_line(tag.get("term")) for tag in channel.get("tags", []))
    # In place of the channel's own author feedparser gives the owner's name where that comes later.
    author = one_line(element.findtext(f"{ITUNES}author")) or one_line(channel.get("author"))
    # Of an RSS channel's descriptions feedparser keeps only one.
    names = ("description", f"{ITUNES}summary", f"{ITUNES}subtitle")
    descriptions = [element.findtext(name) for name in names]
    descriptions += [channel.get("subtitle"), channel.get("summary")]
    images = ((channel.get("image") or {}).get("href"), channel.get("logo"), channel.get("icon"))
    return Channel(
        title=one_line(unescape(stored(channel.get("title")))),
        author=without_mail(unescape(author)),
        owner=one_line(element.findtext(f"{ITUNES}owner/{ITUNES}name")),
        language=one_line(channel.get("language")),
        site_url=one_line(channel.get("link")),
        description=max(
            (one_line(to_text(stored(text)[:LONGEST])) for text in descriptions), key=len
        ),
        self_url=one_line(next(own, "")),
        new_feed_url=one_line(channel.get("itunes_new-feed-url")),
        guid=podcasting.text_of(element, "guid"),
        image_url=address(next(filter(None, map(one_line, images)), "")),
        explicit=podcasting.explicit(element),
        kind=one_line(channel.get("itunes_type")).lower(),
        medium=podcasting.text_of(element, "medium").lower(),
        copyright=one_line(channel.get("rights")),
        categories=tuple(dict.fromkeys(filter(None, terms))),
        people=tuple(podcasting.people(element)),
        details=tuple(podcasting.offered(element)),
    )


def channel_element(tree: ET.Element) -> ET.Element:
    """The element that speaks of the show: `channel`, or the whole of an Atom feed."""
    return next((element for element in tree if element.tag.endswith("channel")), tree)
