"""`python -m bench.imports [ITEMS]`: what imports cost, beside feedparser alone. It fills the database of DATABASE_URL.

Each step is a command in a process of its own, as people run it; its figure is the CPU time of that
process, and of a PostgreSQL on this machine, less that of a command which only starts. It needs Linux.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from random import Random
from time import process_time

import feedparser

from episodes.management.commands._command import whole_number_between

ROOT = Path(__file__).resolve().parents[1]
PROC, TICK = Path("/proc"), os.sysconf("SC_CLK_TCK")
TOPICS = "databases testing compilers networking security caching scheduling packaging typography robotics".split()
NAMES = "Ada Bela Carin Doro Edda Falk Gita Hanno Ines Jorin".split()
SETTINGS = {
    "SECRET_KEY": "bench-" + "x" * 60,
    "DEBUG": "off",
    "HTTPS": "off",
    "ALLOWED_HOSTS": "127.0.0.1",
    "CLIENT_REQUESTS": "0",
    "FIRST_RUN_FETCH": "off",
    "IMAGES": "off",
    "LOG_LEVEL": "ERROR",
    "MALLOC_ARENA_MAX": "1",
    "DJANGO_SETTINGS_MODULE": "podcast_catalog.settings",
}


def feed(show: int, items: int, *, changed: int = 0, built: str = "") -> bytes:
    """A made-up feed, the newest item first: the same bytes on every machine.

    An item depends on its show and number alone. `changed` is the number of one that says something
    more, `built` the date of the feed itself, which many hosts set at every answer.
    """
    entries = "".join(_item(show, number, number == changed) for number in range(items, 0, -1))
    return (
        "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>"
        f"<channel><title>The {TOPICS[show % 10]} hour {show}</title><link>{address(show)}</link><language>en</language>"
        f"<itunes:author>{NAMES[show % 10]} Host</itunes:author><lastBuildDate>{built}</lastBuildDate>{entries}"
        "</channel></rss>"
    ).encode()


def address(show: int) -> str:
    return f"https://show-{show}.example/feed.xml"


def _item(show: int, number: int, changed: bool) -> str:
    random = Random(f"{show} {number}")
    words = [_word(random) for _ in range(60)]
    topics = [
        TOPICS[int(10 * random.random() ** 3)] for _ in range(2)
    ]  # few topics are of most episodes
    host = f"https://show-{show}.example"
    guest = f" with {random.choice(NAMES)} {words[0].capitalize()}" if random.random() < 0.3 else ""
    notes = (
        f"<p>We talk about {topics[0]} and {' '.join(words[:30])}. {' '.join(words[30:])}.</p>"
        f'<ul><li><a href="{host}/notes/{number}">{words[1]}</a></li>'
        f'<li><a href="https://github.com/{words[2]}/{words[3]}/pull/{number}">{words[4]}</a></li></ul>'
        f"{'<p>Mended on a later day.</p>' if changed else ''}"
    )
    # An episode a day, from a first day of the show's own.
    at = datetime(1997, 1, 1, 6, tzinfo=UTC) + timedelta(
        days=show * 211 % 9_000 + number, minutes=7 * show
    )
    return (
        f"<item><title>{topics[1].capitalize()} and {words[5]} {words[6]}{guest}</title>"
        f"<guid isPermaLink='false'>show-{show}-{number}</guid><link>{host}/{number}</link>"
        f"<pubDate>{format_datetime(at)}</pubDate><description><![CDATA[{notes}]]></description>"
        f"<enclosure url='{host}/audio/{number}.mp3' type='audio/mpeg' length='1'/>"
        f"<itunes:duration>{random.randint(300, 5_400)}</itunes:duration><itunes:episode>{number}</itunes:episode></item>"
    )


def _word(random: Random) -> str:
    """A word of two or three syllables, of which some come more often than others."""
    syllables = (
        _often(random, "tsrnlmdkbpgvhf") + _often(random, "eaoiu")
        for _ in range(random.choice((2, 2, 3)))
    )
    return "".join(syllables) + _often(random, "nrstlm")


def _often(random: Random, letters: str) -> str:
    return letters[int(len(letters) * random.random() ** 2)]


def cpu(pids: list[int]) -> float:
    """The seconds that these processes and all below them have run, those that have ended included."""
    seconds = 0.0
    for pid in tree(pids):
        try:
            seconds += (
                sum(
                    int((t / "schedstat").read_text().split()[0])
                    for t in (PROC / str(pid) / "task").iterdir()
                )
                / 1e9
            )
            seconds += (
                sum(
                    map(
                        int, (PROC / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[13:15]
                    )
                )
                / TICK
            )
        except OSError:
            continue  # it has just ended
    return seconds


def tree(pids: list[int]) -> list[int]:
    """These processes and all below them."""
    parents = {}
    for path in PROC.glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    found = [*pids]
    for known in found:
        found += [
            child for child, parent in parents.items() if parent == known and child not in found
        ]
    return found


def postgresql(url: str) -> list[int]:
    """The first process of the PostgreSQL server, if it is one and runs here; it should have nothing else to do."""
    if url.startswith("sqlite"):
        return []
    import psycopg

    with psycopg.connect(url) as connection:
        return [
            int(
                (PROC / str(connection.info.backend_pid) / "stat")
                .read_text()
                .rsplit(")", 1)[1]
                .split()[1]
            )
        ]


def run(*words: str) -> tuple[float, float]:
    """Run a command of manage.py: the CPU seconds that it took, and the peak of its memory in MB."""
    server = postgresql(os.environ["DATABASE_URL"])
    before = cpu(server)
    process = subprocess.Popen(
        [sys.executable, "manage.py", *words], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"`manage.py {' '.join(words)}` failed; what it said is above.")
    return used.ru_utime + used.ru_stime + cpu(server) - before, used.ru_maxrss / 1_000


def steps(items: int, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The commands that are measured, one after the other on one catalog."""
    versions = {
        "first": feed(1, items),
        "unchanged": feed(1, items),
        "dated anew": feed(1, items, built="Mon, 02 Jan 2023 03:04:05 GMT"),
        "one changed": feed(1, items, changed=items // 2),
        "one new": feed(1, items + 1, changed=items // 2),
    }
    for name, body in versions.items():
        path = folder / "feed.xml"
        path.write_bytes(body)
        yield name, ["ingest", str(path), "--url", address(1)]
    yield "rebuild", ["rebuild"]


def main(items: int) -> None:
    run("migrate", "--verbosity=0")
    start, _ = run("ingest", "--help")
    began = process_time()
    feedparser.parse(feed(1, items))
    alone = process_time() - began
    print(f"| import of {items:,} items | CPU, s | × feedparser | peak, MB |\n|---|--:|--:|--:|")
    print(f"| feedparser alone | {alone:.2f} | 1 | |\n| start of a command | {start:.2f} | | |")
    with tempfile.TemporaryDirectory() as folder:
        for name, command in steps(items, Path(folder)):
            seconds, peak = run(*command)
            print(
                f"| {name} | {seconds - start:.2f} | {(seconds - start) / alone:.2f} | {peak:.0f} |",
                flush=True,
            )


def how_many(name: str, default: int) -> int:
    """The number on the command line, such as `make bench EPISODES=100`."""
    parser = ArgumentParser()
    parser.add_argument(name, type=whole_number_between(1, 1_000_000), nargs="?", default=default)
    found: int = getattr(parser.parse_args(), name)
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(SETTINGS)
        os.environ.setdefault("DATABASE_URL", f"sqlite:///{folder}/db.sqlite3")
        main(how_many("ITEMS", 1_000))
