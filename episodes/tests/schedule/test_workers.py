"""Several processes of the schedule at once, one of them killed in the middle: every source is read, none twice at once."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from threading import Event, Lock

import pytest

from episodes.tests.forks import Forks
from episodes.tests.loopback import Loopback, Reply, Request
from episodes.tests.processes import migrated, rows

__all__ = ["migrated"]

LEASE = 5  # seconds
HOSTS, FEEDS = 3, 2  # feeds of each host
FEED = """<rss version="2.0"><channel><title>Show {name}</title>
<item><title>Loom</title><guid>1</guid><description>Cards.</description></item></channel></rss>"""


class Hosts:
    """Hosts on the loopback with two feeds each; the very first request is only answered when `killed` is set."""

    def __init__(self, servers: list[Loopback]) -> None:
        self.servers = servers
        self.asked: Counter[str] = Counter()
        self.now: Counter[str] = Counter()
        self.at_once: Counter[str] = Counter()
        self.begun, self.killed, self.lock = Event(), Event(), Lock()
        self.moments: dict[str, list[float]] = {server.host: [] for server in servers}
        for server in servers:
            server.routes |= {f"/{n}": self.answer(server.host) for n in range(FEEDS)}

    def answer(self, host: str) -> Callable[[Request], Reply]:
        def reply(request: Request) -> Reply:
            name = f"{host}{request.path}"
            with self.lock:
                first = not self.asked
                self.asked[name] += 1
                self.now[host] += 1
                self.at_once[host] = max(self.at_once[host], self.now[host])
                self.moments[host].append(time.monotonic())
            if first:
                self.begun.set()
                self.killed.wait(20)
            time.sleep(0.05)
            with self.lock:
                self.now[host] -= 1
            return 200, {"Content-Type": "application/rss+xml"}, FEED.format(name=name).encode()

        return reply

    def rows(self) -> Iterator[dict[str, object]]:
        for number, server in enumerate(self.servers):
            for n in range(FEEDS):
                key = 1 + number * FEEDS + n
                name = f"{server.host}/{n}"
                yield {
                    "model": "episodes.podcast",
                    "pk": key,
                    "fields": {"slug": f"show-{key}", "title": f"Show {name}", "rank": key},
                }
                yield {
                    "model": "episodes.source",
                    "pk": key,
                    "fields": {
                        "podcast": [f"show-{key}"],
                        "slug": "feed",
                        "title": "Feed",
                        "reader": "feed",
                        "address": server.address(f"/{n}"),
                        "may_create": True,
                    },
                }


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    with ExitStack() as stack:
        yield Hosts([stack.enter_context(Loopback(host=f"127.0.0.{n + 2}")) for n in range(HOSTS)])


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)


def test_workers_share_the_sources_and_take_over_from_one_that_was_killed(
    migrated: str, hosts: Hosts, tmp_path: Path
) -> None:
    (tmp_path / "shows.json").write_text(json.dumps(list(hosts.rows())))
    environment = {
        "FETCH_ALLOW": ",".join(server.pair for server in hosts.servers),
        "SCHEDULE_LEASE": str(LEASE),
        "CHECK_LINKS": "off",
    }
    with Forks(migrated, tmp_path, **environment) as forks:
        forks.run("loaddata", tmp_path / "shows.json", "-v", "0")
        killed = forks.begin("run_schedule")
        assert hosts.begun.wait(20)
        killed.send(signal.SIGKILL)
        forks.ended(killed)
        hosts.killed.set()
        workers = [forks.begin("run_schedule") for _ in range(2)]
        try:
            until(lambda: sum(hosts.asked.values()) == HOSTS * FEEDS + 1)
            time.sleep(0.5)  # nobody asks once more
        finally:
            for worker in workers:
                worker.send(signal.SIGTERM)
            codes = [forks.ended(worker) for worker in workers]
    assert (codes, [worker.err for worker in workers]) == ([0, 0], ["", ""])
    first = f"{hosts.servers[0].host}/0"
    assert hosts.asked == Counter({**dict.fromkeys(hosts.asked, 1), first: 2})
    assert set(hosts.at_once.values()) == {1}
    taken_over = hosts.moments[hosts.servers[0].host]
    assert taken_over[1] - taken_over[0] > LEASE - 1
    pauses = [min(later - earlier for earlier, later in pairwise(at)) for at in hosts.moments.values()]
    assert min(pauses) > 1.9
    lines = sorted(line for worker in workers for line in worker.out.splitlines())
    assert len(lines) == HOSTS * FEEDS
    assert all("1 items: 1 new" in line for line in lines)
    assert set(rows(migrated, "SELECT source_id, count(*) FROM episodes_ingestrun GROUP BY source_id")) == {
        (n + 1, 1) for n in range(HOSTS * FEEDS)
    }
    assert set(rows(migrated, "SELECT DISTINCT worker, failures FROM episodes_sourceschedule")) == {("", 0)}
