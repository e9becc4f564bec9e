"""Finds the podcast feeds that a page links. Reads lists of subscriptions (OPML), as podcast apps export
them."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from ..records import DocumentRejected, FetchedDocument
from ..text.private_addresses import mask_secrets, without_secret
from ..text.urls import is_web_url, page_key
from .decoding import decode_text_or_raise
from .document import PageDocument
from .rows import absolute_web_address_or_blank, attribute
from .xml_repair import Element, defines_entities, parse_or_repair_xml

# -- lists of subscriptions ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Subscription:
    """A feed in a list. If it cannot be fetched, `address` is "" and `problem` has the reason."""

    title: str
    address: str = ""
    problem: str = ""

    @property
    def display_address(self) -> str:
        return without_secret(self.address)


def parse_opml_subscriptions(page: FetchedDocument) -> tuple[Subscription, ...]:
    """Return every feed of the list once, also feeds without a usable address.

    Raises:
        DocumentRejected: the list cannot be read, or is empty.
    """
    text = decode_text_or_raise(page)
    if defines_entities(text):
        raise DocumentRejected("the OPML file defines its own XML entities, which is unsafe")
    document = parse_or_repair_xml(text)
    subscriptions: dict[str, Subscription] = {}  # by address, or by title without one
    for attributes in _iterate_outline_attributes(document.root):
        if _is_feed(attributes):
            subscription = _parse_subscription(attributes)
            key = page_key(subscription.address) or subscription.title
            # Of equal addresses the first counts.
            subscriptions.setdefault(key, subscription)
    if not subscriptions:
        raise DocumentRejected("the OPML file lists no feeds, or is not well-formed")
    return tuple(subscriptions.values())


def _iterate_outline_attributes(root: Element) -> Iterator[dict[str, str]]:
    """Yield the attributes of each entry of an OPML list, <outline text="Bee Talk" xmlUrl="https://…">, with
    their names in lower case."""
    for element in root.iter("*"):
        tag = element.tag.rpartition("}")[2].lower()  # without its namespace
        if tag == "outline":
            yield {
                name.lower(): " ".join(value.split())[:1_000]
                for name, value in element.attrib.items()
            }


def _is_feed(attributes: dict[str, str]) -> bool:
    outline_type = attributes.get("type", "").lower()
    if "xmlurl" in attributes or outline_type == "rss":
        return True
    # Overcast lists the episodes of each show.
    return "url" in attributes and outline_type != "podcast-episode"


def _parse_subscription(attributes: dict[str, str]) -> Subscription:
    raw_address = attributes.get("xmlurl", attributes.get("url", ""))
    titles = (attributes.get("text"), attributes.get("title"), raw_address, "untitled")
    # The first that is not empty. An address may have a password in it.
    title = mask_secrets(next(filter(None, titles)))
    # "https://a.example/rss" of "feed:https://a.example/rss"
    address = unwrap_app_address(raw_address)
    if not raw_address:
        return Subscription(title, problem="no feed address")
    if not is_web_url(address):
        return Subscription(title, problem=f"{raw_address[:80]!r} is not an http(s) address")
    return Subscription(title, address)


def unwrap_app_address(address: str) -> str:
    """Return the http(s) address in an address that opens a podcast app: `feed://…`,
    `feed:https://…`."""
    scheme, _, rest = address.partition(":")
    if scheme.lower() not in ("feed", "itpc", "pcast", "podcast"):
        return address
    return f"http:{rest}" if rest.startswith("//") else rest


# -- feeds that a page links ------------------------------------------------------------------------

FEED_TYPE = re.compile(
    r"application/(?:rss|atom|rdf)\+xml|application/feed\+json|(?:text|application)/xml", re.I
)
# Directories have the address of a show's feed in the data of their pages.
FEED_IN_DATA = re.compile(
    r'"(?:feedUrl|feed_url|webFeed|rssUrl|rss_url|rssFeedUrl|xmlUrl)"\s*:\s*'
    r'(?P<json_text>"(?:[^"\\]|\\.){8,1000}")'
)
# Feeds of a site that are not its podcast: /comments/feed/
COMMENTS_FEED = re.compile(r"comments?\b|kommentare?\b|commentaires?\b|comentarios\b", re.I)
# "/feed.xml", "/podcast.rss?page=1", "/feed/", "/feeds/podcast", "feeds.loom.example"
FEED_ADDRESS = re.compile(
    r"\.(?:xml|rss|rdf|atom)(?:\?|$)|/(?:feed|rss|podcast\.xml|feeds?/podcast)/?(?:\?|$)|[./]feed[s.]",
    re.I,
)


def find_likeliest_feed_addresses(page: FetchedDocument) -> tuple[str, ...]:
    """Return at most six addresses that may be the podcast's feed, the likeliest first: feeds that the page
    declares, feeds in its data, and links that look like feeds."""
    document = PageDocument.from_fetched(page)
    candidates = [
        *_declared_feeds_podcasts_first(document),
        *_feed_addresses_in_data(document),
        *_feed_addresses_of_anchors(document),
    ]
    addresses: dict[str, None] = {}
    for candidate in candidates:
        address = absolute_web_address_or_blank(unwrap_app_address(candidate), page.address)
        if address:
            addresses[address] = None
    return tuple(addresses)[:6]


def _declared_feeds_podcasts_first(page: PageDocument) -> list[str]:
    """Return the feeds in <link rel="alternate" type="application/rss+xml" title="The podcast" href="/rss">."""
    podcast_addresses: list[str] = []
    further_addresses: list[str] = []  # such as the feed of a blog
    for link in _select_all(page, "link[rel~='alternate'][href]"):
        href = attribute(link, "href")
        title_and_address = f"{attribute(link, 'title')} {href}"
        media_type = attribute(link, "type").strip()
        # An alternate may also be a translation of the page.
        is_feed = FEED_TYPE.fullmatch(media_type) is not None
        if not is_feed or COMMENTS_FEED.search(title_and_address):
            continue
        if "podcast" in title_and_address.lower():
            podcast_addresses.append(href)
        else:
            further_addresses.append(href)
    return podcast_addresses + further_addresses


def _feed_addresses_in_data(page: PageDocument) -> Iterator[str]:
    for feed in FEED_IN_DATA.finditer(page.text):
        # A script may escape in ways that JSON does not know: "https:\x2F\x2F", "it\'s".
        json_text = feed["json_text"].replace(r"\x", r"\u00")
        with suppress(ValueError):
            yield str(json.loads(json_text, strict=False))


def _feed_addresses_of_anchors(page: PageDocument) -> Iterator[str]:
    for link in _select_all(page, "a[href]"):
        address = unwrap_app_address(attribute(link, "href"))
        if FEED_ADDRESS.search(address) and not COMMENTS_FEED.search(address):
            yield address


def _select_all(page: PageDocument, selector: str) -> list[LexborNode]:
    return page.tree.css(selector) if page.tree else []
