"""Catalogs of a given size, made once for each seed and schema and then kept, in files of SQLite or databases of PostgreSQL."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = 83  # episodes of the show that is shipped
LARGEST_READ = 10_000  # up to here the catalog's own import makes it; a larger one is made of copies of this one
MADE_FROM = ("bench/feeds.py", "fixtures", "episodes/migrations")
COPIED_BY = "bench/copying.py"


@dataclass(frozen=True)
class Database:
    """Where a catalog lies: a file, or a database of a server."""

    url: str

    @property
    def is_sqlite(self) -> bool:
        return self.url.startswith("sqlite")

    @property
    def vendor(self) -> str:
        return "SQLite" if self.is_sqlite else "PostgreSQL"

    @property
    def name(self) -> str:
        return urlsplit(self.url).path.removeprefix("/")

    @property
    def path(self) -> Path:
        return Path(self.url.removeprefix("sqlite:///"))

    def named(self, name: str) -> Database:
        """One beside it."""
        if self.is_sqlite:
            return replace(self, url=f"sqlite:///{self.path.with_name(name + '.sqlite3')}")
        return replace(self, url=urlunsplit(urlsplit(self.url)._replace(path=f"/{name}")))

    def exists(self) -> bool:
        if self.is_sqlite:
            return self.path.exists()
        with self.server() as server:
            return server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [self.name]).fetchone() is not None

    def drop(self) -> None:
        if self.is_sqlite:
            for end in ("", "-wal", "-shm"):
                Path(f"{self.path}{end}").unlink(missing_ok=True)
            return
        with self.server() as server:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(self.name)))

    def create(self) -> None:
        """Make it empty; of SQLite the first that connects makes the file."""
        self.drop()
        if not self.is_sqlite:
            with self.server() as server:
                server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(self.name)))

    def copy(self, to: Database) -> None:
        to.drop()
        if self.is_sqlite:
            # The last connection that closed has put the write-ahead log into the file.
            shutil.copyfile(self.path, to.path)
            return
        with self.server() as server:
            names = map(sql.Identifier, (to.name, self.name))
            server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*names))

    def rename(self, to: Database) -> None:
        if self.is_sqlite:
            self.path.rename(to.path)
            return
        with self.server() as server:
            names = map(sql.Identifier, (self.name, to.name))
            server.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(*names))

    @contextmanager
    def server(self) -> Iterator[psycopg.Connection]:
        """A connection to the server beside this database, for what cannot be done within it."""
        with psycopg.connect(self.named("postgres").url, autocommit=True) as connection:
            yield connection

    def environment(self, **more: str) -> dict[str, str]:
        """The settings of a process that uses it, whatever `.env` says."""
        fixed = {
            "DATABASE_URL": self.url,
            "SECRET_KEY": "bench-" + "x" * 60,
            "DEBUG": "off",
            "HTTPS": "off",
            "ALLOWED_HOSTS": "127.0.0.1",
            "SITE_NAME": "",
            "ACCENT": "",
            "STATEMENT_TIMEOUT": "5",
            "CLIENT_REQUESTS": "0",
            "CLIENT_SECONDS": "0",
            "FIRST_RUN_FETCH": "off",
            "IMAGES": "off",
            "LOG_LEVEL": "ERROR",
            "DJANGO_SETTINGS_MODULE": "podcast_catalog.settings",
            "PYTHONPATH": str(ROOT),
        }
        return os.environ | fixed | more

    def run(self, *words: str, **more: str) -> str:
        """Run Python beside this database and give what it prints; `more` are further settings."""
        command, environment = [sys.executable, *words], self.environment(**more)
        return subprocess.run(command, cwd=ROOT, env=environment, check=True, text=True, stdout=subprocess.PIPE).stdout


def server_or_folder(url: str, folder: Path) -> Database:
    """Where catalogs are kept: the server of a DATABASE_URL, if it names one, else a folder."""
    if url.startswith(("postgres://", "postgresql://")):
        return Database(url)
    folder.mkdir(parents=True, exist_ok=True)
    return Database(f"sqlite:///{folder.resolve()}/any.sqlite3")


def catalog(where: Database, size: int, seed: int, base: int = LARGEST_READ) -> Database:
    """The catalog of that many episodes, made now unless it is there."""
    is_copied = size > base and size != SHIPPED
    of = fingerprint((*MADE_FROM, COPIED_BY) if is_copied else MADE_FROM)
    made = where.named(f"bench_{seed}_{size}_of_{base}_{of}" if is_copied else f"bench_{seed}_{size}_{of}")
    if made.exists():
        return made
    print(f"Making a catalog of {size:,} episodes on {where.vendor} …", flush=True)
    new = where.named(f"bench_new_{size}_{os.getpid()}")
    try:
        if is_copied:
            catalog(where, base, seed, base).copy(new)
            new.run("-m", "bench.inside", "copy", str(-(-size // base)))
        else:
            new.create()
            new.run("manage.py", "migrate", "--verbosity", "0")
            new.run("-m", "bench.inside", "fill", str(size), str(seed))
        new.rename(made)
    finally:
        new.drop()
    return made


def empty(where: Database) -> Database:
    """A new catalog with the topics of the generated feeds and no show; the caller drops it."""
    new = where.named(f"bench_empty_{os.getpid()}")
    new.create()
    new.run("manage.py", "migrate", "--verbosity", "0")
    new.run("-m", "bench.inside", "topics")
    return new


def fingerprint(names: Iterable[str]) -> str:
    """A hash of all that a catalog is made from beside the seed; the code of the import is left out on purpose."""
    found = hashlib.sha256()
    for name in names:
        path = ROOT / name
        for file in sorted(path.rglob("*.*")) if path.is_dir() else [path]:
            if file.is_file() and file.suffix != ".pyc":
                found.update(file.read_bytes())
    return found.hexdigest()[:8]
