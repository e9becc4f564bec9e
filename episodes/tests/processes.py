"""Commands in their own processes, on a database file or server."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from .patience import PATIENCE

# Migrated databases to copy, by kind, and the one of the kind that tests run on; "" if .ci/suites.py created none.
TEMPLATES = {vendor: os.environ.get(f"{vendor.upper()}_TEMPLATE", "") for vendor in ("sqlite", "postgresql")}
TEMPLATE = TEMPLATES[connection.vendor]


@pytest.fixture
def database(tmp_path: Path, db: None) -> Iterator[str]:
    """Create an empty database of the kind that tests run on. Yield its address."""
    address = new_address(tmp_path)
    with new_database(address):
        yield address


@pytest.fixture
def migrated(tmp_path: Path, db: None) -> Iterator[str]:
    if connection.vendor == "sqlite":
        yield migrated_file(tmp_path / "catalog.sqlite3")
        return
    address = new_address(tmp_path)
    with new_database(address, TEMPLATE or "template1"):
        if not TEMPLATE:
            manage(address, "migrate", "--verbosity", "0")
        yield address


def migrated_file(path: Path) -> str:
    """Create a migrated SQLite database, and return its address."""
    address = f"sqlite:///{path}"
    if TEMPLATES["sqlite"]:
        shutil.copy(TEMPLATES["sqlite"], path)
    else:
        manage(address, "migrate", "--verbosity", "0")
    return address


def new_address(folder: Path) -> str:
    """Return the address of a database that does not exist yet."""
    if connection.vendor == "sqlite":
        return f"sqlite:///{folder}/catalog.sqlite3"
    options = connection.settings_dict
    return f"postgres://{options['USER']}@{options['HOST']}:{options['PORT']}/beside_{uuid.uuid4().hex[:12]}"


@contextmanager
def new_database(address: str, template: str = "template1") -> Iterator[None]:
    """Create an empty database with this address, and delete it at the end."""
    server, _, name = address.rpartition("/")
    if connection.vendor == "sqlite":
        yield
        for file in Path(server.removeprefix("sqlite:///")).glob(f"{name}*"):
            file.unlink()
        return
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
        yield
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def manage(database: str, *args: object) -> None:
    """Run a command that must succeed."""
    command = [sys.executable, "-W", "error", str(Path(settings.BASE_DIR) / "manage.py"), *map(str, args)]
    environment = os.environ | {"DATABASE_URL": database}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr


def change(database: str, statement: str) -> None:
    """Execute a statement of SQL in another database."""
    if database.startswith("sqlite"):
        with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as file, file:
            file.execute(statement)
        return
    with psycopg.connect(database) as server:
        server.execute(statement.encode())


def rows(database: str, query: str) -> list[tuple[object, ...]]:
    """Return the rows of a query in another database."""
    if database.startswith("sqlite"):
        with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as file:
            return list(file.execute(query))
    with psycopg.connect(database) as server:
        return list(server.execute(query.encode()))
