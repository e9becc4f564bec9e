"""Several processes of the schedule at once, one of them killed in the middle: every source is read, none twice at once."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Lock

import pytest

from episodes.tests.forks import Forks
from episodes.tests.loopback import Loopback, Reply, Request
from episodes.tests.patience import PATIENCE, until
from episodes.tests.processes import change, migrated, rows

__all__ = ["migrated"]

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
            if first:
                self.begun.set()
                self.killed.wait(PATIENCE)
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


def test_workers_share_the_sources_and_take_over_from_one_that_was_killed(
    migrated: str, hosts: Hosts, tmp_path: Path
) -> None:
    def two_workers() -> list[str]:
        """Let two read what is free and due; the lines that they print."""
        workers = [forks.begin("run_schedule", "--once", "-v", "2") for _ in range(2)]
        assert [(forks.ended(worker), worker.err) for worker in workers] == [(0, ""), (0, "")]
        return [line for worker in workers for line in worker.out.splitlines()]

    (tmp_path / "shows.json").write_text(json.dumps(list(hosts.rows())))
    allowed = ",".join(server.pair for server in hosts.servers)
    with Forks(migrated, tmp_path, FETCH_ALLOW=allowed, CHECK_LINKS="off") as forks:
        forks.run("loaddata", tmp_path / "shows.json", "-v", "0")
        killed = forks.begin("run_schedule")
        assert hosts.begun.wait(PATIENCE)
        killed.send(signal.SIGKILL)
        forks.ended(killed)
        hosts.killed.set()
        until(lambda: not any(hosts.now.values()))
        first = hosts.servers[0].host
        lines = two_workers()
        # While the claim holds, nobody asks this host.
        assert {name for name in hosts.asked if name.startswith(first)} == {f"{first}/0"}
        change(migrated, "UPDATE episodes_sourceschedule SET held_until = '2026-01-01 00:00:00' WHERE worker <> ''")
        lines += two_workers()
    assert hosts.asked == Counter({**dict.fromkeys(hosts.asked, 1), f"{first}/0": 2})
    assert set(hosts.at_once.values()) == {1}
    assert len(lines) == HOSTS * FEEDS
    assert all("1 items: 1 new" in line for line in lines)
    runs = rows(migrated, "SELECT started_at, finished_at, source_id FROM episodes_ingestrun ORDER BY started_at")
    assert sorted(int(str(source)) for _, _, source in runs) == [n + 1 for n in range(HOSTS * FEEDS)]
    for host in range(HOSTS):
        (_, ended, _), (begun, _, _) = [run for run in runs if (int(str(run[2])) - 1) // FEEDS == host]
        assert moment(begun) - moment(ended) >= timedelta(seconds=2)
    assert set(rows(migrated, "SELECT DISTINCT worker, failures FROM episodes_sourceschedule")) == {("", 0)}


def moment(value: object) -> datetime:
    """A time of PostgreSQL, or the text that it is in SQLite."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
