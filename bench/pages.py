"""`python -m bench.pages [EPISODES]`: what the pages of the catalog of DATABASE_URL cost, beside an empty view and nginx.

An empty catalog is filled first: with what the repository ships, or with so many made-up episodes.
A figure is the median CPU time of one request of the whole server (granian with one worker, and a
PostgreSQL on this machine), divided by that of an empty view behind Django's seven default
middlewares in the same round. It needs Linux.
"""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle, pairwise
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

from . import imports
from .imports import (
    ROOT,
    SETTINGS,
    address,
    cpu,
    feed,
    number_argument,
    postgresql,
    with_descendants,
)

SHIPPED = 83  # episodes that the repository ships, with the live feed's first one
ROUNDS, REQUESTS = 7, 20
EMPTY_VIEW = ("--factory", "--interface", "wsgi", "--blocking-threads", "4")
VARIANTS = 8  # addresses of one kind that are asked for in turn
AGAIN = 1.1  # seconds until every process knows of a new version
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin") or ""
SETTINGS_OF_NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log stderr error; events {{ }}
http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
server {{ listen 127.0.0.1:{port}; root {folder}; default_type text/html; }} }}
"""


def hello() -> Any:
    """The yardstick: an empty view behind the middlewares that `startproject` gives."""
    from django.conf import settings
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse
    from django.urls import path

    middlewares = (
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    )
    urls = type("urls", (), {"urlpatterns": [path("", lambda request: HttpResponse("hello"))]})
    apps = [f"django.contrib.{name}" for name in ("auth", "contenttypes", "sessions", "messages")]
    settings.configure(
        SECRET_KEY="x" * 60,
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF=urls,
        INSTALLED_APPS=apps,
        MIDDLEWARE=middlewares,
    )
    return get_wsgi_application()


class Server:
    """A server that runs on a free port of the loopback interface, asked over one connection."""

    def __init__(self, port: int, pids: list[int]) -> None:
        self.port, self.pids = port, pids
        self.connection = http.client.HTTPConnection("127.0.0.1", port)

    def get(self, path: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        # A page for a host that is not the site's own is kept among made-up ones, where feeds are too large.
        self.connection.request("GET", path, headers={"Host": "127.0.0.1"} | headers)
        response = self.connection.getresponse()
        return response, response.read()

    def cost(self, paths: Iterator[str], requests: int, **headers: str) -> float:
        """Return the milliseconds of CPU for one request."""
        before = cpu(self.pids)
        for _ in range(requests):
            self.get(next(paths), **headers)
        return 1_000 * (cpu(self.pids) - before) / requests


@contextmanager
def granian(application: str, *options: str, **settings: str) -> Iterator[Server]:
    command = ["granian", "--workers", "1", "--log-level", "error"]
    with running(
        [sys.executable, "-m", *command, "--no-ws", *options, application], os.environ | settings
    ) as server:
        yield server


@contextmanager
def catalog(**settings: str) -> Iterator[Server]:
    """Run the catalog as `make serve` does."""
    options = ("--interface", "rsgi", "--http", "1")
    with granian("podcast_catalog.rsgi:application", *options, **settings) as server:
        server.pids += postgresql(os.environ["DATABASE_URL"])
        yield server


@contextmanager
def nginx(page: bytes, folder: Path) -> Iterator[Server]:
    """Run nginx with a page as a file."""
    folder.chmod(0o755)  # its worker is another user
    (folder / "index.html").write_bytes(page)
    with running([NGINX, "-c", str(folder / "conf")], None, folder / "conf") as server:
        yield server


@contextmanager
def running(
    command: list[str], environment: Any, configuration: Path | None = None
) -> Iterator[Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    if configuration:
        configuration.write_text(SETTINGS_OF_NGINX.format(folder=configuration.parent, port=port))
    else:
        command += ["--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    server = Server(port, [process.pid])
    try:
        for _ in range(600):
            try:
                server.get("/")
                break
            except OSError:
                server.connection.close()
                time.sleep(0.1)
        yield server
    finally:
        server.connection.close()
        _, *descendants = with_descendants([process.pid])
        process.terminate()
        process.wait()
        for pid in descendants:
            subprocess.run(["kill", "-9", str(pid)], check=False, stderr=subprocess.DEVNULL)


def fill(episodes: int) -> None:
    """Shows of 250 made-up episodes, imported as feeds are; or the sample data."""
    if episodes == SHIPPED:
        imports.run("first_run", "--verbosity=0")
        return
    from episodes.models import Topic

    for place, name in enumerate(imports.TOPICS):
        Topic.objects.create(
            slug=name,
            name=name.capitalize(),
            position=place,
            rules={"title": [name], "notes": [name]},
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "feed.xml"
        for show in range(1, episodes // 250 + 1):
            path.write_bytes(feed(show, 250))
            imports.run("ingest", str(path), "--url", address(show))


def pages() -> Iterator[tuple[str, list[str]]]:
    """Yield the measured pages: a name, and addresses of that kind in this catalog."""
    from episodes.models import CodeName, Episode, Link, Person, Podcast, Topic

    def slugs(model: Any, key: str = "slug", step: int = 1) -> list[str]:
        return [
            quote(str(value), safe="")
            for value in model.objects.values_list(key, flat=True)[: VARIANTS * step : step]
        ]

    topics, step = slugs(Topic), max(1, Episode.objects.count() // 100)
    titles = [quote(word) for title in Episode.objects.values_list("title", flat=True)[: 20 * step : step]
              for word in title.split()[-1:]]  # fmt: skip
    newest = Episode.objects.exclude(published_at=None).order_by("-published_at").first()
    year = newest.published_at.year if newest and newest.published_at else 2020
    last = max(1, Episode.objects.count() // 25)
    paths_by_name = {
        "list": ["/episodes/"],
        "list, deep page": [f"/episodes/?page={max(1, last - n)}" for n in range(VARIANTS)],
        "topic": [f"/episodes/?topic={slug}" for slug in topics],
        "topic and year": [f"/episodes/?topic={slug}&year={year}" for slug in topics],
        "two topics": [f"/episodes/?topic={one}&topic={other}" for one, other in pairwise(topics)],
        "year": [f"/episodes/?year={year - n}" for n in range(3)],
        "length": [f"/episodes/?min_minutes={10 + n}" for n in range(VARIANTS)],
        "search, common word": [f"/episodes/?q={slug}" for slug in topics],
        "search, words of titles": [f"/episodes/?q={word}" for word in titles[:VARIANTS]],
        "search, typo": [
            f"/episodes/?q={slug[:2]}{slug[3:4]}{slug[2:3]}{slug[4:]}" for slug in topics
        ],
        "episode": [f"/episodes/{slug}/" for slug in slugs(Episode, step=step)],
        "show": [f"/shows/{slug}/" for slug in slugs(Podcast)],
        "topic's page": [f"/topics/{slug}/" for slug in topics],
        "person": [f"/people/{slug}/" for slug in slugs(Person)],
        "link": [f"/links/item/?key={key}" for key in slugs(Link, "key")],
        "name of code": [f"/names/{slug}/" for slug in slugs(CodeName)],
        "RSS": ["/episodes.rss"],
        "RSS of a topic": [f"/topics/{slug}.rss" for slug in topics],
    }
    yield from ((name, paths) for name, paths in paths_by_name.items() if paths)
    for path in (
        "/shows/",
        "/topics/",
        "/links/",
        "/people/",
        "/names/",
        "/timeline/",
        "/sources/",
        "/changes/",
    ):
        yield path, [path]


def main(episodes: int) -> None:
    import django

    django.setup()
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from episodes.models import Episode, start_new_version

    imports.run("migrate", "--verbosity=0")
    imports.run("collectstatic", "--noinput", "--verbosity=0")
    if not Episode.objects.exists():
        fill(episodes)
    client, measured = Client(SERVER_NAME="127.0.0.1"), list(pages())
    with ExitStack() as stack:
        empty = stack.enter_context(granian("bench.pages:hello", *EMPTY_VIEW))
        anew = stack.enter_context(catalog(PAGES_KEPT="0"))
        kept = stack.enter_context(catalog())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        static = stack.enter_context(nginx(kept.get("/episodes/")[1], folder)) if NGINX else None
        figures: dict[tuple[str, str], list[float]] = {}
        hellos: list[float] = []
        for _ in range(ROUNDS):
            start_new_version()
            time.sleep(AGAIN)
            kept.get("/robots.txt")  # the look at the version is of nobody's page
            if static:
                cost = static.cost(cycle("/"), 3 * REQUESTS) / empty.cost(cycle("/"), 3 * REQUESTS)
                figures.setdefault(("nginx", "kept"), []).append(cost)
            for name, paths in measured:
                hellos.append(empty.cost(cycle("/"), 3 * REQUESTS))
                changed = kept.cost(iter(paths), 1)
                tag = {"If-None-Match": kept.get(paths[0])[0].headers.get("ETag") or ""}
                costs = {
                    "anew": anew.cost(cycle(paths), REQUESTS),
                    "changed": changed,
                    "kept": kept.cost(cycle(paths[:1]), REQUESTS),
                    "304": kept.cost(cycle(paths[:1]), REQUESTS, **tag),
                }
                for way, cost in costs.items():
                    figures.setdefault((name, way), []).append(cost / hellos[-1])
        print(
            f"Episodes: {Episode.objects.count():,}. Empty view: {median(hellos):.2f} ms. MB of a web process: {memory(kept)}."
        )
        print(
            "| page | queries | kB | anew | after a change | kept | 304 |\n|---|--:|--:|--:|--:|--:|--:|"
        )
        print(f"| nginx | | | | | {median(figures.get(('nginx', 'kept'), [0])):.2f} | |")
        for name, paths in measured:
            with CaptureQueriesContext(connection) as queries:
                body = client.get(paths[0]).content
            ways = (
                f"{median(figures[name, way]):.2f}" for way in ("anew", "changed", "kept", "304")
            )
            print(f"| {name} | {len(queries)} | {len(body) / 1_000:.0f} | {' | '.join(ways)} |")


def memory(server: Server) -> int:
    """Return the megabytes of a web process and its parent. Shared memory is divided among processes."""
    kilobytes = 0
    for pid in with_descendants(server.pids[:1]):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                kilobytes += int(line.split()[1])
    return kilobytes // 1_000


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(SETTINGS)
        os.environ.setdefault("DATABASE_URL", f"sqlite:///{folder}/db.sqlite3")
        main(number_argument("EPISODES", SHIPPED))
