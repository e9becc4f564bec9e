"""Single items of a feed: notes under whatever name, and links as seen from the show's
site."""

from typing import Any

import pytest
from hypothesis import given, settings

from episodes.gather.sources import feed
from episodes.records import EntryData, FetchedDocument, Show

from ..examples import examples
from ..resolve.test_any_text import TEXTS
from ..tables import cases
from .test_feed_parts import SPACES

CASES = cases("gather_feed_items")

ADDRESS = "https://feeds.example/looms.xml"
SITE = "<link>https://looms.example/show/</link>"


def read(item: str, *, channel: str = SITE, address: str = ADDRESS, broken: bool = False) -> EntryData:
    """The only item of a feed; a broken feed is read as a whole."""
    odd = "&nosuch;" if broken else ""
    body = f'<rss version="2.0" {SPACES}><channel><title>Looms{odd}</title>{channel}<item>{item}</item></channel></rss>'
    (said,) = feed.read(FetchedDocument(body.encode(), address), Show("", "")).entries
    return said


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("item, notes", CASES["notes_under_whatever_name_are_read"])
def test_notes_under_whatever_name_are_read(item: str, notes: str, broken: bool) -> None:
    assert read(f"<title>Looms</title>{item}", broken=broken).html == notes


@pytest.mark.parametrize("item, page", CASES["only_whole_guid_address_is_page"])
def test_only_whole_guid_address_is_page(item: str, page: str) -> None:
    assert read(f"<title>Looms</title>{item}").url == page


def linked(*addresses: str, quote: str = "&quot;") -> str:
    return "".join(f"&lt;a class={quote}x{quote} href={quote}{address}{quote}&gt;x&lt;/a&gt;" for address in addresses)


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("channel, address, there", CASES["a_link_of_the_notes_leads_to_the_shows_site"])
def test_notes_link_leads_to_site(channel: str, address: str, there: str, broken: bool) -> None:
    item = f"<title>Looms</title><description>{linked('/ep/1?a=b#c')}</description>"
    said = read(item, channel=channel, address=address, broken=broken)
    assert said.html == f'<a class="x" href="{there}">x</a>'


@pytest.mark.parametrize("written, there", CASES["only_what_means_nothing_elsewhere_is_relative_to_the_site"])
@pytest.mark.parametrize("quote", ["&quot;", "'", ""])
def test_only_relative_links_use_site(written: str, there: str, quote: str) -> None:
    said = read(f"<title>Looms</title><description>{linked(written, '/a', quote=quote)}</description>")
    sign = quote.replace("&quot;", '"')
    assert f"href={sign}{there}{sign}>" in said.html
    assert f"href={sign}https://looms.example/a{sign}>" in said.html


def test_page_and_audio_stay_relative_to_feed() -> None:
    said = read("<title>Looms</title><link>/ep/1</link><enclosure url='1.mp3' type='audio/mpeg'/>")
    assert (said.url, said.audio_url) == ("https://feeds.example/ep/1", "https://feeds.example/1.mp3")
    brought = read("<title>Looms</title><link>/ep/1</link>", address="")
    assert brought.url == "https://looms.example/ep/1", "a file is seen from the site"


NAMES = (
    "title", "description", "itunes:subtitle", "itunes:duration", "pubDate", "itunes:episode", "author", "link",
    "guid",
)  # fmt: skip


@settings(max_examples=examples(150, 1500), deadline=None)
@given(TEXTS)
def test_no_text_of_an_item_stops_a_feed(text: str) -> None:
    said = text.replace("]]>", "").replace("\0", "")  # a document with such a character is no text
    item = "".join(f"<{name}><![CDATA[{said}]]></{name}>" for name in NAMES)
    read(f"{item}<podcast:person href='/a'><![CDATA[{said}]]></podcast:person>")


@pytest.mark.parametrize("case", CASES["values"], ids=lambda case: case["item"])
def test_item_gives_values(case: dict[str, Any]) -> None:
    entry = read(f"<title>Looms</title>{case['item']}")
    for name in case.keys() - {"item"}:
        value = getattr(entry, name)
        expected = tuple(map(tuple, case[name])) if isinstance(case[name], list) else case[name]
        assert ("none" if value is None else value) == expected


@pytest.mark.parametrize("written, title", CASES["a_title_of_which_nothing_can_be_seen_is_none"])
def test_invisible_title_is_missing(written: str, title: str) -> None:
    assert read(f"<title>{written}</title>").title == title


AT = "https://looms.example"


@pytest.mark.parametrize("files, audio", CASES["audio_is_never_a_picture"])
def test_audio_is_never_a_picture(files: str, audio: str) -> None:
    assert read(f"<title>Looms</title>{files}").audio_url == (audio and f"{AT}/{audio}")


@pytest.mark.parametrize("written, notes", CASES["notes_escaped_twice_are_markup"])
def test_notes_escaped_twice_are_markup(written: str, notes: str) -> None:
    assert read(f"<title>Looms</title><description>{written.replace('&sect', '&amp;sect')}</description>").html == notes


@pytest.mark.parametrize("written, title", CASES["title_keeps_no_formatting"])
def test_title_keeps_no_formatting(written: str, title: str) -> None:
    assert read(f"<title><![CDATA[{written}]]></title>").title == title


@pytest.mark.parametrize("usual, other", CASES["namespace_is_known_in_any_spelling"])
def test_namespace_is_known_in_any_spelling(usual: str, other: str) -> None:
    item = (
        "<item><title>Looms</title><itunes:explicit>yes</itunes:explicit><itunes:season>2</itunes:season>"
        "<podcast:person>Ada</podcast:person><content:encoded>All of it</content:encoded>"
        f'<psc:chapters><psc:chapter start="0" title="One"/></psc:chapters><description>{other}</description></item>'
    )
    body = f"<rss {SPACES}><channel>{item}</channel></rss>"
    respelled = body.replace(f'="{usual}"', f'="{other}"')
    assert respelled != body
    entries = [feed.read(FetchedDocument(text.encode()), Show("", "")).entries for text in (body, respelled)]
    assert entries[0] == entries[1]
    assert (entries[0][0].explicit, entries[0][0].season, len(entries[0][0].people)) == ("yes", 2, 1)
