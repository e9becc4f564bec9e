"""Output of `ingest` beside its summary lines."""

import sys
from pathlib import Path

import pytest

from .conftest import of_the_feed, run

pytestmark = pytest.mark.django_db


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    (tmp_path / "feed.xml").write_text(of_the_feed("vmap", "CMake"))
    return tmp_path / "feed.xml"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


def test_progress_is_not_coloured_as_error(ready: None, terminal: None, feed: Path) -> None:
    done = run(feed, "--source", "feed", "--dry-run", force_color=True)
    assert done.err == "feed.xml: reading\nfeed: storing 2 entries\nfeed: resolving\n"
    assert done.out.endswith("; 0 unchanged since last time (dry run: nothing saved)\n")
    assert run(feed, "--source", "feed", "--quiet").err == ""


def test_what_could_not_be_loaded_is_not_read(ready: None, terminal: None) -> None:
    done = run("http://127.0.0.1/feed.xml")
    assert done.code == 1
    assert "fetching" in done.err
    assert "reading" not in done.err


def test_import_without_sources_says_what_to_do(db: None) -> None:
    assert run().out == "No sources yet. Add a show: manage.py add_show ADDRESS\n"
    assert run("--quiet").out == ""
