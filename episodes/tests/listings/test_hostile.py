"""No document stops a reader, holds it up, or makes it say what no database takes: it is read or refused."""

import json
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.gather.evidence import require_enough_entries_with_content
from episodes.gather.sources import readers
from episodes.identity.entry_keys import choose_entry_keys
from episodes.listings import PageDocument, any_page
from episodes.records import DocumentRejected, EntryData, FetchedDocument, ParsedPage

from ..examples import examples
from ..growth import assert_even_growth
from .pages import DATA, SAVED, SHOW, read, saved
from .pages import pairs as made_pairs

NAMES, NAME = sorted(SAVED), SHOW.title
PAGES = tomllib.loads((DATA / "any_pages.toml").read_text("utf-8"))["page"]
DOCUMENTS = [
    *(saved(name).body for name in NAMES),
    *(pair.page.body for pair in made_pairs()),
    *(case["page"].encode() for case in PAGES),
]
SCRAPS = [b"\n", b"<", b">", b"&", b"]]>", b"<![CDATA[", b"<!--", b"<br>", b"\xd0", b"&#xD800;", b"&#0;", b"\\ud800", b"1) x\n",
          b"continue reading\n", b" - August 18, 2021 13:00 - 13 minutes\n", b"Read more...\n", b"<h1>", b"</div>"]  # fmt: skip


@cache
def known() -> tuple[EntryData, ...]:
    return read("feed", saved("feed")).entries


@pytest.mark.parametrize("length, seconds", [("1" + "0" * 400, None), ("888", 888)])
def test_list_in_script_is_read(length: str, seconds: int | None) -> None:
    known = [EntryData(title=f"All about kettles {n}", published=f"2021-08-0{n}") for n in (1, 2, 3)]
    rows = [{"title": one.title, "date": one.published, "duration": 0} for one in known]
    state = json.dumps({"episodes": rows}).replace('"duration": 0', f'"duration": {length}')
    page = f"<html><title>{SHOW.title}</title><body><script type='application/json'>{state}</script></body></html>"
    found = any_page.parse_known_episodes(FetchedDocument(page.encode()), SHOW, known)
    assert [(said.title, said.seconds_low) for said in found.entries] == [(one.title, seconds) for one in known]


def attempt(name: str, page: FetchedDocument, facts: Sequence[EntryData] = ()) -> ParsedPage | None:
    """The reading of a page, None where it is refused; checks what holds of every reading. The
    general reader, which has no name, reads by what is known."""
    facts = facts or known()
    try:
        page = PageDocument.from_fetched(page)
        if name:
            readers()[name].recognises(page)
            reading = readers()[name].read(page, SHOW)
            require_enough_entries_with_content(reading, readers()[name])
        else:
            reading = any_page.parse_known_episodes(page, SHOW, facts, is_confirmed=True)
    except DocumentRejected:
        return None
    keys = choose_entry_keys(reading.entries) if name else ()
    assert len(set(keys)) == len(keys)
    stored = json.dumps([said.payload() for said in reading.entries], ensure_ascii=False)
    assert "\\u0000" not in stored
    stored.encode()
    return reading


def test_feed_with_broken_root_tag_is_refused():
    feed = b"<rss\nLooms</title>\n<item><title>Ash</title></item><item><title>Elm</title></item></channel></rss>"
    assert attempt("feed", FetchedDocument(feed)) is None


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


HEAVY = tomllib.loads((DATA / "heavy_documents.toml").read_text(encoding="utf-8"))
CHANNEL = (
    '<rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">'
    "<channel><title>PyTorch Developer Podcast</title>{}</channel></rss>"
)


@dataclass(frozen=True)
class HeavyDocument:
    name: str
    piece: str
    size: int
    before: str = ""
    after: str = ""
    closing: str = ""

    def text(self, count: int) -> str:
        pieces = [self.piece.replace("{n}", str(number)) for number in range(count)]
        return self.before + "".join(pieces) + self.after + self.closing * count


def heavy(kind: str) -> list[object]:
    documents = [HeavyDocument(**fields) for fields in HEAVY[kind]]
    return [pytest.param(document, id=document.name) for document in documents]


def read_page(text: str) -> None:
    document = PageDocument.from_fetched(FetchedDocument(text.encode()))
    with suppress(DocumentRejected):
        _ = (document.head.title, document.rows, document.data)
    for name in (*NAMES, ""):
        attempt(name, document)


@pytest.mark.parametrize("document", heavy("page"))
def test_work_for_a_heavy_page_grows_evenly(document: HeavyDocument) -> None:
    assert_even_growth(lambda count: read_page(document.text(count)), document.size)


def test_work_for_repeated_titles_grows_evenly() -> None:
    titles = "\n".join(episode.title for episode in known())
    assert_even_growth(lambda count: read_page(f"{NAME}\n" + titles * count), size=2)


def test_too_deep_page_is_refused() -> None:
    with pytest.raises(DocumentRejected, match="nested too deeply"):
        _ = PageDocument.from_fetched(FetchedDocument(("<div>" * 200_000).encode())).rows


@pytest.mark.parametrize("document", heavy("feed"))
def test_work_for_a_heavy_feed_grows_evenly(document: HeavyDocument) -> None:
    assert_even_growth(
        lambda count: attempt("feed", FetchedDocument(CHANNEL.format(document.text(count)).encode())), document.size
    )


def test_a_thousand_items_and_five_megabytes_are_read() -> None:
    item = (
        "<item><title>Episode {0}</title><guid>g{0}</guid><description>{1}</description>"
        "<pubDate>Sun, 04 Aug 2024 10:00:00 GMT</pubDate></item>"
    )
    items = "".join(item.format(number, "word " * 1000) for number in range(1000))
    feed = read("feed", CHANNEL.format(items))
    assert len(feed.entries) == 1000
    assert len(set(choose_entry_keys(feed.entries))) == 1000


@pytest.mark.parametrize(
    "encoding", ["utf-7", "idna", "punycode", "unicode_escape", "hex", "undefined", "utf-16", "rot13", "no-such"]
)
def test_unsupported_encoding_is_ignored(encoding: str):
    text = f'<html><head><meta charset="{encoding}"></head><body><p>naïve</p></body></html>'
    page = FetchedDocument(text.encode(), content_type=f"text/html; charset={encoding}")
    assert [row.text for row in PageDocument.from_fetched(page).rows.rows] == ["naïve"]
