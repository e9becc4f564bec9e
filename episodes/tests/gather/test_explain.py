"""`ingest --explain`: what of a feed is used, and for what. Each row of the table is held to what the reader does."""

from __future__ import annotations

from typing import Any

import pytest

from episodes.gather.sources import feed
from episodes.gather.sources._explain import _uses, explain
from episodes.records import FetchedDocument, Show

SPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:media="http://search.yahoo.com/mrss/" xmlns:psc="http://podlove.org/simple-chapters" '
    'xmlns:enc="http://purl.oclc.org/net/rss_2.0/enc#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"'
)
A = "https://a.example/"
# Elements that are not simply a text.
WRITTEN = {
    "itunes:image": f'<itunes:image href="{A}c.jpg"/>',
    "image": f"<image><url>{A}c.jpg</url><title>t</title><link>{A}</link></image>",
    "itunes:category": '<itunes:category text="Arts"/>',
    "atom:link": f'<atom:link rel="self" href="{A}feed"/>',
    "itunes:explicit": "<itunes:explicit>true</itunes:explicit>",
    "itunes:duration": "<itunes:duration>12:34</itunes:duration>",
    "itunes:episode": "<itunes:episode>3</itunes:episode>",
    "itunes:season": "<itunes:season>3</itunes:season>",
    "itunes:episodeType": "<itunes:episodeType>bonus</itunes:episodeType>",
    "itunes:new-feed-url": f"<itunes:new-feed-url>{A}new</itunes:new-feed-url>",
    "link": f"<link>{A}page</link>",
    "ttl": "<ttl>60</ttl>",
    "sy:updatePeriod": "<sy:updatePeriod>daily</sy:updatePeriod>",
    "sy:updateFrequency": "<sy:updateFrequency>2</sy:updateFrequency>",
    "podcast:updateFrequency": '<podcast:updateFrequency complete="true">Done</podcast:updateFrequency>',
    "pubDate": "<pubDate>Mon, 01 Jan 2024 10:00:00 GMT</pubDate>",
    "published": "<published>2024-01-01T10:00:00Z</published>",
    "updated": "<updated>2024-01-01T10:00:00Z</updated>",
    "dc:date": "<dc:date>2024-01-01T10:00:00Z</dc:date>",
    "enclosure": f'<enclosure url="{A}a.mp3" type="audio/mpeg"/>',
    "enc:enclosure": f'<enc:enclosure rdf:resource="{A}a.mp3" enc:type="audio/mpeg"/>',
    "media:content": f'<media:content url="{A}a.mp3" type="audio/mpeg"/>',
    "podcast:transcript": f'<podcast:transcript url="{A}t.vtt" type="text/vtt"/>',
    "podcast:chapters": f'<podcast:chapters url="{A}c.json" type="application/json"/>',
    "podcast:season": '<podcast:season name="Spring">1</podcast:season>',
    "podcast:episode": '<podcast:episode display="Ch.3">3</podcast:episode>',
    "podcast:soundbite": '<podcast:soundbite startTime="3" duration="9">Bit</podcast:soundbite>',
    "podcast:socialInteract": f'<podcast:socialInteract uri="{A}1" protocol="activitypub"/>',
    "podcast:alternateEnclosure": f'<podcast:alternateEnclosure type="audio/opus"><podcast:source uri="{A}a.opus"/>'
    "</podcast:alternateEnclosure>",
    "itunes:owner": "<itunes:owner><itunes:name>word</itunes:name></itunes:owner>",
    "psc:chapters": '<psc:chapters><psc:chapter start="0:00" title="Start"/></psc:chapters>',
}
# What must be there too for an element to say something.
BESIDE = {"sy:updateFrequency": WRITTEN["sy:updatePeriod"]}
ATOM_ONLY = {
    ("channel", "subtitle"): "<subtitle>word</subtitle>",
    ("channel", "rights"): "<rights>word</rights>",
    ("channel", "author"): "<author><name>word</name></author>",
    ("channel", "logo"): f"<logo>{A}c.jpg</logo>",
    ("channel", "icon"): f"<icon>{A}c.jpg</icon>",
    ("channel", "entry"): "<entry><title>Another</title></entry>",
    ("item", "id"): "<id>word</id>",
    ("item", "summary"): "<summary>word</summary>",
    ("item", "content"): "<content>word</content>",
    ("item", "published"): WRITTEN["published"],
    ("item", "updated"): WRITTEN["updated"],
}
ROWS = [(place, name) for place, names in _uses().items() for name in names]


def document(place: str, name: str, *, there: bool) -> FetchedDocument:
    """A feed of one item, with or without an element."""
    if (place, name) in ATOM_ONLY:
        own = ATOM_ONLY[place, name] if there else ""
        channel, item = (own, "") if place == "channel" else ("", own)
        return FetchedDocument(
            f'<feed xmlns="http://www.w3.org/2005/Atom" {SPACES}>{channel}<entry>{item}</entry></feed>'.encode()
        )
    own = WRITTEN.get(name, f"<{name}>word</{name}>") if there else ""
    own = "<item><title>Another</title></item>" if there and name == "item" else own
    own += BESIDE.get(name, "")
    channel, item = (own, "") if place == "channel" else ("", own)
    return FetchedDocument(
        f'<rss version="2.0" {SPACES}><channel>{channel}<item>{item}</item></channel></rss>'.encode()
    )


def said(page: FetchedDocument) -> Any:
    reading = feed.read(page, Show("", ""))
    assert reading.channel
    return reading.channel.payload(), [entry.payload() for entry in reading.entries]


@pytest.mark.parametrize("place, name", ROWS)
def test_an_element_that_is_said_to_be_used_changes_what_is_read(place: str, name: str) -> None:
    assert said(document(place, name, there=True)) != said(document(place, name, there=False))


@pytest.mark.parametrize("place, name", ROWS)
def test_an_element_is_found_under_its_usual_name(place: str, name: str) -> None:
    uses = {(use.place, use.name): use.use for use in explain(document(place, name, there=True))}
    assert uses[place, name]


def test_what_is_not_used_is_said_not_to_be() -> None:
    page = FetchedDocument(
        b'<rss xmlns:x="http://x.example/y"><channel><cloud>60</cloud><item><x:rating>5</x:rating></item></channel></rss>'
    )
    assert [(use.place, use.name, use.count, use.use) for use in explain(page)] == [
        ("channel", "cloud", 1, ""),
        ("channel", "item", 1, "an episode"),
        ("item", "http://x.example/y:rating", 1, ""),
    ]
