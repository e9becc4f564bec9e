"""A feed is read item by item: known items are not read again, and the result is the same."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.gather.sources import feed
from episodes.records import EarlierFeed, FetchedDocument, Show

from ..tables import cases

CASES = cases("gather_feed_parts")

SPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:media="http://search.yahoo.com/mrss/" xmlns:psc="http://podlove.org/simple-chapters" '
    'xmlns:enc="http://purl.oclc.org/net/rss_2.0/enc#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"'
)
ADDRESS = "https://looms.example/feed.xml"
ITEMS = (
    "<item><title>One</title><guid>1</guid></item>",
    "<item/>",
    '<item><title>A &lt;b&gt;loom&lt;/b&gt;</title><link>two</link><enclosure url="a.mp3" type="audio/mpeg"/></item >',
    "<item><title><![CDATA[Half </item> way]]></title><description><![CDATA[<p>Text & more</p>]]></description></item>",
    "<item><title>Three</title><category>wool</category><itunes:author>Ada</itunes:author></item>",
    "<item><title>Q&A about yarn&hellip;</title></item>",
    "<item><title>Four</title><pubDate>Tue, 05 Mar 2024 10:00:00 GMT</pubDate><itunes:duration>12:30</itunes:duration></item>",
)
SHOW = "<title>Looms</title><link>https://looms.example/</link><image><url>i.png</url></image>"


def page(*items: str, more: str = "", address: str = ADDRESS, attributes: str = "") -> FetchedDocument:
    opened = f'<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" {SPACES}><channel {attributes}>'
    lines = (opened, SHOW, more, *items, "</channel></rss>")
    return FetchedDocument("\n".join(lines).encode(), address)


@pytest.mark.parametrize("behind", [b" " * 9_000, b"<script>" + b"x" * 9_000 + b"</script>", b"</html>"])
def test_anything_may_follow_a_feed(behind: bytes) -> None:
    document = FetchedDocument(page(ITEMS[0]).body + behind, ADDRESS)
    assert [entry.title for entry in feed.read(document, Show("", "")).entries] == ["One"]


@pytest.mark.parametrize(
    "said, meant",
    [("yes", "yes"), ("True", "yes"), ("explicit", "yes"), (" clean ", "no"), ("false", "no"), ("no", "no"), ("maybe", ""), ("", "")],
)  # fmt: skip
def test_explicit_is_yes_or_no_in_any_words(said: str, meant: str) -> None:
    item = f"<item><title>One</title><guid>1</guid><itunes:explicit>{said}</itunes:explicit></item>"
    (entry,) = feed.read(page(item), Show("", "")).entries
    assert entry.explicit == meant


@pytest.mark.parametrize(
    "item, titles",
    [
        ("<atom:entry><atom:title>Two</atom:title><atom:id>2</atom:id></atom:entry>", ["One", "Two"]),
        ('<r:item xmlns:r="http://purl.org/rss/1.0/"><r:title>Two</r:title></r:item>', ["One", "Two"]),
        ('<x:item xmlns:x="urn:looms"><x:title>Two</x:title></x:item>', ["One"]),
    ],
)
def test_items_are_known_under_any_prefix(item: str, titles: list[str]) -> None:
    assert [one.title for one in feed.read(page(ITEMS[0], item), Show("", "")).entries] == titles


def known(document: FetchedDocument) -> EarlierFeed:
    reading = feed.read(document, Show("", ""))
    return EarlierFeed(document.body, reading.entries, reading.fingerprint)


@given(st.lists(st.sampled_from(ITEMS), max_size=12), st.lists(st.sampled_from(ITEMS), max_size=12))
def test_known_feed_changes_no_result(before: list[str], now: list[str]) -> None:
    document = page(*now)
    news = feed.read_changed_items(document, earlier := known(page(*before)))
    assert news.with_unchanged_items(earlier.entries) == feed.read(document, Show("", ""))


def test_only_changed_items_are_read() -> None:
    earlier = known(page(*ITEMS))
    changed = ITEMS[4].replace("Three", "Third")
    news = feed.read_changed_items(page("<item><title>New</title></item>", *ITEMS[:4], changed, *ITEMS[5:]), earlier)
    assert [said.title for said in news.parsed.entries] == ["New", "Third"]
    assert news.earlier_positions == (None, 0, 1, 2, 3, None, 5, 6)


@pytest.mark.parametrize(
    "now",
    [
        page(*ITEMS, address="https://elsewhere.example/feed.xml"),
        page(*ITEMS, attributes='xml:base="https://elsewhere.example/"'),
        page(*ITEMS, address=""),
    ],
    ids=["another address", "another base", "no address"],
)
def test_changed_base_reads_everything(now: FetchedDocument) -> None:
    news = feed.read_changed_items(now, known(page(*ITEMS)))
    assert set(news.earlier_positions) == {None}


@pytest.mark.parametrize(
    "body, titles",
    [
        (
            b"<!DOCTYPE rss><rss><channel><item><title>One&nbsp;&amp; half</title></item></channel></rss>",
            ["One & half"],
        ),
        (b"<rss><channel><item><title>A</title><item><title>B</title></item></item></channel></rss>", ["A", "B"]),
        (b"<rss><channel><item><title>A</title></item></channel><item><title>B</title></item></rss>", ["A", "B"]),
        (b"<rss><channel><!-- <item><title>A</title></item> --><item><title>B</title></item></channel></rss>", ["B"]),
        (
            b"<rss><channel><item><title>A</title></item><item><title>B < C</title><link>b<br></item></channel></rss>",
            ["A", "B < C"],
        ),
        (b"<rss><channel><title>None</title></channel></rss>", []),
    ],
    ids=[
        "a document type", "an item in an item", "items in two places", "a comment", "a tag that is not closed",
        "no item",
    ],
)  # fmt: skip
def test_a_feed_of_another_build_is_read(body: bytes, titles: list[str]) -> None:
    assert [said.title for said in feed.read(FetchedDocument(body), Show("", "")).entries] == titles


@pytest.mark.parametrize(
    "based", ['<item xml:base="https://b.example/">', '<item><link xml:base="https://b.example/"/>']
)
def test_base_in_item_stays_there(based: str) -> None:
    said = feed.read(page(f"{based}<title>One</title></item>", "<item><link>two</link></item>"), Show("", ""))
    assert said.entries[1].url == "https://looms.example/two"


def test_foreign_entry_among_items_is_read() -> None:
    document = page(ITEMS[0], "<entry><title>Two</title></entry>", ITEMS[2])
    assert [said.title for said in feed.read(document, Show("", "")).entries] == ["One", "Two", "A loom"]


AUTHORS, OWNER = (
    "<itunes:author>Ada and Bo</itunes:author>",
    "<itunes:owner><itunes:name>Ada</itunes:name></itunes:owner>",
)
LONG, SHORT, MARKED = (
    "All about looms, and more.",
    "All about looms.",
    "&lt;p&gt;All about &lt;b&gt;looms&lt;/b&gt;.&lt;/p&gt;",
)


@pytest.mark.parametrize("head", [AUTHORS + OWNER, OWNER + AUTHORS])
def test_owner_is_not_the_author(head: str) -> None:
    said = feed.read(page(head, ITEMS[0]), Show("", "")).channel
    assert said
    assert said.author == "Ada and Bo"


@pytest.mark.parametrize("address, moved", [("https://new.example/rss", True), ("javascript:alert(1)", False)])
def test_a_feed_moves_to_an_address_only(address: str, moved: bool) -> None:
    said = feed.read(page(f"<itunes:new-feed-url>{address}</itunes:new-feed-url>", ITEMS[0]), Show("", "")).channel
    assert said
    assert said.new_feed_url == (address if moved else "")


@pytest.mark.parametrize("name", ["itunes:summary", "itunes:subtitle"])
@pytest.mark.parametrize("turned", [False, True])
def test_longest_text_describes_the_show(name: str, turned: bool) -> None:
    both = [f"<description>{LONG}</description>", f"<{name}>{SHORT}</{name}>"]
    said = feed.read(page(*both[:: -1 if turned else 1], ITEMS[0]), Show("", "")).channel
    assert said
    assert said.description == LONG


JSON_FEED = "https://jsonfeed.org/version/1.1"
MP3 = {"url": "https://looms.example/1.mp3", "mime_type": "audio/mpeg", "duration_in_seconds": 100}
NULLS = ("content_html", "content_text", "summary", "attachments", "author", "authors", "image", "title")


@pytest.mark.parametrize(
    "item, notes, seconds",
    [
        (dict.fromkeys(NULLS), "", None),
        ({"content_html": "", "content_text": "a < b"}, "a &lt; b", None),
        ({"content_html": None, "content_text": None, "summary": "Short."}, "Short.", None),
        ({"content_text": "", "summary": "Short.", "attachments": []}, "Short.", None),
        ({"content_html": "<p>Long.</p>", "content_text": "Long."}, "<p>Long.</p>", None),
        ({"attachments": [MP3, {"url": "https://looms.example/1.pdf", "mime_type": "application/pdf"}]}, "", 100),
        ({"attachments": [MP3, MP3 | {"duration_in_seconds": 200}]}, "", 100),
        ({"attachments": [MP3 | {"duration_in_seconds": None}, MP3]}, "", 100),
        ({"content_html": "<p>Lo\uffffng\ufffe.</p>", "tags": ["\uffff"]}, "<p>Long.</p>", None),
    ],
)
def test_null_equals_nothing_in_json_feed(item: dict[str, Any], notes: str, seconds: int | None) -> None:
    show = {"version": JSON_FEED, "title": "Looms", "author": {"name": "Ada"}, "icon": "https://a.org/i.png"}
    body = json.dumps(show | {"authors": None, "image": None, "items": [{"id": "1", "title": "One"} | item]})
    reading = feed.read(FetchedDocument(body.encode(), ADDRESS), Show("", ""))
    assert [(one.guid, one.html, one.seconds_low) for one in reading.entries] == [("1", notes, seconds)]
    assert reading.channel is not None
    assert (reading.channel.author, reading.channel.image_url) == ("Ada", "https://a.org/i.png")
    empty = json.dumps({"version": JSON_FEED, "title": "Looms", "items": None}).encode()
    assert feed.read(FetchedDocument(empty, ADDRESS), Show("", "")).entries == ()


NOTED = (
    "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md",
    "http://podlove.org/simple-chapters/",
)


@pytest.mark.parametrize("quote", ['"', "'"])
def test_namespaces_have_second_names(quote: str) -> None:
    links = "".join(f'<a href="{address}">{address}</a>' for address in NOTED)
    spaces = f"xmlns:p = {quote}{NOTED[0]}{quote} xmlns:c={quote}{NOTED[1]}{quote}"
    chapters = '<c:chapters><c:chapter start="0:10" title="Looms"/></c:chapters>'
    item = f"<item><title>One</title><p:person>Ada</p:person>{chapters}<description><![CDATA[{links}]]></description></item>"
    body = f"<rss version='2.0' {spaces}><channel><title>Looms</title>{item}</channel></rss>"
    (said,) = feed.read(FetchedDocument(body.encode(), ADDRESS), Show("", "")).entries
    assert said.html == links
    assert [person[0] for person in said.people] == ["Ada"]
    assert ("chapter", "0:10", "Looms", "", "") in said.extras


@pytest.mark.parametrize("element, people, extras", CASES["elements_of_podcasting_say_who_and_what"])
def test_elements_of_podcasting_say_who_and_what(element: str, people: list[Any], extras: list[str]) -> None:
    (said,) = feed.read(page(f"<item><title>One</title>{element}</item>"), Show("", "")).entries
    assert [list(person) for person in said.people] == people
    assert [row[0] for row in said.extras] == extras
