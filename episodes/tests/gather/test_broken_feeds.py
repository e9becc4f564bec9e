"""A fault in the XML of a feed costs at most the item that it is in."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.gather.sources import feed
from episodes.records import DocumentRejected, EarlierFeed, EntryData, FetchedDocument, ParsedPage, Show

from ..examples import examples
from .test_feed_parts import ADDRESS, SPACES

FAULTS = tomllib.loads((Path(__file__).parents[1] / "data" / "broken_feeds.toml").read_text())["fault"]
HEAD = f'<rss version="2.0" {SPACES}><channel><title>Looms</title>'
END = "</channel></rss>"
PIECES = ("<", ">", "&", '"', "\x0b", "<br>", "</p>", "<![CDATA[", "]]>", "<!--", "-->", "</title>", "<x:y>", "<title>")


def item(number: int) -> str:
    return (
        f'<item><title>Warp {number}</title><guid isPermaLink="false">w{number}</guid>'
        f"<link>https://looms.example/{number}?id=3&amp;sect=1</link>"
        f'<enclosure url="https://looms.example/{number}.mp3" type="audio/mpeg" length="1"/>'
        "<itunes:explicit>true</itunes:explicit>"
        f'<podcast:person role="guest">Ada {number}</podcast:person>'
        f'<podcast:transcript url="https://looms.example/{number}.vtt" type="text/vtt"/>'
        '<psc:chapters><psc:chapter start="0" title="One"/></psc:chapters>'
        f"<description>About the weft</description><content:encoded><![CDATA[<b>In</b>]]></content:encoded></item><!--{number}-->"
    )


def read(text: str) -> ParsedPage:
    return feed.read(FetchedDocument(text.encode(), ADDRESS), Show("", ""))


def read_item(text: str) -> tuple[EntryData, ParsedPage]:
    """The entry of an item between two sound ones, which are as they were."""
    reading = read(HEAD + item(1) + text + item(3) + END)
    first, entry, third = reading.entries
    assert (first, third) == (SOUND[0], SOUND[2])
    return entry, reading


SOUND = read(HEAD + item(1) + item(2) + item(3) + END).entries


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["name"] for fault in FAULTS])
def test_fault_costs_at_most_its_value(fault: dict[str, Any]) -> None:
    text = item(2).replace("<content:encoded><![CDATA[<b>In</b>]]></content:encoded>", "")
    assert fault["old"] in text
    sound, _ = read_item(text)
    entry, reading = read_item(text.replace(fault["old"], fault["put"]))
    title, notes = fault.get("title", "Warp 2"), fault.get("notes", "About the weft")
    broken = fault.get("broken", False)
    assert entry == replace(sound, title=title, html=notes, is_broken=broken)
    assert reading.broken_entries == int(broken)


@settings(max_examples=examples(60, 1500), deadline=None)
@given(st.integers(6, len(item(2)) - 15), st.integers(0, 40), st.sampled_from(["", *PIECES]))
def test_damage_never_leaves_its_item(start: int, length: int, piece: str) -> None:
    """If it does not take the end of the item."""
    sound = item(2)
    end = min(start + length, len(sound) - 15)
    reading = read(HEAD + item(1) + sound[:start] + piece + sound[end:] + item(3) + END)
    by_guid = {entry.guid: entry for entry in reading.entries}
    assert (by_guid["w1"], by_guid["w3"]) == (SOUND[0], SOUND[2])


@pytest.mark.parametrize(
    "head, end",
    [
        (HEAD, "</channel></rss><script>x</script>"),
        (HEAD, "</channel></rss></channel></rss>"),
        (HEAD, f"</channel></rss>{HEAD}</channel></rss>"),
        (HEAD.replace('xmlns:podcast="', 'xmlns:other="').replace('xmlns:itunes="', 'xmlns:more="'), END),
        (HEAD.replace("<title>Looms</title>", "<title>Looms<description>All & more</description>"), END),
        (HEAD.replace("<title>Looms</title>", "<title>Looms</title><p>Loose <b>words"), END),
        (HEAD.replace("<rss ", "<RSS ").replace("<channel>", "<Channel>"), "</CHANNEL></rss>"),
    ],
    ids=["script", "ends twice", "two roots", "undeclared prefixes", "open title", "loose text", "capitals"],
)
def test_fault_outside_items_costs_no_item(head: str, end: str) -> None:
    reading = read(head + item(1) + item(2) + item(3) + end)
    assert (reading.show, reading.entries) == ("Looms", SOUND)
    assert reading.broken_entries == 0


def test_item_swallowed_by_open_cdata_is_read() -> None:
    open_cdata = "<description><![CDATA[About the weft</description>"
    entry, reading = read_item(item(2).replace("<description>About the weft</description>", open_cdata))
    assert entry == replace(SOUND[1], is_broken=True)
    assert reading.broken_entries == 1


def test_unended_feed_is_cut_off() -> None:
    with pytest.raises(DocumentRejected, match="cut off: it ends without </rss>"):
        read(HEAD + item(1) + "</channel>")


def test_known_items_of_broken_feed_are_kept() -> None:
    before = (HEAD + item(1) + item(2).replace("weft", "we\x0bft") + END).encode()
    reading = feed.read(FetchedDocument(before, ADDRESS), Show("", ""))
    now = before.replace(b"Looms</title>", b"Looms</title>" + item(3).encode())
    known = EarlierFeed(before, reading.entries, reading.fingerprint)
    assert feed.read_feed_with_changed_entries(FetchedDocument(now, ADDRESS), known).earlier_positions == (None, 0, 1)


def test_xhtml_of_broken_atom_entry_stays_markup() -> None:
    content = '<content type="xhtml"><div>All <b>about</b> it<br></div></content>'
    atom = f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Looms</title><entry><id>1</id>{content}</entry></feed>'
    assert read(atom).entries[0].html == "<div>All <b>about</b> it<br></div>"
