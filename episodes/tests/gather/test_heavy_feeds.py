"""Feeds that are made to hold up who reads them, or that name an encoding which they are not in."""

import re

from feedparser.api import StrictFeedParser

from episodes.gather.sources import feed
from episodes.records import FetchedDocument, Show

from .test_feed_parts import SPACES


def test_endless_notes_and_people_are_cut() -> None:
    notes = "&lt;p&gt;One word after another.&lt;/p&gt; " * 40_000
    people = "".join(f"<podcast:person>Person N{n}</podcast:person>" for n in range(1_500))
    item = f"<item><title>One</title><description>{notes}</description>{people}</item>"
    body = f"<rss {SPACES}><channel><title>Show</title>{item}</channel></rss>"
    (said,) = feed.read(FetchedDocument(body.encode()), Show("", "")).entries
    assert len(said.html) <= 1_000_000
    assert len(said.people) == 1_000


def test_ascii_declared_utf_16_is_read() -> None:
    body = b'<?xml version="1.0" encoding="UTF-16"?><rss><channel><title>Show</title><item><title>A</title></item></channel></rss>'
    assert feed.read(FetchedDocument(body), Show("", "")).show == "Show"


def elements() -> list[str]:
    """Every element that feedparser knows, empty and with text."""
    prefixes = {prefix: address for address, prefix in StrictFeedParser.namespaces.items() if prefix and address}
    known = {found[2] for name in dir(StrictFeedParser) if (found := re.match("_(start|end)_(.+)", name))}
    every: list[str] = []
    for name in sorted(known):
        prefix = max((prefix for prefix in prefixes if name.startswith(f"{prefix}_")), key=len, default="")
        tag = name.removeprefix(f"{prefix}_") if prefix else name
        space = f' xmlns="{prefixes[prefix]}"' if prefix else ""
        spaced = f' xmlns:x="{prefixes[prefix]}"' if prefix else ""
        every += [f"<{tag}{space}/>", f"<{tag}{space}>word</{tag}>"]
        every += [f"<x:{tag}{spaced}>1 2</x:{tag}>"] if prefix else []
    return every


def test_no_known_element_stops_feedparser() -> None:
    for element in elements():
        for channel, item in ((element, ""), ("", element)):
            body = f"<rss><channel><title>Show</title>{channel}<item><description>One</description>{item}</item></channel></rss>"
            assert len(feed.read(FetchedDocument(body.encode()), Show("", "")).entries) >= 1, body
