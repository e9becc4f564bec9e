"""Four workers on PostgreSQL, two of them killed and one that stands still: every due source is read, and stored, once."""

import json
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Event, Lock
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection
from procrastinate.exceptions import ConnectorException

from episodes import queue
from episodes.models import Podcast
from episodes.queue import session_name
from episodes.schedule import HOST_PAUSE
from episodes.tests.forks import Forks
from episodes.tests.loopback import Loopback, Reply, Request
from episodes.tests.patience import PATIENCE, until
from episodes.tests.processes import migrated, rows

__all__ = ["migrated"]

pytestmark = pytest.mark.only_on("postgresql")
HOSTS, FEEDS = 6, 3  # feeds of each host
HELD = 3  # hosts whose first request is not answered before `ready` is set
FEED = """<rss version="2.0"><channel><title>Show {name}</title>
<item><title>Loom</title><guid>1</guid><description>Cards.</description></item></channel></rss>"""


class Hosts:
    def __init__(self, servers: list[Loopback]) -> None:
        self.servers = servers
        self.asked: Counter[str] = Counter()
        self.now: Counter[str] = Counter()
        self.at_once: Counter[str] = Counter()
        self.ready, self.lock = Event(), Lock()
        for server in servers:
            server.routes |= {f"/{n}": partial(self.answer, server.host) for n in range(FEEDS)}

    def answer(self, host: str, request: Request) -> Reply:
        name = f"{host}{request.path}"
        with self.lock:
            is_first = not any(key.startswith(f"{host}/") for key in self.asked)
            self.asked[name] += 1
            self.now[host] += 1
            self.at_once[host] = max(self.at_once[host], self.now[host])
        if is_first and host in [server.host for server in self.servers[:HELD]]:
            self.ready.wait(PATIENCE)
        with self.lock:
            self.now[host] -= 1
        return 200, {"Content-Type": "application/rss+xml"}, FEED.format(name=name).encode()

    def waiting(self) -> int:
        with self.lock:
            return self.now.total()

    def fixture(self) -> Iterator[dict[str, object]]:
        feeds = [(server, f"/{n}") for server in self.servers for n in range(FEEDS)]
        for key, (server, path) in enumerate(feeds, 1):
            show = {"slug": f"show-{key}", "title": f"Show {server.host}{path}", "rank": key}
            address = server.address(path)
            source = {"podcast": [f"show-{key}"], "slug": "feed", "title": "Feed", "reader": "feed", "address": address}
            yield {"model": "episodes.podcast", "pk": key, "fields": show}
            yield {"model": "episodes.source", "pk": key, "fields": source | {"may_create": True}}


