"""No document stops a reader, holds it up, or makes it say what no database takes: it is read or refused."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.gather.sources import readers
from episodes.gather.store import judge
from episodes.identity.item_keys import item_keys
from episodes.listings import PageDocument, any_site
from episodes.records import DocumentRejected, EntryData, FetchedDocument, ParsedPage

from ..examples import SECONDS, examples, some
from ..patience import cpu_limit
from .pages import SAVED, SHOW, read, saved
from .pages import pairs as made_pairs
from .report import OURS, known, page_of, pairs

NAMES, NAME = sorted(SAVED), SHOW.title
DOCUMENTS = [
    *(saved(name).body for name in NAMES),
    *(pair.page.body for pair in made_pairs()),
    *(page_of(folder, {}).body for folder in pairs() if "5mb" not in folder.name),
]
SCRAPS = [b"\n", b"<", b">", b"&", b"]]>", b"<![CDATA[", b"<!--", b"<br>", b"\xd0", b"&#xD800;", b"&#0;", b"\\ud800", b"1) x\n",
          b"continue reading\n", b" - August 18, 2021 13:00 - 13 minutes\n", b"Read more...\n", b"<h1>", b"</div>"]  # fmt: skip


@pytest.mark.parametrize("length, seconds", [("1" + "0" * 400, None), ("871000", 871), ("888", 888)])
def test_a_list_in_a_script_is_read_and_a_length_of_hundreds_of_digits_is_none(
    length: str, seconds: int | None
) -> None:
    known = [EntryData(title=f"All about kettles {n}", published=f"2021-08-0{n}") for n in (1, 2, 3)]
    rows = [{"title": one.title, "date": one.published, "duration": 0} for one in known]
    state = json.dumps({"episodes": rows}).replace('"duration": 0', f'"duration": {length}')
    page = f"<html><title>{SHOW.title}</title><body><script type='application/json'>{state}</script></body></html>"
    found = any_site.parse(FetchedDocument(page.encode()), SHOW, known)
    assert [(said.title, said.seconds_low) for said in found.entries] == [(one.title, seconds) for one in known]


def attempt(name: str, page: FetchedDocument, facts: tuple[EntryData, ...] = known()) -> ParsedPage | None:
    """The reading of a page, None where it is refused; checks what holds of every reading. The
    general reader, which has no name, reads by what is known."""
    try:
        page = PageDocument.of(page)
        if name:
            readers()[name].recognises(page)
            reading = readers()[name].read(page, SHOW)
            judge(reading, readers()[name])
        else:
            reading = any_site.parse(page, OURS, facts)
    except DocumentRejected:
        return None
    keys = item_keys(reading.entries) if name else ()
    assert len(set(keys)) == len(keys)
    stored = json.dumps([said.payload() for said in reading.entries], ensure_ascii=False)
    assert "\\u0000" not in stored
    stored.encode()
    return reading


SIGNS = st.text(alphabet=st.sampled_from("<>/&;:-1) .…\n\t\"'=aé☆[]!\x85\u2028PyTorch"), max_size=300)
AROUND = (
    "{}",
    "<html><body>{}</body></html>",
    "<rss><channel><title>PyTorch Developer Podcast</title>{}</channel></rss>",
)


@given(st.binary(max_size=300), SIGNS, st.sampled_from(AROUND))
@settings(max_examples=examples(50, 500))
def test_no_text_stops_a_reader(body: bytes, text: str, around: str):
    for name in (*NAMES, ""):
        attempt(name, FetchedDocument(body, "https://player.fm/x"))
        attempt(name, FetchedDocument(around.format(text).encode("utf-8", "replace")))


@given(st.data())
@settings(max_examples=examples(30, 300))
def test_no_damage_to_a_document_stops_a_reader(data: st.DataObject):
    body = data.draw(st.sampled_from(DOCUMENTS))
    at, until = sorted(data.draw(st.tuples(st.integers(0, len(body)), st.integers(0, len(body)))))
    scrap = data.draw(st.sampled_from(SCRAPS))
    page = FetchedDocument(
        data.draw(st.sampled_from([body[:at] + scrap + body[until:], body[until:] + scrap + body[:at]]))
    )
    for name in NAMES:
        assert attempt(name, page) == attempt(name, page)
    assert attempt("", page) == attempt("", page, known()[::-1])


@pytest.mark.parametrize(
    "body",
    [b"", b"  \n\t", b"\0\0\0", b"<rss>\0</rss>", b"\x89PNG\r\n\x1a\n\0\0", b"\x1f\x8b\x08\0" * 99, b"\xff" * 999],
)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_text_is_refused(name: str, body: bytes):
    with pytest.raises(DocumentRejected):
        read(name, body)


NESTED = some(50_000)
HEAVY = {
    "titles": f"{NAME}\n" + "\n".join(said.title for said in known()) * 200,
    "links to titles": f"<html><h1>{NAME}</h1>" + "<a href=/x>Strides</a> " * some(120_000),
    "a line of titles": f"{NAME}\n" + "Strides 30 May 2022 " * some(60_000),
    "one word": "TH " * some(400_000),
    "clocks": "1:" * some(300_000),
    "numbers": f"<html><h1>{NAME}</h1><h2>Strides</h2><p>" + "1 " * some(60_000),
    "numeric dates": "18/08/21" * some(60_000),
    "months": "Aug " * some(200_000),
    "brackets": "](" * some(200_000),
    "one long line": "x" * some(1_000_000),
    "blanks": " \u00a0\t" * some(400_000) + "x",
    "dashes": "a - " * some(250_000),
    "stars": "a - August 18, 2021 " + "★ - " * some(200_000),
    "digits": "9" * some(1_000_000),
    "ranks": "".join(f"{n}) x\n" for n in range(1, some(9999))),
    "dots": "." * some(1_000_000),
    "marks": "x… continue reading\n" * some(30_000),
    "mark words": "continue reading " * some(60_000),
    "show lines": "PyTorch Developer Podcast\n" * some(40_000),
    "dates": "August 18, 2021\n" * some(40_000),
    "metas": "x\nPyTorch Developer Podcast - August 18, 2021 13:00 - 13 minutes\n" * some(10_000),
    "read more": "ezyang's blog\n" + "word " * 20 + "\nRead more...\n" * some(30_000),
    "angle brackets": "<" * some(1_000_000),
    "comments": "<!--" * some(250_000),
    "nested": "<html><body>" + "<div>" * NESTED + "deep" + "</div>" * NESTED,
    "nested deeper": "<div>" * 200_000,
    "nested with text": "<html><body>" + "<b>x" * NESTED,
    "nested links": "<html><body>" + "<a href=/x><table><td>x" * some(3_000),
    "links": "<html><body>" + "<a href=/x>y</a> " * some(30_000),
    "unclosed heading": "<html><body><h1>PyTorch Developer Podcast" + "<div>x" * some(20_000),
    "attributes": "<html><body><p " + " ".join(f"a{n}=1" for n in range(some(50_000))) + ">x",
    "JSON-LD": '<html><script type="application/ld+json">' + "[" * some(200_000) + "</script>x",
    "deep JSON-LD": '<html><script type="application/ld+json">{"@type":"PodcastEpisode","name":'
    + '{"name":' * 900
    + "1"
    + "}" * 901,
}


@pytest.mark.parametrize("heavy", HEAVY)
def test_a_heavy_page_is_read_or_refused_in_little_time(heavy: str):
    page = FetchedDocument(HEAVY[heavy].encode())
    with cpu_limit(SECONDS):
        document = PageDocument.of(page)
        with suppress(DocumentRejected):
            _ = (document.head.title, document.rows, document.data)
        for name in (*NAMES, ""):
            attempt(name, document)


CHANNEL = '<rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>PyTorch Developer Podcast</title>{}</channel></rss>'
ITEM = "<item><title>Episode {0}</title><guid>g{0}</guid><description>{1}</description><pubDate>Sun, 04 Aug 2024 10:00:00 GMT</pubDate></item>"
HEAVY_FEEDS = {
    "deep": "<item><title>x</title><description>" + "<a>" * NESTED + "</a>" * NESTED + "</description></item>",
    "unclosed": "<item><title>x</title>" + "<description>" * NESTED + "</item>",
    "ampersands": "<item><title>x</title><description>" + "&" * some(300_000) + "</description></item>",
    "sections": "<item><title>x</title><description>" + "<![CDATA[" * some(100_000) + "</description></item>",
    "angle brackets": "<item><title>x</title><description>" + "<" * some(100_000) + "</description></item>",
    "entities": "<item><title>" + "&nbsp;&#xD800;&#0;" * some(20_000) + "</title></item>",
    "dates": "<item><title>x</title><pubDate>" + "1 " * some(100_000) + "</pubDate></item>",
    "lengths": "<item><title>x</title><itunes:duration>" + "1:" * some(100_000) + "</itunes:duration></item>",
}


@pytest.mark.parametrize("heavy", HEAVY_FEEDS)
def test_a_heavy_feed_is_read_or_refused_in_little_time(heavy: str):
    with cpu_limit(SECONDS):
        attempt("feed", FetchedDocument(CHANNEL.format(HEAVY_FEEDS[heavy]).encode()))


def test_a_thousand_items_and_five_megabytes_are_read_in_reasonable_time():
    with cpu_limit(SECONDS):
        found = read("feed", CHANNEL.format("".join(ITEM.format(n, "word " * 1000) for n in range(1000))))
    assert len(found.entries) == 1000
    assert len(set(item_keys(found.entries))) == 1000


@pytest.mark.parametrize(
    "encoding", ["utf-7", "idna", "punycode", "unicode_escape", "hex", "undefined", "utf-16", "rot13", "no-such"]
)
def test_a_declared_encoding_that_pages_do_not_have_is_passed_over(encoding: str):
    text = f'<html><head><meta charset="{encoding}"></head><body><p>naïve</p></body></html>'
    page = FetchedDocument(text.encode(), content_type=f"text/html; charset={encoding}")
    assert [row.text for row in PageDocument.of(page).rows.rows] == ["naïve"]
