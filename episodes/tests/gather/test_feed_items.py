"""Single items of a feed: notes under whatever name, and links as seen from the show's
site."""

import pytest
from hypothesis import given, settings

from episodes.gather.sources import feed
from episodes.records import EntryData, FetchedDocument, Show

from ..examples import examples
from ..resolve.test_any_text import TEXTS
from .test_feed_parts import SPACES

ADDRESS = "https://feeds.example/looms.xml"
SITE = "<link>https://looms.example/show/</link>"


def read(item: str, *, channel: str = SITE, address: str = ADDRESS, broken: bool = False) -> EntryData:
    """The only item of a feed; a broken feed is read as a whole."""
    odd = "&nosuch;" if broken else ""
    body = f'<rss version="2.0" {SPACES}><channel><title>Looms{odd}</title>{channel}<item>{item}</item></channel></rss>'
    (said,) = feed.read(FetchedDocument(body.encode(), address), Show("", "")).entries
    return said


SUBTITLE, SUMMARY = (
    "<itunes:subtitle>Warp and weft.</itunes:subtitle>",
    "<itunes:summary>All of weaving.</itunes:summary>",
)


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize(
    "item, notes",
    [
        (SUBTITLE, "Warp and weft."),
        (SUMMARY, "All of weaving."),
        (SUBTITLE + SUMMARY, "All of weaving."),
        ("<description/>" + SUBTITLE, "Warp and weft."),
        (SUBTITLE + "<description> </description>", "Warp and weft."),
        ("<description>&lt;p&gt; &lt;/p&gt;</description>" + SUBTITLE, "Warp and weft."),
        ("<description/>" + SUMMARY + SUBTITLE, "All of weaving."),
        ("<content:encoded/><description/>" + SUBTITLE, "Warp and weft."),
        ("<description>Short.</description>" + SUBTITLE, "Short."),
        ("<description>🧶</description>" + SUBTITLE, "🧶"),
        ("<description>&lt;b&gt;?&lt;/b&gt;</description>" + SUMMARY, "<b>?</b>"),
        ("<description>&lt;p/&gt;</description>", ""),
        ("", ""),
    ],
)
def test_notes_under_whatever_name_are_read(item: str, notes: str, broken: bool) -> None:
    assert read(f"<title>Looms</title>{item}", broken=broken).html == notes


GUID = "<guid>{}</guid>"


@pytest.mark.parametrize(
    "item, page",
    [
        (GUID.format("1234"), ""),
        (GUID.format("https://looms.example/1"), "https://looms.example/1"),
        (GUID.format("1234") + "<link>/1</link>", "https://feeds.example/1"),
        (GUID.format("1234").replace("<guid", "<guid isPermaLink='false'"), ""),
    ],
)
def test_a_guid_is_the_page_only_where_it_is_a_whole_address(item: str, page: str) -> None:
    assert read(f"<title>Looms</title>{item}").url == page


def linked(*addresses: str, quote: str = "&quot;") -> str:
    return "".join(f"&lt;a class={quote}x{quote} href={quote}{address}{quote}&gt;x&lt;/a&gt;" for address in addresses)


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize(
    "channel, address, there",
    [
        (SITE, ADDRESS, "https://looms.example/ep/1?a=b#c"),
        (SITE, "", "https://looms.example/ep/1?a=b#c"),
        ("<link>/show/</link>", ADDRESS, "https://feeds.example/ep/1?a=b#c"),
        ("", ADDRESS, "https://feeds.example/ep/1?a=b#c"),
        ("", "", "/ep/1?a=b#c"),
        ("<link>mailto:ada@looms.example</link>", "", "/ep/1?a=b#c"),
    ],
)
def test_a_link_of_the_notes_leads_to_the_shows_site(channel: str, address: str, there: str, broken: bool) -> None:
    item = f"<title>Looms</title><description>{linked('/ep/1?a=b#c')}</description>"
    said = read(item, channel=channel, address=address, broken=broken)
    assert said.html == f'<a class="x" href="{there}">x</a>'


@pytest.mark.parametrize(
    "written, there",
    [
        ("/", "https://looms.example/"),
        ("./next", "https://looms.example/show/next"),
        ("../next", "https://looms.example/next"),
        ("//other.example/x", "//other.example/x"),
        (".//x", ".//x"),
        ("github.com/ada/looms", "github.com/ada/looms"),
        ("https://other.example/x", "https://other.example/x"),
        ("#part", "#part"),
        ("next.html", "next.html"),
        ("mailto:ada@looms.example", "mailto:ada@looms.example"),
    ],
)
@pytest.mark.parametrize("quote", ["&quot;", "'", ""])
def test_only_what_means_nothing_elsewhere_is_relative_to_the_site(written: str, there: str, quote: str) -> None:
    said = read(f"<title>Looms</title><description>{linked(written, '/a', quote=quote)}</description>")
    sign = quote.replace("&quot;", '"')
    assert f"href={sign}{there}{sign}>" in said.html
    assert f"href={sign}https://looms.example/a{sign}>" in said.html


