"""A soak: readers, two curators, imports and backups at once, for minutes. Nobody gets an error, and the memory stays flat.

`SOAK_SECONDS` says how long, 600 without it; `-s` shows the figures.
"""

import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from itertools import count, cycle
from pathlib import Path
from threading import Event

import pytest
from selectolax.lexbor import LexborHTMLParser

from bench.imports import SETTINGS
from bench.pages import Server, catalog, memory

from ..ingest.conftest import DOCUMENTS, FIXTURES
from ..processes import database, manage, rows

__all__ = ["database"]

SECONDS = float(os.environ.get("SOAK_SECONDS", 600))
READERS, CURATORS = 3, 2
LOCKED = ("database is locked", "could not obtain lock", "deadlock detected")
PEOPLE = (
    "from django.contrib.auth.models import User; "
    "[User.objects.create_superuser(f'curator-{n}', password='a long password') for n in range(2)]"
)


@dataclass
class Seen:
    statuses: Counter[int] = field(default_factory=Counter)
    acts: Counter[str] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)
    slowest: dict[str, float] = field(default_factory=dict)

    def note(self, who: str, what: str, status: int, body: str, seconds: float) -> None:
        self.statuses[status] += 1
        self.acts[who] += 1
        self.slowest[who] = max(self.slowest.get(who, 0.0), seconds)
        if status >= 500 or status == 429 or any(words in body for words in LOCKED):
            self.troubles.append(f"{what}: {status} {body[:300]}")


class Visitor:
    def __init__(self, base: str, seen: Seen, who: str) -> None:
        self.base, self.seen, self.who = base, seen, who
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def ask(self, path: str, data: dict[str, str] | None = None) -> tuple[str, str]:
        began = time.monotonic()
        sent = urllib.parse.urlencode(data).encode() if data is not None else None
        request = urllib.request.Request(urllib.parse.urljoin(self.base, path), sent)
        try:
            with self.opener.open(request, timeout=120) as answer:
                status, body, url = answer.status, answer.read().decode("utf-8", "replace"), answer.url
        except urllib.error.HTTPError as error:
            status, body, url = error.code, error.read().decode("utf-8", "replace"), path
        self.seen.note(self.who, path, status, body, time.monotonic() - began)
        return urllib.parse.urlsplit(url).path, body

    def send(self, path: str, page: str, form: str, **values: str) -> tuple[str, str]:
        """Send a form with these values, and without its buttons."""
        there: dict[str, str] = {}
        for node in LexborHTMLParser(page).css(f"{form} input[name], {form} textarea[name]"):
            if node.attributes.get("type") not in ("submit", "checkbox", "radio", "file"):
                value = node.text() if node.tag == "textarea" else node.attributes.get("value")
                there[str(node.attributes["name"])] = value or ""
        return self.ask(path, there | values)


@dataclass
class Soak:
    database: str
    server: Server
    folder: Path
    seen: Seen = field(default_factory=Seen)
    stop: Event = field(default_factory=Event)

    def visitor(self, who: str) -> Visitor:
        return Visitor(f"http://127.0.0.1:{self.server.port}", self.seen, who)

    def reader(self, number: int, paths: list[str]) -> None:
        visitor = self.visitor("readers")
        for path in cycle(paths[number::READERS] + paths):
            visitor.ask(path)
            if self.stop.wait(0.02):
                return

    def curator(self, number: int, slugs: list[str]) -> None:
        """Gives episodes another title and then their own again, and looks around."""
        visitor = self.visitor("curators")
        where, page = visitor.ask("/admin/login/?next=/admin/")
        visitor.send(where, page, "form", username=f"curator-{number}", password="a long password")
        own = cycle([f"/admin/episodes/episode/{slug}/change/" for slug in slugs[number::CURATORS]])
        for n in count():
            address, page = visitor.ask(next(own))
            for title in (f"Title {number} {n}", ""):
                if 'name="title"' not in page:
                    self.seen.acts["forms not there"] += 1
                    break
                address, page = visitor.send(address, page, "#content form", title=title, save="1")
                self.seen.acts["edits"] += "field locked" in page
            for path in ("/admin/", "/admin/episodes/episode/", "/admin/episodes/change/"):
                visitor.ask(path)
            if self.stop.wait(0.2):
                return

    def imports(self) -> None:
        body = (FIXTURES / "feed.xml").read_bytes()
        changed = self.folder / "changed.xml"
        changed.write_bytes(body.replace(b" the ", b" this ", 40))
        for path in cycle((changed, FIXTURES / "feed.xml")):
            manage(self.database, "ingest", str(path), "--source", "feed", "--accept", "-q")
            self.seen.acts["imports"] += 1
            if self.stop.wait(1):
                return

    def backups(self) -> None:
        while not self.stop.wait(2):
            manage(self.database, "backup", str(self.folder / "soak.backup"), "--overwrite", "-v", "0")
            self.seen.acts["backups"] += 1


@pytest.fixture
def soak(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Soak]:
    monkeypatch.setenv("STATEMENT_TIMEOUT", "0")  # on a busy machine a statement takes long
    for name, value in (SETTINGS | {"DATABASE_URL": database}).items():
        monkeypatch.setenv(name, value)
    manage(database, "collectstatic", "--noinput", "--verbosity", "0")
    manage(database, "migrate", "--verbosity", "0")
    manage(database, "loaddata", "sources", "topics", "--verbosity", "0")
    manage(database, "ingest", "-q", *map(str, DOCUMENTS))
    manage(database, "shell", "-v", "0", "-c", PEOPLE)
    with catalog() as server:
        yield Soak(database, server, tmp_path)


@pytest.mark.long
def test_busy_site_has_no_error_or_leak(soak: Soak) -> None:
    slugs = [str(row[0]) for row in rows(soak.database, "SELECT slug FROM episodes_episode ORDER BY slug LIMIT 20")]
    indexes = "shows topics links people names timeline sources changes about".split()
    paths = ["/", "/episodes/?q=tensor", "/episodes/?topic=autograd&year=2021", "/episodes.rss"]
    paths += [*(f"/{name}/" for name in indexes), *(f"/episodes/{slug}/" for slug in slugs)]
    work: list[Callable[[], None]] = [soak.imports, soak.backups]
    work += [lambda n=n: soak.reader(n, paths) for n in range(READERS)]  # type: ignore[misc]
    work += [lambda n=n: soak.curator(n, slugs) for n in range(CURATORS)]  # type: ignore[misc]
    with ThreadPoolExecutor(len(work)) as pool:
        running = [pool.submit(act) for act in work]
        try:
            soak.stop.wait(SECONDS / 4)
            warm = memory(soak.server)
            end = time.monotonic() + SECONDS * 3 / 4
            while time.monotonic() < end and not any(act.done() for act in running):
                time.sleep(0.2)
            last = memory(soak.server)
        finally:
            soak.stop.set()
    for act in running:
        act.result()
    seen = soak.seen
    print(f"\n{dict(seen.statuses)} {dict(seen.acts)} slowest {seen.slowest} PSS {warm} → {last} MB")
    assert seen.troubles == []
    assert min(seen.acts[what] for what in ("readers", "edits", "imports", "backups")) > 0
    assert last <= 1.2 * warm
