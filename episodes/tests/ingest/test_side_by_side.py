"""Processes side by side on a real database file or server: two ingests at once, and one that is killed half-way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from episodes.tests.forks import Forks
from episodes.tests.processes import migrated

from .conftest import DOCUMENTS, FIXTURES, PAGES

__all__ = ["migrated"]


@pytest.fixture
def ready(migrated: str, tmp_path: Path) -> Iterator[Forks]:
    with Forks(migrated, tmp_path) as forks:
        forks.run("loaddata", "sources", "topics", "--verbosity", "0")
        yield forks


def test_two_ingests_at_once_make_the_catalog_that_one_makes(ready: Forks) -> None:
    both = [ready.begin("ingest", *DOCUMENTS), ready.begin("ingest", *reversed(DOCUMENTS))]
    assert [(ready.ended(one), one.err) for one in both] == [(0, ""), (0, "")]
    at_once = ready.run("export")
    assert at_once.count('"podcast": ') == 82
    ready.run("rebuild")
    assert ready.run("export") == at_once


@pytest.mark.long
def test_an_ingest_that_is_killed_leaves_the_state_before_or_after_it(ready: Forks) -> None:
    ready.run("ingest", FIXTURES / "feed.xml")
    before = ready.run("export")
    ready.kill(0.2, "ingest", PAGES[2])
    left = ready.run("export")
    ready.run("ingest", PAGES[2])
    after = ready.run("export")
    assert left in (before, after)
    assert before != after