def test_a_page_or_file_of_an_item_is_still_seen_from_the_feed() -> None:
    said = read("<title>Looms</title><link>/ep/1</link><enclosure url='1.mp3' type='audio/mpeg'/>")
    assert (said.url, said.audio_url) == ("https://feeds.example/ep/1", "https://feeds.example/1.mp3")
    brought = read("<title>Looms</title><link>/ep/1</link>", address="")
    assert brought.url == "https://looms.example/ep/1", "a file is seen from the site"


NAMES = (
    "title",
    "description",
    "itunes:subtitle",
    "itunes:duration",
    "pubDate",
    "itunes:episode",
    "author",
    "link",
    "guid",
)


@settings(max_examples=examples(150, 1500), deadline=None)
@given(TEXTS)
def test_no_text_of_an_item_stops_a_feed(text: str) -> None:
    said = text.replace("]]>", "").replace("\0", "")  # a document with such a character is no text
    item = "".join(f"<{name}><![CDATA[{said}]]></{name}>" for name in NAMES)
    read(f"{item}<podcast:person href='/a'><![CDATA[{said}]]></podcast:person>")


@pytest.mark.parametrize("kind, number", [("full", 5), ("", 5), ("Trailer", None), ("BONUS", None)])
def test_a_trailer_or_bonus_has_a_type_and_no_number(kind: str, number: int | None) -> None:
    said = read(
        f"<itunes:episodeType>{kind}</itunes:episodeType><itunes:episode>5</itunes:episode><itunes:season>2</itunes:season>"
    )
    assert (said.episode_type, said.number, said.season) == (kind.lower(), number, 2)


@pytest.mark.parametrize(
    "written, title",
    [
        ("&#x200B;&#x200D;&#xFEFF;", ""),
        ("&#xAD; &#x2060;", ""),
        ("Pay&#x200B;load", "Pay\u200bload"),
        ("\U0001f469&#x200D;\U0001f680", "\U0001f469\u200d\U0001f680"),
        ("…", "…"),
        ("&#xE0041;&#xE0042;", ""),
        ("Looms&#xE0001;&#xE0041;", "Looms"),
        ("\U0001f3f4&#xE0067;&#xE0062;&#xE007F;", "\U0001f3f4\U000e0067\U000e0062\U000e007f"),
        ("\U0001f3f4&#xE0067;&#xE0062;&#xE007F;&#xE0041;", "\U0001f3f4\U000e0067\U000e0062\U000e007f"),
        (f"\U0001f3f4{'&#xE0061;' * 8}", "\U0001f3f4"),  # no flag is so long
    ],
)
def test_a_title_of_which_nothing_can_be_seen_is_none(written: str, title: str) -> None:
    assert read(f"<title>{written}</title>").title == title


AT = "https://looms.example"
PICTURE = f"<enclosure url='{AT}/1.jpg' type='image/jpeg'/>"


def media(url: str, **values: str) -> str:
    attributes = "".join(f" {name}='{value}'" for name, value in values.items())
    return f"<media:content url='{AT}/{url}'{attributes}/>"


@pytest.mark.parametrize(
    "files, audio",
    [
        # Pictures and documents alone.
        (PICTURE, ""),
        (f"<enclosure url='{AT}/1.pdf' type='application/pdf'/>", ""),
        (f"<enclosure url='{AT}/1.PNG'/>", ""),
        (f"<enclosure url='{AT}/1.epub?from=feed' type='application/octet-stream'/>", ""),
        (f"<enclosure url='{AT}/notes' type='text/html'/>", ""),
        # A file to be played behind one.
        (f"{PICTURE}<enclosure url='{AT}/1.mp3'/>", "1.mp3"),
        (f"{PICTURE}<enclosure url='{AT}/1.mp3' type='application/octet-stream'/>", "1.mp3"),
        (f"{PICTURE}<enclosure url='{AT}/1.m4a' type='mp3'/>", "1.m4a"),
        (f"{PICTURE}<enclosure url='{AT}/get/1' type='Audio/MPEG'/>", "get/1"),
        (f"{PICTURE}<enclosure url='{AT}/get/1'/>", "get/1"),
        (f"<enclosure url='{AT}/1.torrent' type='application/x-bittorrent'/><enclosure url='{AT}/1.ogg'/>", "1.ogg"),
        (PICTURE + media("1.mp3", medium="audio"), "1.mp3"),
        # The type, the ending of a file to be played, the ending of a picture, the medium.
        (f"<enclosure url='{AT}/1.jpg' type='audio/mpeg'/>", "1.jpg"),
        (f"<enclosure url='{AT}/1.mp3' type='image/jpeg'/>", "1.mp3"),
        (f"<enclosure url='{AT}/get?cover=1.jpg'/>", "get?cover=1.jpg"),
        (f"<enclosure url='{AT}/get/1'/><enclosure url='{AT}/1.mp3'/>", "1.mp3"),
        (media("1.jpg", medium="image") + media("1.mp4", medium="video"), "1.mp4"),
        (media("get/1", medium="audio"), "get/1"),
        (media("get/1") + media("1.webp"), ""),
        (media("1.webp", medium="audio"), ""),
    ],
)  # fmt: skip
def test_audio_is_never_a_picture(files: str, audio: str) -> None:
    assert read(f"<title>Looms</title>{files}").audio_url == (audio and f"{AT}/{audio}")


