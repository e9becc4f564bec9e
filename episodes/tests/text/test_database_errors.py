"""Errors of databases and of the system, in words; each error is a real one."""

import errno
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError
from django.db import Error, OperationalError, connection, transaction

from episodes.text.database_errors import find_fault
from podcast_catalog.errors import describe_expected_error_or_empty

from ..tables import cases

CASES = cases("text_faults")


def error_of(act: Callable[[], Any]) -> BaseException:
    with pytest.raises(Exception) as caught:  # noqa: PT011  which one is what the test is about
        act()
    return caught.value


def sqlite(path: Path, *statements: str, **options: Any) -> None:
    with sqlite3.connect(path, timeout=0, **options) as database:
        for statement in statements:
            database.execute(statement)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    sqlite(tmp_path / "some.sqlite3", "CREATE TABLE t (x)", "INSERT INTO t VALUES (zeroblob(100000))")
    return tmp_path / "some.sqlite3"


@pytest.mark.parametrize("at, statements, words", CASES["sqlite"])
def test_sqlite(file: Path, at: str, statements: list[str], words: str) -> None:
    error = error_of(lambda: sqlite(Path(at.format(file)), *statements, uri=at.startswith("file:")))
    assert str(find_fault(error)).startswith(words)


@pytest.mark.parametrize("place", [0, 100])
def test_sqlite_locked_and_damaged(file: Path, place: int) -> None:
    with sqlite3.connect(file) as other:
        other.execute("BEGIN IMMEDIATE")
        error = error_of(lambda: sqlite(file, "DELETE FROM t"))
    assert str(find_fault(error)).startswith("The database is locked by another process.")
    with open(file, "r+b") as bytes_:
        bytes_.seek(place)
        bytes_.write(b"\xff" * 9000)
    assert str(find_fault(error_of(lambda: sqlite(file, "SELECT * FROM t")))).startswith("The database is damaged.")


@pytest.mark.django_db(transaction=True)
@pytest.mark.only_on("postgresql")
@pytest.mark.parametrize("statements, words", CASES["postgresql"])
def test_postgresql(statements: tuple[str, ...], words: str) -> None:
    def ask() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    error = error_of(ask)
    connection.close()
    assert isinstance(error, Error)  # as Django hands it on
    assert words in str(find_fault(error))


def test_postgresql_away() -> None:
    fault = find_fault(error_of(lambda: psycopg.connect("postgres://catalog@127.0.0.1:1/catalog")))
    assert fault is not None
    assert str(fault).startswith("The database server cannot be reached (connection failed: ")
    assert "127.0.0.1" not in fault.cause


@pytest.mark.parametrize("number, words", CASES["the_system"])
def test_the_system(number: int, words: str) -> None:
    assert str(find_fault(OSError(number, os.strerror(number), "a/b"))).startswith(words)
    assert str(find_fault(OSError(number, os.strerror(number)))).startswith(words.partition(" (")[0] + ".")
    assert str(find_fault(MemoryError())).startswith("The memory is full.")
    errors = (ValueError("x"), OperationalError("x"), FileNotFoundError(errno.ENOENT, "no such file", "a"))
    assert [find_fault(error) for error in errors] == [None, None, None]


@pytest.mark.parametrize(
    "error, words",
    [
        (ImproperlyConfigured("READ_SECONDS:\n  no number"), "A setting is wrong: READ_SECONDS: no number"),
        (FileNotFoundError(errno.ENOENT, "No such file", "a/b"), "a/b: No such file."),
        (CommandError("No such show: x"), "No such show: x"),
        (OSError("no file at all"), ""),
        (ValueError("x"), ""),
    ],
)
def test_command_reports_what_people_can_mend(error: Exception, words: str) -> None:
    assert describe_expected_error_or_empty(error) == words
