"""Processes side by side on a real database file or server: two ingests at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from episodes.tests.forks import Forks
from episodes.tests.processes import migrated

from .conftest import DOCUMENTS

pytestmark = pytest.mark.on_both

__all__ = ["migrated"]


@pytest.fixture
def ready(migrated: str, tmp_path: Path) -> Iterator[Forks]:
    with Forks(migrated, tmp_path) as forks:
        forks.run("loaddata", "sources", "topics", "--verbosity", "0")
        yield forks


def test_concurrent_ingests_make_one_catalog(ready: Forks) -> None:
    both = [ready.begin("ingest", *DOCUMENTS), ready.begin("ingest", *reversed(DOCUMENTS))]
    assert [(ready.ended(one), one.err) for one in both] == [(0, ""), (0, "")]
    at_once = ready.run("export")
    assert at_once.count('"podcast": ') == 82
    ready.run("rebuild")
    assert ready.run("export") == at_once
