"""`kill -9` at any moment of whatever writes: the database is whole, in the state before or after, and the next run does the rest.

`KILLS` says how many, 105 without it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
from psycopg import sql

from ..forks import Forks
from ..loopback import Loopback
from ..processes import change, database, rows
from .conftest import SHOW, feed


class Database:
    """A database file, or a database of a server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_sqlite = url.startswith("sqlite")
        self.path = Path(url.removeprefix("sqlite:///"))
        self.name = self.path.name

    def named(self, name: str) -> Database:
        if self.is_sqlite:
            return Database(f"sqlite:///{self.path.with_name(name + '.sqlite3')}")
        return Database(f"{self.url.rpartition('/')[0]}/{name}")

    def drop(self) -> None:
        if self.is_sqlite:
            for end in ("", "-wal", "-shm"):
                Path(f"{self.path}{end}").unlink(missing_ok=True)
            return
        with self.server() as server:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(self.name)))

    def copy(self, to: Database) -> None:
        to.drop()
        if self.is_sqlite:
            # The last connection that closed has put the write-ahead log into the file.
            shutil.copyfile(self.path, to.path)
            return
        with self.server() as server:
            names = map(sql.Identifier, (to.name, self.name))
            server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*names))

    @contextmanager
    def server(self) -> Iterator[psycopg.Connection]:
        """Connect to another database of the server, from which this one can be created and dropped."""
        with psycopg.connect(self.named("postgres").url, autocommit=True) as connection:
            yield connection


__all__ = ["database"]

EPISODES, MORE = 40, 60
KILLS = int(os.environ.get("KILLS", 105))  # over all kinds
SHORT = "small-talks"


def setup(address: str) -> str:
    show = {"slug": SHORT, "title": SHOW, "feed_url": address, "rank": 1}
    source = {"podcast": [SHORT], "slug": "feed", "title": "Feed", "reader": "feed", "rank": 1, "address": address}
    source |= {"may_create": True, "complete": True}
    topic = {"slug": "household", "name": "Household", "position": 1, "rules": {"title": ["kettles"]}}
    user = {"username": "boss", "is_staff": True, "is_superuser": True, "is_active": True, "password": "!"}
    models = {"episodes.podcast": show, "episodes.source": source, "episodes.topic": topic, "auth.user": user}
    return json.dumps([{"model": model, "fields": fields} for model, fields in models.items()])


@dataclass
class Site:
    """A catalog, states of it that are kept beside, and processes that use it."""

    where: Database
    forks: Forks
    folder: Path
    feed: Callable[[int], None]  # how many entries the feed has from now on

    def state(self, name: str) -> Database:
        return self.where.named(f"{Path(self.where.name).stem}_{name}")

    def keep(self, name: str) -> None:
        self.where.copy(self.state(name))

    def put_back(self, name: str) -> None:
        if self.where.is_sqlite:
            self.where.drop()
        self.state(name).copy(self.where)

    def export(self) -> str:
        return self.forks.run("export")

    def check(self) -> None:
        """Refuse a database that is damaged or has references to nothing; PostgreSQL checks those itself."""
        if self.where.is_sqlite:
            assert rows(self.where.url, "PRAGMA integrity_check") == [("ok",)]
            assert rows(self.where.url, "PRAGMA foreign_key_check") == []


@pytest.fixture
def site(database: str, tmp_path: Path) -> Iterator[Site]:
    with Loopback() as loopback:
        where = Database(database)
        more = {"FETCH_ALLOW": loopback.pair, "CHECK_LINKS": "off", "IMAGES": "off"}
        # Only what waits is told that the show is large.
        with Forks(database, tmp_path, **more) as forks:

            def has(count: int) -> None:
                body = feed(range(count))
                if count == MORE:
                    body = body.replace(b"All about needles", b"Much about needles")
                loopback.routes["/feed"] = (200, {"Content-Type": "application/rss+xml"}, body)

            has(EPISODES)
            found = Site(where, forks, tmp_path, has)
            prepare(found, loopback.address("/feed"))
            yield found
        for name in ("empty", "taken", "waiting"):
            found.state(name).drop()


def prepare(site: Site, address: str) -> None:
    """The states to begin from: nothing but tables, a catalog, and one with a change that waits."""
    (site.folder / "setup.json").write_text(setup(address))
    site.forks.run("migrate", "-v", "0")
    site.keep("empty")
    site.forks.run("loaddata", site.folder / "setup.json", "-v", "0")
    site.forks.run("ingest", "feed")
    site.forks.run("backup", site.folder / "whole.backup")
    # Half of the episodes under other numbers.
    episodes = json.loads(site.export())["episodes"][: EPISODES // 2]
    lines = [f"{episode['slug']} {500 + n}" for n, episode in enumerate(episodes)]
    (site.folder / "numbers.txt").write_text("\n".join(lines))
    change(site.where.url, "DELETE FROM episodes_sourceschedule")  # so that the feed is due
    site.keep("taken")
    site.forks.run("decide", 3, "Decided", "waits")
    site.keep("waiting")


class Kind(NamedTuple):
    """Something that writes: from which state, and its words. `{folder}` is that of the site."""

    begin: str
    words: tuple[str, ...]
    entries: int = EPISODES

    def start(self, site: Site) -> list[str]:
        site.put_back(self.begin)
        site.feed(self.entries)
        return [word.format(folder=site.folder) for word in self.words]


KINDS = {
    "import": Kind("taken", ("ingest", "feed"), MORE),
    "rebuild": Kind("taken", ("rebuild",)),
    "backup": Kind("taken", ("backup", "{folder}/new.backup", "--overwrite")),
    "restore": Kind("empty", ("restore", "{folder}/whole.backup")),
    "repair": Kind("taken", ("repair", "{folder}/numbers.txt")),
    "schedule": Kind("taken", ("run_schedule", "--once"), MORE),
    "waiting": Kind("waiting", ("catch_up",)),
}


@pytest.mark.long
def test_next_run_completes_after_a_kill(site: Site) -> None:
    chance = random.Random(KILLS)
    for name, kind in KINDS.items():
        words = kind.start(site)
        before = site.export()
        began = time.monotonic()
        site.forks.run(*words)
        lasts, after = time.monotonic() - began, site.export()
        assert (before == after) == (name in ("rebuild", "backup")), name
        share = KILLS // len(KINDS)
        for n in range(share):
            kind.start(site)
            moment = lasts * (n + chance.random()) / share
            while not site.forks.kill(moment, *words):  # it was quicker this time, and had ended
                kind.start(site)
                moment /= 2
            site.check()
            if name == "repair":  # its decisions may be there, and wait
                site.forks.run("catch_up")
            assert site.export() in (before, after), name
            again(site, name, words)
            site.check()
            assert site.export() == after, name


def again(site: Site, name: str, words: list[str]) -> None:
    """Run it once more, as if what the killed process held had run out."""
    if name == "restore" and rows(site.where.url, "SELECT 1 FROM episodes_podcast"):
        return  # it was done; a second restore is refused
    if not site.where.is_sqlite:
        change(site.where.url, "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'")
    site.forks.run(*words)
    if name == "backup":
        site.forks.run("backup", "--check", words[1])
