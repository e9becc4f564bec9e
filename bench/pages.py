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
    arguments = [sys.executable, "-m", *command, "--no-ws", *options, application]
    with running(arguments, os.environ | settings) as server:
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
    """Run a server on a free port, and yield it when it answers. Without a configuration, the port is
    an option of the command."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))  # 0: any free port
        _, port = probe.getsockname()
    if configuration:
        configuration.write_text(SETTINGS_OF_NGINX.format(folder=configuration.parent, port=port))
    else:
        command += ["--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    server = Server(port, [process.pid])
    try:
        # At most a minute.
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

    topics = _quoted_values(Topic, "slug")
    # Episodes from all of the catalog, old and new.
    step = max(1, Episode.objects.count() // 100)
    paths_by_name = _paths_of_lists(topics) | _paths_of_searches(topics, step)
    slugs = _quoted_values(Episode, "slug", step)
    paths_by_name["episode"] = [f"/episodes/{slug}/" for slug in slugs]
    paths_by_name["show"] = [f"/shows/{slug}/" for slug in _quoted_values(Podcast, "slug")]
    paths_by_name["topic's page"] = [f"/topics/{slug}/" for slug in topics]
    paths_by_name["person"] = [f"/people/{slug}/" for slug in _quoted_values(Person, "slug")]
    paths_by_name["link"] = [f"/links/item/?key={key}" for key in _quoted_values(Link, "key")]
    slugs = _quoted_values(CodeName, "slug")
    paths_by_name["name of code"] = [f"/names/{slug}/" for slug in slugs]
    paths_by_name["RSS"] = ["/episodes.rss"]
    paths_by_name["RSS of a topic"] = [f"/topics/{slug}.rss" for slug in topics]
    for name, paths in paths_by_name.items():
        if paths:
            yield name, paths
    for name in ("shows", "topics", "links", "people", "names", "timeline", "sources", "changes"):
        path = f"/{name}/"
        yield path, [path]


def _quoted_values(model: Any, column: str, step: int = 1) -> list[str]:
    """Return the values of VARIANTS rows, each `step` rows from the next, quoted for an address."""
    values = model.objects.values_list(column, flat=True)[: VARIANTS * step : step]
    return [quote(str(value), safe="") for value in values]


def _paths_of_lists(topics: list[str]) -> dict[str, list[str]]:
    """Return the addresses of lists of episodes, by name."""
    from episodes.models import Episode

    newest = Episode.objects.exclude(published_at=None).order_by("-published_at").first()
    year = newest.published_at.year if newest and newest.published_at else 2020
    last_page = max(1, Episode.objects.count() // 25)
    deep_pages = [max(1, last_page - n) for n in range(VARIANTS)]
    paths_by_name = {"list": ["/episodes/"]}
    paths_by_name["list, deep page"] = [f"/episodes/?page={page}" for page in deep_pages]
    paths_by_name["topic"] = [f"/episodes/?topic={slug}" for slug in topics]
    paths_by_name["topic and year"] = [f"/episodes/?topic={slug}&year={year}" for slug in topics]
    paths_by_name["two topics"] = [
        f"/episodes/?topic={first}&topic={second}" for first, second in pairwise(topics)
    ]
    paths_by_name["year"] = [f"/episodes/?year={year - n}" for n in range(3)]
    paths_by_name["length"] = [f"/episodes/?min_minutes={10 + n}" for n in range(VARIANTS)]
    return paths_by_name


def _paths_of_searches(topics: list[str], step: int) -> dict[str, list[str]]:
    """Return the addresses of searches, by name."""
    from episodes.models import Episode

    last_words = []
    for title in Episode.objects.values_list("title", flat=True)[: 20 * step : step]:
        last_words += [quote(word) for word in title.split()[-1:]]  # none of a blank title
    # The third and the fourth letter are swapped.
    typos = [f"{slug[:2]}{slug[3:4]}{slug[2:3]}{slug[4:]}" for slug in topics]
    return {
        "search, common word": [f"/episodes/?q={slug}" for slug in topics],
        "search, words of titles": [f"/episodes/?q={word}" for word in last_words[:VARIANTS]],
        "search, typo": [f"/episodes/?q={typo}" for typo in typos],
    }


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
    client = Client(SERVER_NAME="127.0.0.1")
    measured = list(pages())
    with ExitStack() as stack:
        empty = stack.enter_context(granian("bench.pages:hello", *EMPTY_VIEW))
        uncached = stack.enter_context(catalog(PAGES_KEPT="0"))
        cached = stack.enter_context(catalog())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        static = None
        if NGINX:
            _, page = cached.get("/episodes/")
            static = stack.enter_context(nginx(page, folder))
        # Costs as multiples of the empty view, by name of the page and state of the page cache.
        ratios: dict[tuple[str, str], list[float]] = {}
        costs_of_empty_view: list[float] = []
        for _ in range(ROUNDS):
            start_new_version()
            time.sleep(AGAIN)
            cached.get("/robots.txt")  # the look at the version is of nobody's page
            if static:
                cost = static.cost(cycle("/"), 3 * REQUESTS)
                ratio = cost / empty.cost(cycle("/"), 3 * REQUESTS)
                ratios.setdefault(("nginx", "kept"), []).append(ratio)
            for name, paths in measured:
                cost_of_empty_view = empty.cost(cycle("/"), 3 * REQUESTS)
                costs_of_empty_view.append(cost_of_empty_view)
                for state, cost in costs_by_cache_state(cached, uncached, paths).items():
                    ratios.setdefault((name, state), []).append(cost / cost_of_empty_view)
        print(
            f"Episodes: {Episode.objects.count():,}. Empty view: {median(costs_of_empty_view):.2f} ms. "
            f"MB of a web process: {memory(cached)}."
        )
        print(
            "| page | queries | kB | anew | after a change | kept | 304 |\n|---|--:|--:|--:|--:|--:|--:|"
        )
        print(f"| nginx | | | | | {median(ratios.get(('nginx', 'kept'), [0])):.2f} | |")
        for name, paths in measured:
            with CaptureQueriesContext(connection) as queries:
                body = client.get(paths[0]).content
            cells = [f"{median(ratios[name, state]):.2f}" for state in CACHE_STATES]
            kilobytes = len(body) / 1_000
            print(f"| {name} | {len(queries)} | {kilobytes:.0f} | {' | '.join(cells)} |")


# Rendered for each request; the first time after a change; from the page cache; "not modified".
CACHE_STATES = ("anew", "changed", "kept", "304")


def costs_by_cache_state(cached: Server, uncached: Server, paths: list[str]) -> dict[str, float]:
    """Return the milliseconds of CPU for a request of a page, by state of the page cache."""
    # Measured first: afterwards the page is in the cache.
    cost_after_change = cached.cost(iter(paths), 1)
    response, _ = cached.get(paths[0])
    tag = {"If-None-Match": response.headers.get("ETag") or ""}
    return {
        "anew": uncached.cost(cycle(paths), REQUESTS),
        "changed": cost_after_change,
        "kept": cached.cost(cycle(paths[:1]), REQUESTS),
        "304": cached.cost(cycle(paths[:1]), REQUESTS, **tag),
    }


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
