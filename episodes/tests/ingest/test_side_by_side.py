"""Processes side by side on a real database file or server: two ingests at once, and one that is killed half-way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from .conftest import DOCUMENTS, FIXTURES, PAGES

MANAGE = [sys.executable, "-W", "error", str(Path(settings.BASE_DIR) / "manage.py")]


@pytest.fixture
def database(tmp_path: Path, db: None) -> Iterator[str]:
    """The address of an empty database of the kind that the tests run on."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{tmp_path}/catalog.sqlite3"
        return
    own = connection.settings_dict
    server = f"{own['USER']}@{own['HOST']}:{own['PORT']}"
    name = f"beside_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(f"postgres://{server}/postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"'.encode())
        yield f"postgres://{server}/{name}"
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def start(database: str, *args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*MANAGE, *map(str, args)],
        env=os.environ | {"DATABASE_URL": database},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def manage(database: str, *args: object) -> str:
    process = start(database, *args)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


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