@pytest.mark.parametrize("cause", [None, psycopg.OperationalError("the server went away")])
def test_silent_database_is_reported_in_its_words(
    db: None, monkeypatch: pytest.MonkeyPatch, cause: Exception | None
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ConnectorException("no connection") from cause

    monkeypatch.setattr(queue, "_set_idle_and_lock_timeouts", lambda: None)  # of a session of its own
    monkeypatch.setattr(queue, "_run_worker_and_sweeps", fails)
    with pytest.raises(OperationalError, match=str(cause or "no connection")):
        queue.run_worker({}, lambda: None, lambda: None, queues=["tidy"])


def test_no_session_name_a_worker_waits_for_ever(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    async def rests(*_: object, **__: object) -> None:
        pass

    options = connection.settings_dict["OPTIONS"]
    monkeypatch.setitem(options, "options", "-c work_mem=9MB")
    monkeypatch.setattr(queue, "connection", SimpleNamespace(close=lambda: None))  # that of the test stays
    monkeypatch.setattr(queue, "_run_worker_and_sweeps", rests)
    for _ in range(2):
        queue.run_worker({}, lambda: None, lambda: None, queues=["tidy"])
    limits = [("idle_in_transaction_session_timeout", "300s"), ("lock_timeout", "60s")]
    assert options["options"] == "-c work_mem=9MB" + "".join(f" -c {name}={value}" for name, value in limits)


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    with ExitStack() as stack:
        yield Hosts([stack.enter_context(Loopback(host=f"127.0.0.{n + 2}")) for n in range(HOSTS)])


def test_workers_take_over_from_lost_workers(migrated: str, hosts: Hosts, tmp_path: Path) -> None:
    def read() -> int:
        return len(rows(migrated, "SELECT DISTINCT source_id FROM episodes_ingestrun"))

    (tmp_path / "shows.json").write_text(json.dumps(list(hosts.fixture())))
    allowed = ",".join(server.pair for server in hosts.servers)
    with Forks(migrated, tmp_path, FETCH_ALLOW=allowed, CHECK_LINKS="off") as forks:
        forks.run("loaddata", tmp_path / "shows.json", "-v", "0")
        # Each of these hangs in the first request of a host.
        lost = [forks.begin("work", "--at-once", "1", "--queues", "read_host") for _ in range(HELD)]
        until(lambda: hosts.waiting() == HELD)
        *killed, frozen = lost
        for worker in killed:
            worker.send(signal.SIGKILL)
            forks.ended(worker)
        frozen.send(signal.SIGSTOP)
        other = forks.begin("work", "-v", "1")
        until(lambda: read() == (HOSTS - HELD) * FEEDS)  # other hosts do not wait
        hosts.ready.set()
        until(lambda: read() == HOSTS * FEEDS)
        frozen.send(signal.SIGCONT)  # it has lost its source and stores nothing
        for worker in (frozen, other):
            worker.send(signal.SIGTERM)
            assert forks.ended(worker) == 0
        assert other.err == ""
        # The job that it had is gone, which Procrastinate tells when it wants to end it.
        assert frozen.err == "" or "Job was not found" in frozen.err
    twice = [name for name, count in hosts.asked.items() if count > 1]
    assert set(hosts.asked.values()) <= {1, 2}
    assert sorted({name.partition("/")[0] for name in twice}) == sorted(s.host for s in hosts.servers[:HELD])
    assert len(hosts.asked) == HOSTS * FEEDS
    stored = Counter(source for (source,) in rows(migrated, "SELECT source_id FROM episodes_ingestrun"))
    assert set(stored.values()) == {1}
    assert {hosts.at_once[server.host] for server in hosts.servers[HELD:]} == {1}
    runs: list[Any] = rows(
        migrated, "SELECT started_at, finished_at, source_id FROM episodes_ingestrun ORDER BY started_at"
    )
    for host in range(HELD, HOSTS):
        of_host = [run for run in runs if (int(str(run[2])) - 1) // FEEDS == host]
        assert all(begun - ended >= HOST_PAUSE for (_, ended, _), (begun, _, _) in pairwise(of_host))
    assert rows(migrated, "SELECT DISTINCT token, attempts, failures FROM episodes_sourceschedule") == [("", 0, 0)]
    assert rows(migrated, "SELECT * FROM procrastinate_jobs WHERE status = 'doing'") == []


# What a process puts into the queue before it is killed.
SWEEP = (
    "from episodes import queue; from episodes.schedule import JobContext, iterate_due_jobs_with_keys; "
    "queue.enqueue_due_and_count_waiting([(job.name, key) for job, key in iterate_due_jobs_with_keys(JobContext())], [])"
)


@pytest.mark.parametrize("is_queued", [False, True])
def test_once_works_until_nothing_is_due(migrated: str, hosts: Hosts, tmp_path: Path, is_queued: bool) -> None:
    hosts.ready.set()
    (tmp_path / "shows.json").write_text(json.dumps(list(hosts.fixture())))
    allowed = ",".join(server.pair for server in hosts.servers[1:])
    with Forks(migrated, tmp_path, FETCH_ALLOW=allowed, CHECK_LINKS="off") as forks:
        forks.run("loaddata", tmp_path / "shows.json", "-v", "0")
        if is_queued:
            forks.run("shell", "-v", "0", "-c", SWEEP)
        ran = forks.begin("work", "--once", "--at-once", "3")
        assert (forks.ended(ran), ran.out) == (1, "")
        assert ran.err.count("only ports 80 and 443") == FEEDS
        assert forks.run("run_schedule", "--once", "-v", "2") == ""
    assert hosts.asked == Counter({f"{server.host}/{n}": 1 for server in hosts.servers[1:] for n in range(FEEDS)})


def address_of(database: Any) -> str:
    own = database.settings_dict
    return f"postgres://{own['USER']}@{own['HOST']}:{own['PORT']}/{own['NAME']}"


@pytest.mark.django_db(transaction=True)
def test_job_waits_once_and_returns_from_dead_worker() -> None:
    def locks() -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT lock FROM procrastinate_jobs ORDER BY id")
            return [lock for (lock,) in cursor.fetchall()]

    try:
        queue.enqueue_unless_waiting("follow_ups", "1")
        queue.enqueue_unless_waiting("follow_ups", "1")
        assert locks() == ["follow_ups 1"]
        assert queue.enqueue_due_and_count_waiting([("follow_ups", "1"), ("tidy", "")], ["tidy", "links"]) == 1
        assert locks() == ["follow_ups 1", "tidy "]
        assert queue.count_jobs_by_name_and_state() == {("follow_ups", "waiting"): 1, ("tidy", "waiting"): 1}
        with connection.cursor() as cursor:
            cursor.execute("UPDATE procrastinate_jobs SET status = 'doing' RETURNING id")  # by a worker that is gone
            sessions = [session_name(number) for (number,) in cursor.fetchall()]
            # It stands still within a transaction, and holds what others need.
            frozen = psycopg.connect(address_of(connection), application_name=sessions[0])
            frozen.execute("LOCK TABLE episodes_podcast IN ACCESS EXCLUSIVE MODE")
        queue.enqueue_unless_waiting("tidy", "")
        assert queue.enqueue_due_and_count_waiting([], ["tidy", "follow_ups"]) == 2
        assert sorted(locks()) == ["follow_ups 1", "tidy "]
        assert queue.count_jobs_by_name_and_state().keys() == {("follow_ups", "waiting"), ("tidy", "waiting")}
        assert not Podcast.objects.exists()
        with pytest.raises(psycopg.OperationalError):
            frozen.execute("SELECT 1")
    finally:
        with connection.cursor() as cursor:  # Procrastinate's tables are none of Django's to empty
            cursor.execute("TRUNCATE procrastinate_jobs CASCADE")
