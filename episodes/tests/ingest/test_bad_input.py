"""Bad documents: each has a clear message and an exit code, and leaves the catalog as it was."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from episodes.gather.sources import feed
from episodes.models import Capture, IngestRun, Item
from episodes.records import FetchedDocument, ParsedPage, Show

from ..patience import PATIENCE
from ..tables import cases
from .conftest import FIXTURES, command, export, run

CASES = cases("ingest_bad_input")
FEED = (FIXTURES / "feed.xml").read_text()
NUMBERED = (FIXTURES / "pages" / "numbered-top-10.txt").read_text()
PLAYER = (FIXTURES / "pages" / "player-fm-pytorch.txt").read_text()
TOPIC = (FIXTURES / "pages" / "pod-casts-io-pytorch-page-2.txt").read_text()
SHOW = "PyTorch Developer Podcast"
ERROR_PAGE = "<!doctype html><html><head><title>503 Service Unavailable</title></head><p>Try later</p></html>"


@pytest.fixture
def full(catalog: None) -> Iterator[str]:
    """A full catalog; afterwards it must be what it was."""
    before, items = export(), Item.objects.count()
    yield before
    assert export() == before
    assert Item.objects.count() == items


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    return {name: case[name] for name in ("source", "podcast", "url", "offline") if name in case}


def body_of(case: dict[str, Any]) -> str:
    if "of" not in case:
        return str(case["text"]).replace("ERROR_PAGE", ERROR_PAGE)
    body = {"FEED": FEED, "NUMBERED": NUMBERED, "PLAYER": PLAYER, "TOPIC": TOPIC}[case["of"]]
    return body[: case.get("end", len(body))].replace(case.get("old", "\0"), case.get("new", ""))


@pytest.mark.on_both
def test_bad_document_is_refused_with_reason(full: str, file: Callable[[str, bytes | str], Path]) -> None:
    for case in CASES["documents"]:
        ran = run(file("page", body_of(case)), **options_of(case))
        assert (ran.code, ran.out) == (case.get("code", 1), ""), case
        assert ": refused: " in ran.err, case
        assert case["message"] in ran.err
        assert ran.err.count("\n") == 1, case


def test_wrong_usage_exits_with_two(full: str) -> None:
    for case in CASES["usages"]:
        ran = run(*(name.replace("FIXTURES", str(FIXTURES)) for name in case["args"]), **options_of(case))
        assert (ran.code, ran.out) == (2, ""), case
        assert case["message"] in ran.err


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


def test_mostly_changed_page_is_refused(full: str, file: Callable[[str, bytes | str], Path]) -> None:
    lines = PLAYER.split("\n")
    fewer = "\n".join(lines[:9] + lines[9 + 4 * 30 :])
    ran = run(file("player-fm-pytorch.txt", fewer), source="player-fm")
    assert ran.code == 1
    assert "of 46 items would vanish" in ran.err
    assert "import it with --accept" in ran.err


# The whole document takes a small part of the limit, the heavy one never ends.
@override_settings(READ_SECONDS=3)
def test_slow_document_ends_alone(full: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heavy = tmp_path / "heavy.xml"
    heavy.write_text(FEED.replace("<title>", "<title>heavy ", 1))
    whole = feed.read

    def read(page: FetchedDocument, show: Show) -> ParsedPage:
        while b"heavy" in page.body:
            pass
        return whole(page, show)

    monkeypatch.setattr(feed, "read", read)
    monkeypatch.setattr("episodes.gather.limited_process.MAX_SLOWDOWN", PATIENCE)
    done = run(heavy, FIXTURES / "feed.xml", source="snapshot")
    assert done.code == 1
    assert "refused: reading it takes more than 3 s of CPU time" in done.err
    assert "82 items: 0 new, 82 matched" in done.out


@pytest.mark.parametrize("words", CASES["invalid_text_names_nothing"])
def test_invalid_text_names_nothing(db: None, words: str) -> None:
    refused = command(*words.split(), "bees\udcff")
    assert (refused.code, "invalid text value" in refused.err) == (1, True)  # 2 on a command line
