"""Failures of the database, the machine or a setting, as commands and pages tell them: one line, an exit code, nothing half."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.db import OperationalError
from django.test import Client

from episodes.gather import evidence
from episodes.models import Capture, CatalogVersion, Podcast, Source

from ..curation import conftest
from ..forks import Forks
from ..patience import PATIENCE
from .conftest import Ran, run

small = conftest.small
feed = conftest.feed
COMMANDS = ("ingest", "check_links", "rebuild", "export", "first_run")


def manage(*words: str, **settings: str) -> Ran:
    command = [sys.executable, "-W", "error", str(Path(configured.BASE_DIR) / "manage.py"), *words]
    done = subprocess.run(
        command, env=os.environ | settings, cwd=configured.BASE_DIR, capture_output=True, text=True, timeout=PATIENCE
    )
    return Ran(done.stdout, done.stderr, done.returncode)


def locked() -> OperationalError:
    cause = sqlite3.OperationalError("database is locked")
    cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
    error = OperationalError("database is locked")
    error.__cause__ = cause
    return error


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    folder = tmp_path_factory.mktemp("lacking")
    with Forks(f"sqlite:///{folder}/place/catalog.sqlite3", folder) as own:
        yield own


FAULTS = {"unmigrated": "manage.py migrate", "damaged": "is damaged. Restore", "lost": "Check DATABASE_URL"}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", COMMANDS)
def test_command_reports_database_fault_in_line(forks: Forks, name: str, fault: str) -> None:
    place = forks.folder / "place"
    shutil.rmtree(place, ignore_errors=True)
    if fault != "lost":
        place.mkdir()
    if fault == "damaged":
        (place / "catalog.sqlite3").write_bytes(b"no database at all" * 100)
    done = forks.begin(name)
    assert (forks.ended(done), done.out, done.err.count("\n")) == (3, "", 1), done.err
    assert FAULTS[fault] in done.err


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY is missing. Put a long random one into .env"),
        ({"DATABASE_URL": "postgres://a@127.0.0.1:1/x"}, "The database server cannot be reached (connection failed"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, str], words: str) -> None:
    done = manage("ingest", **settings)
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1), done.err
    assert words in done.err


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("error", [locked(), MemoryError(), OSError(errno.ENOSPC, "No space left on device")])
def test_fault_at_one_source_spares_others(
    small: Podcast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    files = [tmp_path / name for name in ("first.xml", "second.xml")]
    for file in files:
        file.write_bytes(feed(range(3)))
    real = evidence.record_run

    def record_run(source: Source, *rest: Any, **more: Any) -> Any:
        monkeypatch.setattr(evidence, "record_run", real)  # the next one is all right
        raise error

    monkeypatch.setattr(evidence, "record_run", record_run)
    done = run(*files, "--source", "feed")
    assert done.code == 3
    assert done.err.startswith("first.xml: not imported: ")
    assert done.err.count("\n") == 1
    assert done.out.startswith("feed: 3 items: 3 new")
    assert Capture.objects.count() == 1  # of the first nothing is there


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Client:
    """A client of a site whose views cannot ask the database."""

    def fail(*args: Any, **options: Any) -> Any:
        raise locked()

    monkeypatch.setattr("django.db.models.query.QuerySet._fetch_all", fail)
    monkeypatch.setattr("django.db.models.query.QuerySet.exists", fail)
    # What an earlier test left in this process is of no use where nobody can tell whether it is still so.
    monkeypatch.setattr(CatalogVersion, "version_and_is_any_show_waiting", fail)
    return Client(raise_request_exception=False)


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/episodes/", "/timeline/", "/episodes.rss", "/no-such-page", "/admin/"])
def test_page_reports_missing_database(failing: Client, address: str, caplog: pytest.LogCaptureFixture) -> None:
    failing.cookies[configured.SESSION_COOKIE_NAME] = "somebody"  # who asks the database before any view does
    answer = failing.get(address)
    assert answer.status_code == 503
    assert answer["Retry-After"] == "30"
    assert answer["Cache-Control"] == "no-store"
    text = answer.content.decode()
    assert "Not available right now" in text
    assert "The database is locked by another process. Nothing was changed." in text
    assert "ulimit" not in text
    assert [line for line in caplog.messages if address in line and "Try again when that one has ended" in line]
