"""Hundreds of servers that misbehave: each import ends with the line and exit code of data/misbehaviours.json, and nothing half."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from episodes.gather import fetch
from episodes.models import Podcast, Source
from episodes.tests.kept import Rows, catalog_models, put_back, rows_of
from episodes.tests.speaker import Speaker, Speech

from .conftest import Ran, export, run
from .misbehaviours import BESIDE, FEED, MISBEHAVIOURS, RARE, says

pytestmark = pytest.mark.django_db
DATA = Path(__file__).parent.parent / "data" / "misbehaviours.json"
EXPECTED: dict[str, dict[str, Any]] = json.loads(DATA.read_text()) if DATA.exists() else {}
SECONDS = 0.25  # that a fetch may take, in place of thirty


class Misbehaving(Speaker):
    """Says to each path what `speeches` has for it, AT being its own address."""

    def __init__(self) -> None:
        super().__init__()
        self.speeches: dict[str, Speech] = {}
        self.rows: Rows = []  # of the show that is known
        self.export = ""

    def speech_for(self, request: bytes) -> Speech:
        speech = self.speeches.get(request.split(b" ", 2)[1].decode(), BESIDE["/missing"])
        return speech.replace(b"http://AT", b"http://" + self.pair.encode()) if isinstance(speech, bytes) else speech


@pytest.fixture(scope="module")
def server() -> Iterator[Misbehaving]:
    with Misbehaving() as server:
        yield server


@pytest.fixture
def known(server: Misbehaving, db: None, settings: Any) -> str:
    """The export of a show that was imported when its server was well; that is done once."""
    settings.FETCH_ALLOW = frozenset({server.pair})
    settings.IMAGES = "off"
    settings.MOST_ITEMS, settings.DOCUMENT_MB, settings.READ_SECONDS = 2_000, 2, 10
    if server.rows:
        put_back(server.rows)
    else:
        podcast = Podcast.objects.create(slug="bee-talk", title="Bee Talk", feed_url=f"http://{server.pair}/feed.xml")
        feed = Source(podcast=podcast, slug="feed", reader="feed", rank=1, may_create=True, complete=True)
        feed.address = podcast.feed_url
        feed.save()
        server.speeches = dict(BESIDE) | {"/feed.xml": says(FEED, 'ETag: "1"')}
        assert run("feed").code == 0
        server.export = export()
        server.rows = rows_of(catalog_models())

    return server.export


def told(ran: Ran, pair: str) -> str:
    """What was said, with AT for the server."""
    return (ran.out + ran.err).replace(pair, "AT").strip()


def result(name: str, server: Misbehaving, known: str) -> dict[str, Any]:
    server.speeches["/feed.xml"] = MISBEHAVIOURS[name]
    ran = run("feed", now=True)
    data = json.loads(export())
    new = {
        "new": [episode["title"] for episode in data["episodes"] if episode["guid"] not in ("bee-1", "bee-2", "bee-3")]
    }
    return {"code": ran.code, "line": told(ran, server.pair)} | ({} if export() == known else new)


def cases() -> Iterator[Any]:
    """All of them; those that end as an earlier one does, but for numbers, only in the long run."""
    ends: set[tuple[object, ...]] = set()
    for name in MISBEHAVIOURS:
        one = EXPECTED.get(name, {"code": 0, "line": name})
        end = (one["code"], re.sub(r"\d+", "", one["line"]), *one.get("new", ()))
        is_long = name in RARE or end in ends
        yield pytest.param(name, marks=[pytest.mark.long] if is_long else [])
        ends |= set() if is_long else {end}


@pytest.mark.parametrize("name", list(cases()))
def test_a_server_that_misbehaves_is_told_in_a_line(
    server: Misbehaving, known: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def quick(address: str, **options: Any) -> Any:
        return fetch(address, **{**options, "max_seconds": SECONDS})

    if name.startswith(("falls silent", "drips")):
        monkeypatch.setattr("episodes.ingest.loading.fetch", quick)
    found = result(name, server, known)
    if os.environ.get("WRITE"):
        EXPECTED[name] = found
        DATA.write_text(json.dumps(EXPECTED, indent=1, ensure_ascii=False) + "\n")
    assert found == EXPECTED[name]


def test_the_misbehaviours_are_many_and_all_have_their_line() -> None:
    assert EXPECTED.keys() == MISBEHAVIOURS.keys()
    assert len(MISBEHAVIOURS) - len(RARE) >= 200
    assert all(one["code"] in (0, 1) and "Traceback" not in one["line"] for one in EXPECTED.values())


def test_whoever_is_refused_hears_what_where_and_what_to_do() -> None:
    for one in EXPECTED.values():
        if one["code"]:
            assert one["line"].count("\n") == 0
            assert re.match(r"feed: (failed|refused): https?://\S+.* ", one["line"])