NUMBERS = "<podcast:season>3</podcast:season><podcast:episode>12</podcast:episode>"


@pytest.mark.parametrize(
    "item, season, number",
    [
        (NUMBERS, 3, 12),
        (f"{NUMBERS}<itunes:season>4</itunes:season>", 4, 12),
        (f"{NUMBERS}<itunes:episode>13</itunes:episode>", 3, 13),
        (f"{NUMBERS}<itunes:episode>-</itunes:episode>", 3, 12),
        (f"{NUMBERS}<itunes:episodeType>bonus</itunes:episodeType>", 3, None),
        ('<podcast:season name="Wool"/><podcast:episode display="12a">12.5</podcast:episode>', None, None),
    ],
)
def test_podcasting_numbers_an_episode(item: str, season: int, number: int | None) -> None:
    entry = read(item)
    assert (entry.season, entry.number) == (season, number)


@pytest.mark.parametrize(
    "written, notes",
    [
        ("&amp;lt;p&amp;gt;Warp &amp;amp;amp; weft&amp;lt;/p&amp;gt;", "<p>Warp &amp; weft</p>"),
        ("Warp&amp;lt;br /&amp;gt;weft", "Warp<br />weft"),
        ("See &amp;lt;a href=&amp;quot;https://a.example?b=1&sect=2&amp;quot;&amp;gt;", 'See <a href="https://a.example?b=1&sect=2">'),
        ("Use &amp;lt;p&amp;gt; for text", "Use &lt;p&gt; for text"),
        ("&lt;p&gt;Write &amp;lt;/p&amp;gt; at its end&lt;/p&gt;", "<p>Write &lt;/p&gt; at its end</p>"),
        ("&amp;lt;int&amp;gt; and &amp;lt;a&amp;gt;", "&lt;int&gt; and &lt;a&gt;"),
    ],
)  # fmt: skip
def test_notes_escaped_twice_are_markup(written: str, notes: str) -> None:
    assert read(f"<title>Looms</title><description>{written.replace('&sect', '&amp;sect')}</description>").html == notes


@pytest.mark.parametrize(
    "written, title",
    [
        ("<h1>Warp</h1> and weft", "Warp and weft"),
        ("<p>Warp</p><p>Weft</p>", "Warp Weft"),
        ("<p><b>Warp</b> <em>and</em> weft</p>", "Warp and weft"),
        ('<a href="https://looms.example">Warp</a> 2', "Warp 2"),
        ("Warp<br/>weft", "Warp weft"),
        ("Warp<br>weft", "Warp weft"),
        ("The <br> tag", "The <br> tag"),
        ("The <p> and <canvas> tags", "The <p> and <canvas> tags"),
        ("R&amp;D at AT&amp;T", "R&D at AT&T"),
        ("Warp &sect 3, ?a=1&sect=2", "Warp &sect 3, ?a=1&sect=2"),
    ],
)
def test_title_keeps_no_formatting(written: str, title: str) -> None:
    assert read(f"<title><![CDATA[{written}]]></title>").title == title


def test_escaped_names_are_read() -> None:
    entry = read(
        "<podcast:person><![CDATA[Ada &amp; Bo]]></podcast:person>"
        '<podcast:soundbite startTime="1"><![CDATA[Warp &#8217;n weft]]></podcast:soundbite>'
    )
    assert entry.people == (("Ada & Bo", "host", ""),)
    assert entry.extras == (("soundbite", "1", "", "Warp ’n weft"),)


@pytest.mark.parametrize(
    "usual, other",
    [
        ("http://www.itunes.com/dtds/podcast-1.0.dtd", "http://www.itunes.com/DTDs/Podcast-1.0.dtd"),
        ("http://www.itunes.com/dtds/podcast-1.0.dtd", "https://www.itunes.com/dtds/podcast-1.0.dtd/"),
        ("http://www.itunes.com/dtds/podcast-1.0.dtd", "http://itunes.com/dtds/podcast-1.0"),
        ("https://podcastindex.org/namespace/1.0", "http://podcastindex.org/namespace/1.0"),
        ("https://podcastindex.org/namespace/1.0", "https://www.podcastindex.org/namespace/1.0/"),
        ("https://podcastindex.org/namespace/1.0", "https://PodcastIndex.org/Namespace/1.0"),
        ("https://podcastindex.org/namespace/1.0", "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md"),
        ("http://podlove.org/simple-chapters", "https://podlove.org/simple-chapters/"),
        ("http://purl.org/rss/1.0/modules/content/", "https://purl.org/rss/1.0/modules/content"),
    ],
)  # fmt: skip
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
