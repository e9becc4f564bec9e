"""A feed is read item by item: what each item and the channel say, and known items are not read again."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.gather.sources import feed
from episodes.records import DocumentRejected, EarlierFeed, EntryData, FetchedDocument, Show

from ..examples import examples
from ..resolve.test_any_text import TEXTS
from ..tables import cases

CASES = cases("gather_feed_parts")

SPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:media="http://search.yahoo.com/mrss/" xmlns:psc="http://podlove.org/simple-chapters" '
    ""
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


def known(document: FetchedDocument) -> EarlierFeed:
    reading = feed.read(document, Show("", ""))
    return EarlierFeed(document.body, reading.entries, reading.fingerprint)


@given(st.lists(st.sampled_from(ITEMS), max_size=12), st.lists(st.sampled_from(ITEMS), max_size=12))
def test_known_feed_changes_no_result(before: list[str], now: list[str]) -> None:
    document = page(*now)
    news = feed.read_feed_with_changed_entries(document, earlier := known(page(*before)))
    assert news.parsed_page_with_unchanged_entries(earlier.entries) == feed.read(document, Show("", ""))


def test_only_changed_items_are_read() -> None:
    earlier = known(page(*ITEMS))
    changed = ITEMS[4].replace("Three", "Third")
    news = feed.read_feed_with_changed_entries(
        page("<item><title>New</title></item>", *ITEMS[:4], changed, *ITEMS[5:]), earlier
    )
    assert [said.title for said in news.parsed.entries] == ["New", "Third"]
    assert news.earlier_positions == (None, 0, 1, 2, 3, None, 5, 6)


@pytest.mark.parametrize(
    "now",
    [
        page(*ITEMS, address="https://elsewhere.example/feed.xml"),
        page(*ITEMS, attributes='xml:base="https://elsewhere.example/"'),
        page(*ITEMS, address=""),
    ],
)
def test_changed_base_reads_everything(now: FetchedDocument) -> None:
    news = feed.read_feed_with_changed_entries(now, known(page(*ITEMS)))
    assert set(news.earlier_positions) == {None}


@pytest.mark.parametrize(
    "earlier_body",
    [
        "<rss><channel><item><title>Ткань и нить</title></item></channel></rss>".encode("windows-1251"),
        b"<rss><channel><item><title>Cut off</title></item>",
    ],
)
def test_unreadable_earlier_feed_refuses_no_version(earlier_body: bytes) -> None:
    earlier = EarlierFeed(earlier_body, (EntryData(),), "fingerprint")
    news = feed.read_feed_with_changed_entries(page(ITEMS[0]), earlier)
    assert [entry.title for entry in news.parsed.entries] == ["One"]


@pytest.mark.parametrize("case", CASES["feeds"], ids=lambda case: case["case"])
def test_a_feed_of_another_build_is_read(case: dict[str, Any]) -> None:
    document = FetchedDocument(case["body"].encode()) if "body" in case else page(ITEMS[0], case["items"])
    assert [entry.title for entry in feed.read(document, Show("", "")).entries] == case["titles"]


def test_long_entity_is_named_as_reason() -> None:
    entity = f'<!DOCTYPE rss [<!ENTITY a "{"ha" * 9_000}">]>'
    with pytest.raises(DocumentRejected, match="the feed defines its own XML entities, which is unsafe"):
        feed.read(FetchedDocument(f"{entity}<rss><channel/></rss>".encode(), ADDRESS), Show("", ""))


@pytest.mark.parametrize(
    "based", ['<item xml:base="https://b.example/">', '<item><link xml:base="https://b.example/"/>']
)
def test_base_in_item_stays_there(based: str) -> None:
    said = feed.read(page(f"{based}<title>One</title></item>", "<item><link>two</link></item>"), Show("", ""))
    assert said.entries[1].url == "https://looms.example/two"


def test_base_of_item_completes_its_addresses() -> None:
    item = """<item xml:base="two/"><title>Two</title><link>page.html</link><enclosure url="2.mp3" type="audio/mpeg"/>
        <description>&lt;a href="./notes"&gt;Notes&lt;/a&gt;</description></item>"""
    base = 'xml:base="https://b.example/show/"'
    two, three = feed.read(page(item, "<item><link>three</link></item>", attributes=base), Show("", "")).entries
    assert two.url == "https://b.example/show/two/page.html"
    assert two.audio_url == "https://b.example/show/two/2.mp3"
    assert two.html == '<a href="https://b.example/show/two/notes">Notes</a>'
    assert three.url == "https://b.example/show/three"


@pytest.mark.parametrize(
    "title",
    [
        '<title type="html">&lt;q>Warp&lt;/q> &amp;amp; &amp;lt;weft&amp;gt;</title>',
        '<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><q>Warp</q> &amp; &lt;weft&gt;</div></title>',
    ],
)
def test_html_title_of_atom_loses_tags(title: str) -> None:
    atom = f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Looms</title><entry>{title}</entry></feed>'
    (entry,) = feed.read(FetchedDocument(atom.encode(), ADDRESS), Show("", "")).entries
    assert entry.title == "Warp & <weft>"


@pytest.mark.parametrize("base", ["https://b.example/show/", "//b.example/show/"])
def test_base_of_channel_completes_files(base: str) -> None:
    item = "<item><enclosure url='1.mp3' type='audio/mpeg'/><itunes:image href='1.png'/></item>"
    (entry,) = feed.read(page(item, attributes=f'xml:base="{base}"'), Show("", "")).entries
    assert (entry.audio_url, entry.image_url) == ("https://b.example/show/1.mp3", "https://b.example/show/1.png")


@pytest.mark.parametrize("case", CASES["channels"], ids=lambda case: case["channel"])
def test_channel_gives_values(case: dict[str, Any]) -> None:
    channel = feed.read(page(case["channel"], ITEMS[0]), Show("", "")).channel
    for name in case.keys() - {"channel"}:
        assert getattr(channel, name) == with_tuples(case[name])


def with_tuples(value: Any) -> Any:
    return tuple(map(tuple, value)) if isinstance(value, list) else value


@pytest.mark.parametrize(
    "link, site",
    [
        ("/", "https://looms.example/"),
        ("/show?id=1", "https://looms.example/show?id=1"),
        ("www.looms.example", ""),
        ("javascript:alert(1)", ""),
    ],
)
def test_relative_link_of_channel_leads_to_site(link: str, site: str) -> None:
    body = f"<rss><channel><title>Looms</title><link>{link}</link>{ITEMS[0]}</channel></rss>"
    channel = feed.read(FetchedDocument(body.encode(), ADDRESS), Show("", "")).channel
    assert channel is not None
    assert channel.site_url == site


def test_mail_address_of_author_leaves_no_brackets() -> None:
    author = "<author><name>Ada Roe</name><email>ada@looms.example</email></author>"
    body = f"<feed xmlns='http://www.w3.org/2005/Atom'>{author}<entry><title>One</title></entry></feed>"
    channel = feed.read(FetchedDocument(body.encode(), ADDRESS), Show("", "")).channel
    assert channel is not None
    assert channel.author == "Ada Roe"


JSON_FEED = "https://jsonfeed.org/version/1.1"
MP3 = {"url": "https://looms.example/1.mp3", "mime_type": "audio/mpeg", "duration_in_seconds": 100}
OTHER = {"url": "https://looms.example/clip", "mime_type": "video/mp4", "duration_in_seconds": 20}
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
        ({"attachments": [MP3 | {"duration_in_seconds": 65.5}]}, "", 65),
        ({"attachments": [MP3 | {"duration_in_seconds": None}, MP3]}, "", 100),
        ({"attachments": [OTHER | {"mime_type": "application/x-clip"}, MP3]}, "", 100),
        ({"attachments": [MP3 | {"duration_in_seconds": None}, OTHER]}, "", None),
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


def test_long_number_in_json_feed_costs_nothing() -> None:
    items = f'{{"id": 12, "title": "Looms", "_more": 1{"0" * 6_000}}}, {{"id": true, "title": "Wool"}}'
    body = f'{{"version": "{JSON_FEED}", "title": "Looms", "items": [{items}]}}'
    entries = feed.read(FetchedDocument(body.encode(), ADDRESS), Show("", "")).entries
    assert [(entry.guid, entry.title) for entry in entries] == [("12", "Looms"), ("", "Wool")]


def test_json_author_without_name_leaves_no_comma() -> None:
    item = {"id": "1", "authors": [{"name": "Ada Roe"}, {"url": "https://looms.example/bo"}]}
    body = json.dumps({"version": JSON_FEED, "title": "Looms", "items": [item]})
    (entry,) = feed.read(FetchedDocument(body.encode(), ADDRESS), Show("", "")).entries
    assert entry.author == "Ada Roe"


@pytest.mark.parametrize("title", ["", " ", "&#8203;", "&amp;nbsp;"])
def test_invisible_title_leaves_place_to_itunes(title: str) -> None:
    assert read(f"<title>{title}</title><itunes:title>Looms</itunes:title>").title == "Looms"


def test_entities_in_categories_are_letters() -> None:
    categories = "<category><![CDATA[Food &amp; Drink]]></category><category>Caf&amp;eacute;</category>"
    body = f"<rss><channel><title>Looms</title><item><title>One</title>{categories}</item></channel></rss>"
    (entry,) = feed.read(FetchedDocument(body.encode(), ADDRESS), Show("", "")).entries
    assert entry.keywords == ("Café", "Food & Drink")


def test_json_item_has_tags() -> None:
    item = {"id": "1", "title": "One", "tags": ["winter", "R&D"]}
    body = json.dumps({"version": JSON_FEED, "title": "Looms", "items": [item]})
    (entry,) = feed.read(FetchedDocument(body.encode(), ADDRESS), Show("", "")).entries
    assert entry.keywords == ("R&D", "winter")


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


def test_endless_notes_and_people_are_cut() -> None:
    notes = "&lt;p&gt;One word after another.&lt;/p&gt; " * 40_000
    people = "".join(f"<podcast:person>Person N{n}</podcast:person>" for n in range(1_500))
    item = f"<item><title>One</title><description>{notes}</description>{people}</item>"
    body = f"<rss {SPACES}><channel><title>Show</title>{item}</channel></rss>"
    (said,) = feed.read(FetchedDocument(body.encode()), Show("", "")).entries
    assert len(said.html) <= 1_000_000
    assert len(said.people) == 1_000


FEED_ADDRESS = "https://feeds.example/looms.xml"
SITE = "<link>https://looms.example/show/</link>"


def read(item: str, *, channel: str = SITE, address: str = FEED_ADDRESS, broken: bool = False) -> EntryData:
    """Return the only entry of a feed. A broken feed is parsed by the repairing parser."""
    odd = "&nosuch;" if broken else ""
    body = f'<rss version="2.0" {SPACES}><channel><title>Looms{odd}</title>{channel}<item>{item}</item></channel></rss>'
    (said,) = feed.read(FetchedDocument(body.encode(), address), Show("", "")).entries
    return said


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("item, notes", CASES["notes_under_whatever_name_are_read"])
def test_notes_under_whatever_name_are_read(item: str, notes: str, broken: bool) -> None:
    assert read(f"<title>Looms</title>{item}", broken=broken).html == notes


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
        assert ("none" if value is None else value) == with_tuples(case[name])


@pytest.mark.parametrize("written, title", CASES["visible_words_without_formatting_are_the_title"])
def test_visible_words_are_the_title(written: str, title: str) -> None:
    assert read(f"<title>{written}</title>").title == title


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
