"""Bad documents: each has a clear message and an exit code, and leaves the catalog as it was."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import override_settings

from episodes.gather.sources import feed
from episodes.models import Capture, IngestRun, Item
from episodes.records import FetchedDocument, ParsedPage, Show

from ..patience import PATIENCE
from .conftest import DOCUMENTS, FIXTURES, command, export, run

FEED = (FIXTURES / "feed.xml").read_text()
NUMBERED = (FIXTURES / "pages" / "numbered-top-10.txt").read_text()
PLAYER = (FIXTURES / "pages" / "player-fm-pytorch.txt").read_text()
TOPIC = (FIXTURES / "pages" / "pod-casts-io-pytorch-page-2.txt").read_text()
SHOW = "PyTorch Developer Podcast"
ERROR_PAGE = (
    "<!doctype html><html><head><title>503 Service Unavailable</title></head><body><p>Try later</p></body></html>"
)


@pytest.fixture
def full(catalog: None) -> Iterator[str]:
    """A full catalog; afterwards it must be what it was."""
    before, items = export(), Item.objects.count()
    yield before
    assert export() == before
    assert Item.objects.count() == items


SUBSCRIPTIONS = "<opml><body><outline text='Bees' xmlUrl='https://bees.example/feed'/></body></opml>"
BAD: list[tuple[bytes | str, dict[str, str], str]] = [
    ("", {}, "empty"),
    (" \n\n ", {}, "empty"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", {}, "not text"),
    (b"\0\1\2\3" * 100, {"source": "feed"}, "no"),
    (ERROR_PAGE, {}, "the page names no show of this catalog"),
    (ERROR_PAGE, {"source": "feed"}, "an HTML page in place of a feed: 503 Service Unavailable"),
    (ERROR_PAGE, {"source": "player-fm"}, 'no entry that ends in "continue reading"'),
    (FEED[: len(FEED) // 2], {"source": "feed"}, "cut off"),
    (FEED[:-20], {"source": "feed"}, "cut off"),
    (FEED.replace(f"<title>{SHOW}", "<title>Some Other Podcast"), {}, "gives the address of"),
    (
        FEED.replace(f"<title>{SHOW}", f"<title>{SHOW} Reloaded").replace("OB5FkIl8", "other"),
        {},
        "lists the episodes of",
    ),
    (NUMBERED.replace(SHOW, "Rustacean Station"), {}, "another show: Rustacean Station"),
    (NUMBERED.replace(SHOW, f"{SHOW} Reloaded"), {}, "another show"),
    (FEED.replace("OB5FkIl8", "other"), {}, "it lists the episodes of"),
    (PLAYER.replace("PyTorch відкриті", "Rustacean Station відкриті"), {}, "another show: Rustacean Station"),
    (TOPIC.replace(SHOW, "Practical AI"), {}, f"none of its 30 entries names {SHOW}"),
    ("Home\nAbout\nContact us\nAll rights reserved\n", {}, "the page names no show of this catalog"),
    ("Home\nAbout\nContact us\n", {"source": "numbered-list"}, 'no entry of the form "1) Title"'),
    ('{"version": "https://jsonfeed.org/version/1.1", "items": []}', {"source": "feed"}, "it lists no episodes yet"),
    ('{"version": "1.1", "items": []}', {"source": "feed"}, "not a feed"),
    (SUBSCRIPTIONS, {}, "manage.py add_show FILE"),
    (SUBSCRIPTIONS, {"source": "feed"}, "manage.py add_show FILE"),
]


@pytest.mark.on_both
def test_bad_document_is_refused_with_reason(full: str, file: Callable[[str, bytes | str], Path]) -> None:
    for content, options, message in BAD:
        ran = run(file("page", content), **options)
        claims_a_known_show = "gives the address of" in message or "lists the episodes of" in message
        assert (ran.code, ran.out) == (2 if claims_a_known_show else 1, ""), message
        assert ": refused: " in ran.err, message
        assert message in ran.err
        assert ran.err.count("\n") == 1, message


WRONG: list[tuple[list[str], dict[str, object], str]] = [
    (["no-such-source"], {}, "is not a known source, http(s) address or file; known sources: ezyang-blog, feed"),
    (["missing/file.xml"], {}, "is not a known source"),
    (["missing/file.xml"], {"url": "https://example.org/"}, "is not a known source, http(s) address or file"),
    ([str(FIXTURES)], {}, "is not a known source"),
    (["feed"], {"source": "nobody"}, "unknown source: 'nobody'"),
    (["feed"], {"podcast": "nobody"}, "unknown show: 'nobody'"),
    (["feed"], {"url": "https://example.org/"}, "--url gives the original http(s) address of exactly one saved file"),
    ([str(p) for p in DOCUMENTS[:2]], {"url": "https://example.org/"}, "--url gives"),
    (["player-fm"], {}, "player-fm has no address to fetch"),
    (["https://example.org/never"], {"offline": True}, "was never stored"),
    (
        [],
        {"source": "player-fm"},
        "To import the source: manage.py ingest player-fm --podcast pytorch-developer-podcast",
    ),
]


def test_wrong_usage_exits_with_two(full: str) -> None:
    for args, options, message in WRONG:
        ran = run(*args, **options)
        assert (ran.code, ran.out) == (2, ""), message
        assert message in ran.err


def test_minimal_feed_is_imported(ready: None, file: Callable[[str, bytes | str], Path]) -> None:
    items = "".join(
        f"<item><title>Part {n}</title><guid>{n}</guid><enclosure url='https://bare.example/{n}.mp3'/></item>"
        for n in range(3)
    )
    page = file("bare.xml", f"<rss version='2.0'><channel><title>Bare</title>{items}</channel></rss>")
    assert run(page, url="https://bare.example/feed").code == 0


def test_refused_document_is_stored(full: str, file: Callable[[str, bytes | str], Path]) -> None:
    page = file("page.txt", NUMBERED.replace(SHOW, "Rustacean Station"))
    for _ in range(2):
        assert run(page).code == 1
    kept = Capture.objects.filter(version=None)
    assert [bytes(capture.body) for capture in kept] == [page.read_bytes()]
    assert IngestRun.objects.filter(outcome="refused").count() == 2


def test_bad_document_stops_no_other(ready: None, file: Callable[[str, bytes | str], Path]) -> None:
    ran = run(FIXTURES / "feed.xml", file("bad.xml", FEED[:5000]), DOCUMENTS[2])
    assert ran.code == 1
    assert ran.out.count("\n") == 2
    assert ran.err == "bad.xml: refused: the feed is cut off: it ends without </rss>\n"


def test_mostly_changed_page_is_refused(full: str, file: Callable[[str, bytes | str], Path]) -> None:
    lines = PLAYER.split("\n")
    fewer = "\n".join(lines[:9] + lines[9 + 4 * 30 :])
    ran = run(file("player-fm-pytorch.txt", fewer), source="player-fm")
    assert ran.code == 1
    assert "of 46 items would vanish" in ran.err
    assert "import it with --accept" in ran.err


# The whole document takes a small part of the limit, the heavy one never ends.
@override_settings(READ_SECONDS=5)
def test_slow_document_ends_alone(full: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heavy = tmp_path / "heavy.xml"
    heavy.write_text(FEED.replace("<title>", "<title>heavy ", 1))
    whole = feed.read

    def read(page: FetchedDocument, show: Show) -> ParsedPage:
        while b"heavy" in page.body:
            pass
        return whole(page, show)

    monkeypatch.setattr(feed, "read", read)
    monkeypatch.setattr("episodes.gather.limited_process.SLOWEST_SHARE", PATIENCE)
    done = run(heavy, FIXTURES / "feed.xml", source="snapshot")
    assert "refused: reading it takes more than 5 s of CPU time" in done.err
    assert "82 items: 0 new, 82 matched" in done.out


@pytest.mark.parametrize(
    "words",
    ["export --podcast", "ingest --podcast", "ingest --source", "transcripts . --podcast", "two_factor_off",
     "add_show http://bees.example/ --moved-from"],
)  # fmt: skip
def test_invalid_text_names_nothing(db: None, words: str) -> None:
    refused = command(*words.split(), "bees\udcff")
    assert (refused.code, "invalid text value" in refused.err) == (1, True)  # 2 on a command line
