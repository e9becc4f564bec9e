"""Reads thousands of sources with several workers, some of them killed: `python -m bench.sources 2000 --workers 4 --kill 2`.

Each source is a small feed of a show and a host of its own, due once within the window (`--minutes`). Every tenth one
misbehaves: errors of the server, slow answers, broken XML, connections that are reset. The last line that it prints
says whether every source was asked once, none of them twice at a time, and every whole feed is in the catalog.

On the database of DATABASE_URL, which has to be empty.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta

LEASE = 20  # seconds; the claim of a worker that was killed runs out after them
FEED = (
    '<rss version="2.0"><channel><title>Show {n}</title><description>About {n}.</description>'
    "<item><title>The first of {n}</title><guid>{n}-1</guid><description>How it began.</description></item>"
    "<item><title>The second of {n}</title><guid>{n}-2</guid><description>How it went on.</description></item>"
    "</channel></rss>"
)
MISBEHAVIOURS = ("error", "gone", "slow", "broken", "reset")


def host(number: int) -> str:
    """An address of the loopback interface for each source."""
    return f"127.1.{number // 250}.{number % 250 + 1}"


def misbehaviour(number: int) -> str:
    return MISBEHAVIOURS[number // 10 % len(MISBEHAVIOURS)] if number % 10 == 0 else ""


@dataclass
class Hosts:
    """A server that is the host of every source, by the address at which it is asked."""

    count: int
    asked: Counter[str] = field(default_factory=Counter)
    busy: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0
    port: int = 0

    def start(self) -> None:
        begun = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve(begun)), daemon=True).start()
        begun.wait()

    async def _serve(self, begun: threading.Event) -> None:
        server = await asyncio.start_server(self._answer, "0.0.0.0", 0)
        self.port = server.sockets[0].getsockname()[1]
        begun.set()
        await server.serve_forever()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readline()).split()[1].decode()
        number = int(path.strip("/"))
        name = host(number)
        self.asked[name] += 1
        self.busy[name] += 1
        self.most_at_once = max(self.most_at_once, self.busy[name])
        try:
            while (await reader.readline()).strip():
                pass
            await self._send(writer, number)
        finally:
            self.busy[name] -= 1
            writer.close()

    async def _send(self, writer: asyncio.StreamWriter, number: int) -> None:
        kind = misbehaviour(number)
        if kind == "reset":
            writer.transport.abort()
            return
        if kind == "slow":
            await asyncio.sleep(3)
        body = FEED.format(n=number).encode()
        if kind == "broken":
            body = body[: len(body) // 2]
        status = {"error": "500 Internal Server Error", "gone": "410 Gone"}.get(kind, "200 OK")
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/rss+xml\r\nContent-Length: {len(body)}\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
        await writer.drain()


def plan(hosts: Hosts, window: timedelta) -> None:
    """The shows and sources, each due at a moment within the window."""
    from django.utils import timezone

    from episodes.models import Podcast, Source, SourceSchedule

    shows = Podcast.objects.bulk_create(
        Podcast(slug=f"show-{n}", title=f"Show {n}", rank=n + 1) for n in range(hosts.count)
    )
    addresses = [f"http://{host(n)}:{hosts.port}/{n}" for n in range(hosts.count)]
    sources = Source.objects.bulk_create(
        Source(podcast=show, slug="feed", title="Feed", reader="feed", address=address, may_create=True)
        for show, address in zip(shows, addresses, strict=True)
    )
    now, moments = timezone.now(), random.Random(1)
    SourceSchedule.objects.bulk_create(
        SourceSchedule(source=row, address=row.address, host=host(n), next_at=now + window * moments.random())
        for n, row in enumerate(sources)
    )


class Workers:
    """Processes of `manage.py run_schedule`; those that are killed are replaced at once."""

    def __init__(self, hosts: Hosts, count: int) -> None:
        allow = ",".join(f"{host(n)}:{hosts.port}" for n in range(hosts.count))
        more = {"FETCH_ALLOW": allow, "SCHEDULE_LEASE": str(LEASE), "CHECK_LINKS": "off", "IMAGES": "off"}
        self.environment = os.environ | more
        self.running = [self.start() for _ in range(count)]
        self.killed = 0

    def start(self) -> subprocess.Popen[bytes]:
        words = [sys.executable, "manage.py", "run_schedule"]
        return subprocess.Popen(words, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        """End the oldest one as a power cut does."""
        worker = self.running.pop(0)
        worker.kill()
        worker.wait()
        self.running.append(self.start())
        self.killed += 1

    def stop(self) -> None:
        for worker in self.running:
            worker.send_signal(signal.SIGTERM)
        for worker in self.running:
            worker.wait(timeout=60)


def left() -> int:
    """The number of sources that were not read yet."""
    from episodes.models import SourceSchedule

    return SourceSchedule.objects.filter(attempted_at=None).count()


def measure(options: Namespace) -> None:
    hosts = Hosts(options.sources)
    hosts.start()
    plan(hosts, timedelta(minutes=options.minutes))
    began = time.monotonic()
    workers = Workers(hosts, options.workers)
    kills = [options.sources * (k + 1) // (options.kill + 1) for k in range(options.kill)]
    try:
        while rest := left():
            if len(kills) > workers.killed and options.sources - rest >= kills[workers.killed]:
                workers.kill()
            time.sleep(0.2)
    finally:
        workers.stop()
    report(hosts, workers, time.monotonic() - began)


def report(hosts: Hosts, workers: Workers, seconds: float) -> None:
    """The figures, printed. A source that a killed worker had in hand is asked once more, and no other is."""
    from episodes.models import Episode, IngestRun, Podcast

    whole = sum(not misbehaviour(n) or misbehaviour(n) == "slow" for n in range(hosts.count))
    again = sum(hosts.asked.values()) - hosts.count
    complete = Podcast.objects.filter(pk__in=Episode.objects.values("podcast")).count()
    print(f"sources {hosts.count:,}  workers {len(workers.running)}  killed {workers.killed}  seconds {seconds:.0f}")
    print(f"readings a second {hosts.count / seconds:.1f}  asked at all {len(hosts.asked):,}  asked again {again}")
    print(f"most requests to one source at a time {hosts.most_at_once}  runs {IngestRun.objects.count():,}")
    print(f"whole feeds {whole:,}  shows with episodes {complete:,}  episodes {Episode.objects.count():,}")
    sound = len(hosts.asked) == hosts.count and again <= workers.killed and hosts.most_at_once == 1
    print("sound" if sound and complete == whole else "NOT SOUND")


def main() -> None:
    parser = ArgumentParser(description="Read many sources with several workers.")
    parser.add_argument("sources", type=int, nargs="?", default=2000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kill", type=int, default=0, help="workers killed on the way")
    parser.add_argument("--minutes", type=float, default=0, help="window within which the sources are due; 0: at once")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podcast_catalog.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    measure(options)


if __name__ == "__main__":
    main()
