"""The readings that a few workers do on PostgreSQL: 10,000 shows at 2,500 hosts of the loopback, a tenth of which misbehave.

    DATABASE_URL=postgres://… python -m bench.workers [SOURCES] [WORKERS] [JOBS AT ONCE]     # an empty, migrated database

All sources are due at once. Eight of ten are as they were read before, one has something new, one misbehaves; one host may be
asked twice at a time. On the way two workers are killed and one is stopped, which goes on at the end; each source must be read,
and stored, once.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from threading import Lock, Thread

from episodes.management.commands._command import whole_number_parser

FEED = """<rss version="2.0"><channel><title>Show {name}</title><item><title>Loom {name}</title><guid>{name}</guid>
<description>Cards.</description></item></channel></rss>"""
# The last digits of the numbers of feeds with something new, and of feeds that misbehave.
NEW = 5
WRONG = 7
HANGS, IS_SLOW, BREAKS, IS_CUT, IS_GARBAGE, LOOPS = range(6)
KINDS = (HANGS, IS_SLOW, IS_SLOW, BREAKS, BREAKS, IS_CUT, IS_CUT, IS_GARBAGE, LOOPS, LOOPS)
request_times: dict[str, list[float]] = {}
times_by_host: dict[str, list[float]] = {}
now: dict[str, set[str]] = {}
max_parallel: Counter[str] = Counter()
lock = Lock()


class Feeds(BaseHTTPRequestHandler):
    """A feed at each path."""

    def do_GET(self) -> None:
        host = self.headers["Host"]
        number = int(self.path.strip("/").partition("?")[0])
        # Who is sent elsewhere, or has waited long enough, may come again before this one ends.
        counts = "?" not in self.path and fault_of(number) != HANGS
        with lock:
            if "?" not in self.path:
                request_times.setdefault(self.path, []).append(time.time())
                times_by_host.setdefault(host, []).append(time.time())
            if counts:  # a second request means that the first worker was killed, and has hung up
                now.setdefault(host, set()).add(self.path)
                max_parallel[host] = max(max_parallel[host], len(now[host]))
        with suppress(OSError):  # a reader that was killed, or has waited long enough
            self.answer(number)
        with lock:
            now.get(host, set()).discard(self.path)

    def answer(self, number: int) -> None:
        kind = fault_of(number)
        if number % 10 not in (NEW, WRONG):
            self.reply(304)
        elif kind == BREAKS:
            self.reply(500)
        elif kind == LOOPS:
            self.reply(302, Location=f"/{number}?again")
        elif kind == HANGS:
            time.sleep(40)
        else:
            time.sleep(3 if kind == IS_SLOW else 0)
            body = os.urandom(500) if kind == IS_GARBAGE else FEED.format(name=number).encode()
            self.reply(200, body[:50] if kind == IS_CUT else body)

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


def fault_of(number: int) -> int | None:
    """Return the way in which a feed misbehaves, or None."""
    return KINDS[number // 10 % len(KINDS)] if number % 10 == WRONG else None


class Server(ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 500


def main(sources: int, workers: int, at_once: int) -> None:
    server = Server(("0.0.0.0", 0), Feeds)
    Thread(target=server.serve_forever, daemon=True).start()
    hosts = [f"127.0.{n // 250}.{n % 250 + 1}:{server.server_port}" for n in range(sources // 4)]
    os.environ |= {
        "FETCH_ALLOW": ",".join(hosts),
        "HOST_SLOTS": f"{hosts[0].partition(':')[0]}=2",
        "CHECK_LINKS": "off",
        "DJANGO_SETTINGS_MODULE": "podcast_catalog.settings",
    }

    import django

    django.setup()
    from episodes.models import IngestRun
    from episodes.queue import STALLED_SECONDS

    prepare([f"http://{hosts[n % len(hosts)]}/{n}" for n in range(sources)])
    began, killed = time.time(), 0.0
    command = [sys.executable, "manage.py", "work", "-q", "--at-once", str(at_once)]
    processes = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(workers)]
    printed_at = 0.0
    done = 0  # sources
    freed = 0.0  # when the jobs of the killed workers were put in again; 0 before that
    while done < sources and time.time() - began < 7200:
        time.sleep(1)
        done = IngestRun.objects.values("source").distinct().count()
        if done > sources // 5 and not killed:
            killed = time.time()
            for worker in processes[:2]:
                worker.kill()
            processes[2].send_signal(signal.SIGSTOP)
            processes.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        # Before that the jobs of the killed workers do not count as stalled.
        is_due = killed and time.time() > killed + STALLED_SECONDS
        if is_due and not freed and not count_stalled_jobs():
            freed = time.time()
        if time.time() - printed_at > 30:
            printed_at = time.time()
            print(f"{printed_at - began:.0f} s: {done:,} sources read", flush=True)
    seconds = time.time() - began
    woken = time.time()
    processes[2].send_signal(signal.SIGCONT)
    time.sleep(5)
    for worker in processes:
        worker.terminate()
        worker.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    milliseconds = 1000 * (used.ru_utime + used.ru_stime) / done
    print(
        f"{done:,} of {sources:,} in {seconds:.0f} s: {done / seconds:.1f} a second, {milliseconds:.0f} ms of CPU each"
    )
    print(
        f"load average: {os.getloadavg()[1]:.0f}; outcomes: {Counter(IngestRun.objects.values_list('outcome', flat=True))}"
    )
    print(f"put in again: what the dead had in hand, after {freed - killed:.0f} s")
    print_report(killed, woken, IngestRun.objects.count() - done, hosts[0])


def count_stalled_jobs() -> int:
    """Return the number of jobs of workers that have ended."""
    from episodes.queue import count_jobs_by_name_and_state

    stalled = 0
    for (_, state), count in count_jobs_by_name_and_state().items():
        if state == "stalled":
            stalled += count
    return stalled


def print_report(killed_at: float, woken_at: float, stored_twice: int, shared_host: str) -> None:
    """Print whether each source was read once, and how long the killed workers kept others waiting.

    The host `shared_host` may get two requests at a time.
    """
    from episodes.models import IngestRun, SourceSchedule

    repeat_times = []  # of the second request of each address
    for times in request_times.values():
        # What fails is due again after half an hour.
        if len(times) > 1 and times[1] < times[0] + 1500:
            repeat_times.append(times[1])
    waits = sorted(at - killed_at for at in repeat_times if at < woken_at)
    unfinished = SourceSchedule.objects.exclude(token="").count()
    print(f"stored again: {stored_twice}; in hand still: {unfinished}")
    repeats_of_stopped = len(repeat_times) - len(waits)
    print(
        f"asked again: {len(repeat_times)}, of these {repeats_of_stopped} by the one that went on"
    )
    print("seconds after the workers were killed:", *(f"{wait:.0f}" for wait in waits))
    parallel_to_shared = max_parallel.pop(shared_host, 0)
    parallel = max(max_parallel.values())
    print(f"most requests at a time: to a host {parallel}, to the one of two {parallel_to_shared}")
    pauses = []
    for host, times in times_by_host.items():
        if host != shared_host:
            pauses += [later - earlier for earlier, later in pairwise(sorted(times))]
    shortest, second_shortest = sorted(pauses)[:2]
    print(
        f"least seconds between two requests to a host: {shortest:.1f}, then {second_shortest:.1f}"
    )
    since = datetime.fromtimestamp(killed_at, UTC)
    runs = IngestRun.objects.filter(finished_at__range=(since, since + timedelta(seconds=30)))
    ends = list(runs.order_by("finished_at").values_list("finished_at", flat=True))
    longest = max((later - earlier for earlier, later in pairwise(ends)), default=timedelta())
    print(f"others meanwhile: {len(ends)}, at most {longest.total_seconds():.1f} s apart")


def prepare(addresses: Sequence[str]) -> None:
    """Store shows with feeds that were read before."""
    from django.utils import timezone

    from episodes.models import Capture, Content, Document, Podcast, Source

    shows = Podcast.objects.bulk_create(
        Podcast(slug=f"s{n}", title=f"Show {n}", rank=n) for n in range(len(addresses))
    )
    feed = {"slug": "feed", "reader": "feed", "may_create": True, "complete": True, "own": True}
    rows = Source.objects.bulk_create(
        Source(podcast=show, address=address, **feed)
        for show, address in zip(shows, addresses, strict=True)
    )
    before = Content.from_bytes(b"<rss><channel/></rss>")
    before.save()
    documents = Document.objects.bulk_create(
        Document(source=row, address=row.address, vouched=True, etag='"1"') for row in rows
    )
    Capture.objects.bulk_create(
        Capture(document=document, version=1, sha256=before.sha256, taken_at=timezone.now())
        for document in documents
    )


if __name__ == "__main__":
    parser = ArgumentParser()
    for name, default in (("SOURCES", 10_000), ("WORKERS", 4), ("AT_ONCE", 8)):
        parser.add_argument(
            name, type=whole_number_parser(1, 1_000_000), nargs="?", default=default
        )
    main(*vars(parser.parse_args()).values())
