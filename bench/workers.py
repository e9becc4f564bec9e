"""The number of sources that a few workers read on PostgreSQL: 10,000 hosts of the loopback, a tenth of which misbehave.

    DATABASE_URL=postgres://… python -m bench.workers [SOURCES] [WORKERS]     # an empty, migrated database

Two workers are killed and one is stopped on the way; each source must be read, and stored, once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

ADDRESSES = 250  # of the loopback, each of which is a host
FEED = """<rss version="2.0"><channel><title>Show {name}</title><item><title>Loom {name}</title><guid>{name}</guid>
<description>Cards.</description></item></channel></rss>"""
asked: Counter[str] = Counter()
now: Counter[str] = Counter()
most: Counter[str] = Counter()
lock = Lock()


class Feeds(BaseHTTPRequestHandler):
    """A feed at each path; of ten one answers 404, slowly, or with half of a feed."""

    def do_GET(self) -> None:
        host, number = self.headers["Host"], int(self.path.strip("/") or 0)
        with lock:
            asked[self.path] += 1
            now[host] += 1
            most[host] = max(most[host], now[host])
        body = FEED.format(name=number).encode()
        if number % 30 == 1:
            time.sleep(3)
        self.send_response(404 if number % 30 == 2 else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(OSError):  # a reader that was killed
            self.wfile.write(body[:50] if number % 30 == 3 else body)
        with lock:
            now[host] -= 1

    def log_message(self, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 500


def main(sources: int, workers: int) -> None:
    server = Server(("0.0.0.0", 0), Feeds)
    Thread(target=server.serve_forever, daemon=True).start()
    hosts = [
        f"127.0.{n // 250}.{n % 250 + 1}:{server.server_port}" for n in range(sources // 4 or 1)
    ]
    os.environ |= {
        "FETCH_ALLOW": ",".join(hosts),
        "CHECK_LINKS": "off",
        "DJANGO_SETTINGS_MODULE": "podcast_catalog.settings",
    }

    import django

    django.setup()
    from episodes.models import IngestRun, Podcast, Source

    shows = Podcast.objects.bulk_create(
        Podcast(slug=f"s{n}", title=f"Show {n}", rank=n) for n in range(sources)
    )
    rows = [
        Source(
            podcast=show,
            slug="feed",
            reader="feed",
            may_create=True,
            address=f"http://{hosts[n % len(hosts)]}/{n}",
        )
        for n, show in enumerate(shows)
    ]
    Source.objects.bulk_create(rows, batch_size=1000)
    began = time.monotonic()
    command = [sys.executable, "manage.py", "work", "-q", "--at-once", "4"]
    some = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(workers)]
    told, done = 0.0, 0
    while done < sources and time.monotonic() - began < 7200:
        time.sleep(1)
        done, seconds = (
            IngestRun.objects.values("source").distinct().count(),
            time.monotonic() - began,
        )
        if (
            done > sources // 5 and len(some) == workers
        ):  # the dead are noticed by those that are left
            for worker in some[:2]:
                worker.kill()
            some[2].send_signal(signal.SIGSTOP)
            some.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
            print(f"{seconds:.0f} s: two workers killed, one stopped, one started", flush=True)
        if seconds - told > 30:
            told = seconds
            print(f"{seconds:.0f} s: {done:,} sources read", flush=True)
    some[2].send_signal(signal.SIGCONT)
    time.sleep(5)
    seconds = time.monotonic() - began - 5
    for worker in some:
        worker.terminate()
        worker.wait()
    twice = IngestRun.objects.count() - done
    again = sum(count > 1 for count in asked.values())
    print(
        f"{done:,} of {sources:,} in {seconds:.0f} s, {done / seconds:.1f} a second; stored twice: {twice}"
    )
    print(f"asked twice: {again}; most requests to a host at a time: {max(most.values())}")


if __name__ == "__main__":
    main(*(int(word) for word in (*sys.argv[1:], *("10000", "4")[len(sys.argv) - 1 :])))
