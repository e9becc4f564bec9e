"""Finds the feeds that a page links: its own podcast's, where it is a show's page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress

from ..records import FetchedDocument
from .document import PageDocument
from .html import absolute, attribute
from .opml import web_address

FEED_TYPES = (
    "application/rss+xml",
    "application/atom+xml",
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
