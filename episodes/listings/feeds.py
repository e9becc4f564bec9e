"""Finds the feeds that a page links, its own podcast and others; reads lists of subscriptions
(OPML), as podcast apps export them."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from ..records import DocumentRejected, FetchedDocument
from ..text.private_addresses import conceal, without_secret
from ..text.urls import is_web, page_key
from .decoding import decode_document
from .document import PageDocument
from .rows import absolute, attribute
from .xml_repair import defines_entities, parse_xml

# -- lists of subscriptions ------------------------------------------------------------------------

# Schemes that programs made up so that a click opens a podcast app: `feed://…`, `feed:https://…`.
OF_APPS = re.compile(r"^(?:feed|itpc|pcast|podcast):", re.I)
LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Subscription:
    """A feed that a list names; `address` is "" where nothing can be fetched, and `trouble` says
    why."""

    title: str
    address: str = ""
    trouble: str = ""

    @property
    def display_address(self) -> str:
        return without_secret(self.address)


def subscriptions(page: FetchedDocument) -> tuple[Subscription, ...]:
    """Every feed of the list once, and what it lists that is none.

    Raises:
        DocumentRejected: it cannot be read, or lists nothing.
    """
    text = decode_document(page)
    if defines_entities(text):
        raise DocumentRejected("the OPML file defines its own XML entities, which is unsafe")
    document = parse_xml(text)
    found: dict[str, Subscription] = {}
    for outline in document.root.iter("*"):
        values = {
            name.lower(): " ".join(value.split())[:LONGEST]
            for name, value in outline.attrib.items()
        }
        if outline.tag.rpartition("}")[2].lower() == "outline" and _is_feed(values):
            subscription = _subscription(values)
            key = page_key(subscription.address) or subscription.title
            found.setdefault(key, subscription)
    if not found:
        raise DocumentRejected("the OPML file lists no feeds, or is not well-formed")
    return tuple(found.values())


def _is_feed(values: dict[str, str]) -> bool:
    """True for an outline with the address of a feed, or one that says that it is a feed."""
    has_address = not values.keys().isdisjoint(("xmlurl", "url"))
    return has_address or values.get("type", "").lower() == "rss"


def web_address(address: str) -> str:
    """The http(s) address behind one that is made for apps."""
    rest = OF_APPS.sub("", address, count=1)
    return f"http:{rest}" if rest.startswith("//") and rest != address else rest


def _subscription(values: dict[str, str]) -> Subscription:
    written = values.get("xmlurl") or values.get("url", "")
    address = web_address(written)
    title = conceal(values.get("text") or values.get("title") or written or "untitled")
    if not written:
        return Subscription(title, trouble="no feed address")
    if not is_web(address):
        return Subscription(title, trouble=f"{written[:80]!r} is not an http(s) address")
    return Subscription(title, address)


# -- feeds that a page links ------------------------------------------------------------------------

FEED_TYPES = (
    "application/rss+xml",
    "application/atom+xml",
    "application/feed+json",
    "application/rdf+xml",
    "text/xml",
    "application/xml",
)
# Directories keep the address of a show's feed in the data of their pages.
IN_DATA = re.compile(
    r'"(?:feedUrl|feed_url|webFeed|rssUrl|rss_url|rssFeedUrl|xmlUrl)"\s*:\s*("(?:[^"\\]|\\.){8,1000}")'
)
# Feeds of a site that are never of its podcast.
OF_COMMENTS = re.compile(r"comments?\b|kommentare?\b|commentaires?\b|comentarios\b", re.I)
LOOKS_LIKE = re.compile(
    r"\.(?:xml|rss|rdf|atom)(?:\?|$)|/(?:feed|rss|podcast\.xml|feeds?/podcast)/?(?:\?|$)|[./]feed[s.]",
    re.I,
)
MOST = 6


def feed_addresses(page: FetchedDocument) -> tuple[str, ...]:
    """Addresses that may be the podcast's feed, the likeliest first: what the page declares, what
    its data say, its links."""
    named = _named(PageDocument.of(page))
    found = (absolute(web_address(address), page.address) for address in named)
    return tuple(dict.fromkeys(address for address in found if address))[:MOST]


def _named(page: PageDocument) -> Iterator[str]:
    declared = page.tree.css("link[rel~='alternate'][href]") if page.tree else []
    feeds = [
        (f"{attribute(link, 'title')} {attribute(link, 'href')}", attribute(link, "href"))
        for link in declared
        if attribute(link, "type").strip().lower() in FEED_TYPES
    ]
    own = [(words, href) for words, href in feeds if not OF_COMMENTS.search(words)]
    yield from (href for _, href in sorted(own, key=lambda one: "podcast" not in one[0].lower()))
    for found in IN_DATA.finditer(page.text):
        # A script may escape in ways that JSON does not know: "https:\x2F\x2F", "it\'s".
        with suppress(ValueError):
            yield str(json.loads(found[1].replace(r"\x", r"\u00"), strict=False))
    for link in page.tree.css("a[href]") if page.tree else []:
        address = attribute(link, "href")
        if LOOKS_LIKE.search(web_address(address)) and not OF_COMMENTS.search(address):
            yield address
