"""Output of `ingest` beside its summary lines."""

import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from episodes.curation import decide_match
from episodes.models import Item, Podcast

from ..admin.conftest import doubtful
from ..curation.conftest import curator
from .conftest import of_the_feed, run

__all__ = ["curator", "doubtful"]

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


def test_each_entry_is_explained(doubtful: Podcast, curator: User) -> None:
    decide_match(curator, Item.objects.get(key__contains="odd-3"), "ignore")
    assert run("odd", offline=True, explain=True).out.splitlines()[1:] == [
        "  All about kettles 0: held: all-about-kettles-0 (equal title, against: dates 952 days apart)",
        "  All about mirrors 2: held: all-about-mirrors-2 (equal title, against: dates 951 days apart)",
        "  All about organs 4: ignored: a curator decided so",
    ]
    attached = run("other", offline=True, explain=True).out.splitlines()
    equal = "equal title; equal opening of 73 characters; the same day"
    assert attached[-1] == f"  All about kettles 0: attached: All about kettles 0; {equal}"
