"""Processes side by side on a real database file or server: two ingests at once, and one that is killed half-way."""

from __future__ import annotations

import signal
import time

import pytest

from episodes.tests.processes import database, manage, start

from .conftest import DOCUMENTS, FIXTURES, PAGES

__all__ = ["database"]


@pytest.fixture
def ready(database: str) -> str:
    manage(database, "migrate", "--verbosity", "0")
    manage(database, "loaddata", "sources", "topics", "--verbosity", "0")
    return database


def test_two_ingests_at_once_make_the_catalog_that_one_makes(ready: str) -> None:
    both = [start(ready, "ingest", *DOCUMENTS), start(ready, "ingest", *reversed(DOCUMENTS))]
    ended = [(process.communicate(timeout=180), process.returncode) for process in both]
    assert [(code, err) for (_, err), code in ended] == [(0, ""), (0, "")]
    at_once = manage(ready, "export")
    assert at_once.count('"podcast": ') == 82
    manage(ready, "ingest", *DOCUMENTS)
    manage(ready, "rebuild")
    assert manage(ready, "export") == at_once


def test_an_ingest_that_is_killed_leaves_the_state_before_or_after_it(ready: str) -> None:
    manage(ready, "ingest", FIXTURES / "feed.xml")
    before = manage(ready, "export")
    process = start(ready, "ingest", PAGES[2])
    time.sleep(0.45)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    left = manage(ready, "export")
    manage(ready, "ingest", PAGES[2])
    after = manage(ready, "export")
    assert left in (before, after)
    assert before != after
