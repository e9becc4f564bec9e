"""Reads a podcast's RSS, Atom or JSON feed: lxml takes it apart, feedparser reads a few items at a
time, and what feedparser loses is read from their elements."""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from html import unescape
from typing import Any

import feedparser
from lxml import etree

from ...listings import PageDocument, decode, defines_entities, is_html, mended
from ...records import (
    LONGEST_TITLE,
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
from ._feed_item import (
    ATOM_LINK,
    ITUNES,
    PODCAST,
    Element,
    address,
    explicit,
    offered,
    one_line,
    people,
    read_item,
    stored,
    title_of,
)
from ._json_feed import SIGN, as_rss

TITLE = "RSS feed"
HOSTS: tuple[str, ...] = ()
MIN_WITH_TEXT = 0.2

ROOT = re.compile(r"<((?:\w+:)?(?:rss|feed|rdf))[\s>]", re.I)
HTML = re.compile(r"<(?:!doctype )?html", re.I)
OLDER = ("next", "prev-archive")  # RFC 5005: relations of the page with older items
BROKEN = "broken"
NOTHING = etree.Element("nothing")  # in place of the items of a broken feed
LESS_THAN = re.compile(rb"<(?![A-Za-z/!?_])")  # that begins no tag
ITEMS = ("{http://www.w3.org/2005/Atom}entry", "{http://purl.org/rss/1.0/}item")
BASES = ("{http://www.w3.org/XML/1998/namespace}base", "base")
# Namespaces that are in use under a second name.
SECOND_NAMES = {
    "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": PODCAST.strip(
        "{}"
    ),
    "http://podlove.org/simple-chapters/": "http://podlove.org/simple-chapters",
}
# Namespaces with the prefix that they have whatever a feed calls them: feedparser remembers a
# prefix from one item to the next.
NAMESPACES = {
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "media": "http://search.yahoo.com/mrss/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
}
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
NO_FEED = KnownFeed(b"", (), "")
PROLOG = 16_384  # characters in which a feed must have begun


def recognises(page: FetchedDocument) -> bool:
    return _root(text_of(page)) is not None


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


def read_news(page: FetchedDocument, known: KnownFeed = NO_FEED) -> FeedNews:
    """As `read`, but items that `known` has alike are not read again.

    Raises:
        DocumentRejected: as `read`.
    """
    place_of = _places_of(known)  # first: two trees at a time would take twice the memory
    body = _checked(page)
    tree = _tree(body)
    parent = next((item.getparent() for item in _items(tree)), tree)
    items = _taken_out(tree)
    frame = _by_feedparser(body if tree.tag == BROKEN else etree.tostring(tree))
    channel = _channel(frame.feed, channel_element(tree))
    link = one_line(frame.feed.get("link"))
    # The addresses from which those of items are seen, and those in their notes.
    base = page.address or link
    site = address(link, base) or base
    older = address(next(iter(_older(tree)), NOTHING).get("href"), base)
    read_by = digest(_code(), base, site, str(parent.base))
    if known.read_by != read_by:
        place_of = {}
    places = tuple(place_of.get(_digest_of(item)) for item in items)
    fresh = [item for item, place in zip(items, places, strict=True) if place is None]
    # A broken feed still has its items: they are in no tree, and all of them are read.
    entries = [read_item(entry, NOTHING, base, site) for entry in frame.entries]
    places = (None,) * len(entries) + places
    entries += _read_items(tree, parent, fresh, partial(read_item, base=base, site=site))
    reading = ParsedPage(
        tuple(entries), channel.title, channel=channel, read_by=read_by, next_page=older
    )
    return FeedNews(reading, places)


def _older(tree: Element) -> list[Element]:
    """The links of a feed to the page with its older items."""
    links = channel_element(tree).iterchildren(ATOM_LINK)
    return [link for link in links if link.get("rel") in OLDER]


def joined(pages: Sequence[FetchedDocument], *, is_whole: bool) -> FetchedDocument:
    """The first page of a feed with the items of its other pages behind its own; `is_whole`: there
    are no more.

    Raises:
        DocumentRejected: as `read`.
    """
    tree, *others = [_tree(_checked(page)) for page in pages]
    parent = next((item.getparent() for item in _items(tree)), tree)
    for other in others:
        parent.extend(list(_items(other)))
    for link in _older(tree) if is_whole else ():
        channel_element(tree).remove(link)
    kind = "application/xml; charset=utf-8"
    return replace(pages[0], body=etree.tostring(tree, encoding="utf-8"), content_type=kind)


def _read_items(
    tree: Element,
    parent: Element,
    items: Sequence[Element],
    read_one: Callable[[Any, Element], EntryData],
) -> Iterator[EntryData]:
    """The entries of these items, which take the place of all that their parent has: its own values
    are read already.

    Raises:
        DocumentRejected: feedparser does not find them.
    """
    for start in range(0, len(items), AT_ONCE):
        parent[:] = some = items[start : start + AT_ONCE]
        parsed = _by_feedparser(etree.tostring(tree)).entries
        if len(parsed) != len(some):
            raise DocumentRejected("unreadable feed (its items cannot be told apart)")
        yield from map(read_one, parsed, some)


def _items(tree: Element) -> Iterator[Element]:
    """The elements that feedparser takes for items, in any of the namespaces that RSS had."""
    named = tree.iter("{*}item", "{*}entry")
    return (item for item in named if item.prefix is None or item.tag in ITEMS)


def _taken_out(tree: Element) -> list[Element]:
    """The items of a feed, which has none afterwards."""
    items = list(_items(tree))
    for item in items:
        item.getparent().remove(item)
        # feedparser would resolve what follows against this, too.
        etree.strip_attributes(item, *BASES)
    return items


def _places_of(known: KnownFeed) -> dict[bytes, int]:
    """The places of known items by their digests."""
    if not known.body:
        return {}
    items = _taken_out(_tree(_checked(FetchedDocument(known.body))))
    if len(items) != len(known.entries):
        return {}
    return {_digest_of(item): place for place, item in enumerate(items)}


def _digest_of(item: Element) -> bytes:
    return sha256(etree.tostring(item, with_tail=False)).digest()


@cache
def _code() -> str:
    """A digest of the code on which the reading of an item depends."""
    parts = ("gather/sources", "listings", "dates", "text", "records.py")
    return digest_of_code(*parts, libraries=["feedparser", "lxml"])


def _checked(page: FetchedDocument) -> bytes:
    """The feed from its root on, in UTF-8.

    Raises:
        DocumentRejected: it is none, cut off, or defines entities.
    """
    text = text_of(page)
    root = _root(text)
    if root is None:
        if is_html(text):
            title = PageDocument.of(page).title or "untitled"
            raise DocumentRejected(f"an HTML page in place of a feed: {title}")
        raise DocumentRejected("not a feed (no <rss> or <feed> element)")
    if defines_entities(text[: root.start()].encode()):
        raise DocumentRejected("the feed defines its own XML entities, which is unsafe")
    if f"</{root[1]}".lower() not in text[-4096:].lower():
        raise DocumentRejected(f"the feed is cut off: it ends without </{root[1]}>")
    named = text[root.start() :]
    for second, first in SECOND_NAMES.items():
        declared = rf"(xmlns:[\w.-]+\s*=\s*[\"']){re.escape(second)}(?=[\"'])"
        named = re.sub(declared, rf"\g<1>{first}", named)
    return named.encode(errors="replace")


def _tree(body: bytes) -> Element:
    """A feed as a tree, mended where it has to be; one element called BROKEN where that does not
    help."""
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    # Mending costs time and can change a sound feed, so it comes second.
    for mend in (bytes, _mended):
        with suppress(etree.XMLSyntaxError):
            tree = etree.fromstring(mend(body), parser)
            etree.cleanup_namespaces(tree, top_nsmap=NAMESPACES)
            return tree
    return etree.Element(BROKEN)


def _mended(body: bytes) -> bytes:
    return LESS_THAN.sub(b"&lt;", mended(body))


def text_of(page: FetchedDocument) -> str:
    """The document from its first character on; a JSON Feed as RSS."""
    text = decode(page).lstrip("\ufeff \t\r\n")
    is_json_feed = text.startswith("{") and SIGN in text.replace(r"\/", "/")
    return as_rss(text) if is_json_feed else text


def _root(text: str) -> re.Match[str] | None:
    """The tag with which the feed begins; None where markup of another kind does before, as in a
    page that speaks of feeds."""
    found = ROOT.search(text[:PROLOG])
    return found if found and not HTML.search(text[: found.start()]) else None


def _by_feedparser(body: bytes) -> Any:
    try:
        # Given as a stream, since bytes could be taken for a file's name. No sanitiser and no
        # address resolution: notes are cleaned once by nh3, and kept as they came until then.
        stream = io.BytesIO(DROPPED.sub(b"", body))
        parsed = feedparser.parse(stream, sanitize_html=False, resolve_relative_uris=False)
    except Exception as error:  # of every kind, for what is broken
        raise DocumentRejected(f"unreadable feed ({type(error).__name__})") from error
    if not parsed.get("version"):
        raise DocumentRejected(
            f"unreadable feed ({parsed.get('bozo_exception', 'unknown format')})"
        )
    return parsed


def _channel(channel: Any, element: Element) -> Channel:
    own = element.find(f"{ATOM_LINK}[@rel='self']")
    terms = (one_line(tag.get("term")) for tag in channel.get("tags", []))
    # In place of the channel's own author feedparser gives the owner's name where that comes later.
    author = one_line(element.findtext(f"{ITUNES}author")) or one_line(channel.get("author"))
    # Of an RSS channel's descriptions feedparser keeps only one.
    names = ("description", f"{ITUNES}summary", f"{ITUNES}subtitle")
    descriptions = [element.findtext(name) for name in names]
    descriptions += [channel.get("subtitle"), channel.get("summary")]
    images = (channel.get("image", {}).get("href"), channel.get("logo"), channel.get("icon"))
    return Channel(
        title=title_of(channel, element)[:LONGEST_TITLE],
        author=without_mail(unescape(author)),
        owner=one_line(element.findtext(f"{ITUNES}owner/{ITUNES}name")),
        language=one_line(channel.get("language")),
        site_url=one_line(channel.get("link")),
        description=max(
            (one_line(to_text(stored(text)[:LONGEST])) for text in descriptions), key=len
        ),
        self_url="" if own is None else one_line(own.get("href")),
        new_feed_url=one_line(channel.get("itunes_new-feed-url")),
        guid=one_line(element.findtext(f"{PODCAST}guid")),
        image_url=address(next(filter(None, map(one_line, images)), "")),
        explicit=explicit(element),
        kind=one_line(channel.get("itunes_type")).lower(),
        medium=one_line(element.findtext(f"{PODCAST}medium")).lower(),
        copyright=one_line(channel.get("rights")),
        categories=tuple(dict.fromkeys(filter(None, terms))),
        people=tuple(people(element)),
        details=tuple(offered(element)),
    )


def channel_element(tree: Element) -> Element:
    """The element that speaks of the show: `channel`, or the whole of an Atom feed."""
    return next(tree.iterchildren("{*}channel"), tree)
