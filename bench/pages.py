"""Measures every page: made anew, kept, and asked for again with its ETag, beside Django hello and a static file."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

from . import servers
from .catalogs import Database
from .results import HELLO, Line
from .servers import Server

ENOUGH = 0.04  # seconds of CPU in which the scheduler's own share no longer counts
MOST = 250  # requests in a round
WARMING = 0.5  # seconds of CPU
HELLO_EVERY = 10  # measurements
COMPRESSED = {"Accept-Encoding": "gzip, deflate, br"}
# A page of each kind, as a browser asks for it.
AS_BROWSERS_ASK = ("list", "episode", "list as rss")


@dataclass
class Task:
    """Something to measure: addresses of a server that are asked for in turn."""

    server: Server
    name: str
    way: str
    paths: list[str]
    headers: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    count: int = 1
    values: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.turns = cycle(self.paths)

    def prepare(self) -> None:
        """Ask for the addresses once, no longer than a while, and find out how many requests a round needs."""
        before = self.server.cpu()
        for path in self.paths:
            self.server.get(path, self.headers)
            if self.server.cpu() - before > WARMING:
                break
        each = max(self.measure(), 1e-6)
        self.count = max(1, min(MOST, round(ENOUGH / each)))

    def measure(self) -> float:
        """Seconds of CPU for one request."""
        before = self.server.cpu()
        for _ in range(self.count):
            answer = self.server.get(next(self.turns), self.headers)
        used = self.server.cpu() - before
        self.facts = self.facts | {"status": answer.status, "bytes": len(answer.body)}
        return used / self.count

    def is_meant(self) -> bool:
        """False for a 304 that was none: the page is another each time, or has nothing to be asked again for."""
        return not self.way.endswith("304") or self.facts["status"] == 304

    def run(self, hello: float) -> None:
        """A round, beside what an empty view cost a moment ago."""
        value = self.measure()
        self.values.append(round(1000 * value, 4))
        self.ratios.append(round(value / hello, 3))

    def line(self, database: Database, size: int) -> Line:
        ratios = [1.0] if self.name == HELLO else self.ratios
        return Line(database.vendor, size, "pages", self.name, self.way, "ms", self.values, ratios, self.facts)


def measure(database: Database, size: int, rounds: int) -> list[Line]:
    pages = json.loads(database.run("-m", "bench.inside", "pages", PAGES_KEPT="0"))
    with ExitStack() as stack:
        yardstick = stack.enter_context(servers.hello(database))
        cold = stack.enter_context(servers.catalog(database, kept=0))
        kept = stack.enter_context(servers.catalog(database))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        static = stack.enter_context(servers.nginx(folder, kept.get("/episodes/", {}).body))
        if static is None:
            print("No nginx is installed: the static file is left out.", flush=True)
        hello = Task(yardstick, HELLO, "cold", ["/"])
        tasks = [Task(static, "static file on nginx", "cold", ["/"])] if static else []
        tasks += list(_tasks(pages, cold, kept))
        for task in (hello, *tasks):
            task.prepare()
        for number in range(rounds):
            print(f"  round {number + 1} of {rounds}", flush=True)
            for place, task in enumerate(tasks):
                if place % HELLO_EVERY == 0:
                    empty = hello.measure()
                    hello.values.append(round(1000 * empty, 4))
                task.run(empty)
        lines = [task.line(database, size) for task in (hello, *tasks) if task.is_meant()]
        return lines + [
            Line(database.vendor, size, "memory", name, "", "MB", [round(server.pss() / 1000, 1)])
            for name, server in (("web process, pages kept", kept), ("web process, no pages kept", cold))
        ]


def _tasks(pages: list[dict[str, Any]], cold: Server, kept: Server) -> Iterator[Task]:
    for page in pages:
        name, paths, facts = page["name"], page["paths"], {"statements": page["statements"], "kind": page["kind"]}
        yield Task(cold, name, "cold", paths, {}, facts)
        yield Task(kept, name, "kept", paths[:1], {}, facts)
        if name in AS_BROWSERS_ASK:
            yield Task(cold, f"{name}, compressed", "cold", paths, COMPRESSED, facts)
            yield Task(kept, f"{name}, compressed", "kept", paths[:1], COMPRESSED, facts)
        yield from _again(kept, "kept 304", name, paths[0], facts)
        # The ETag of any other page is of its bytes, so that it has to be made.
        if page["kind"] == "machine" or name in AS_BROWSERS_ASK:
            yield from _again(cold, "cold 304", name, paths[0], facts)


def _again(server: Server, way: str, name: str, path: str, facts: dict[str, Any]) -> Iterator[Task]:
    """The page asked for with this server's own ETag, which depends on its port."""
    if tag := server.get(path, {}).headers.get("ETag"):
        yield Task(server, name, way, [path], {"If-None-Match": tag}, facts)
