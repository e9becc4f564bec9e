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

from episodes.management.commands._command import whole_number_parser

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
    """Return an invented feed, the newest item first: the same bytes on every machine.

    An item depends on its show and number alone. `changed` is the number of an item with more text,
    `built` the date of the feed itself, which many hosts set at every request.
    """
    newest_first = range(items, 0, -1)
    entries = [_item(show, number, is_changed=number == changed) for number in newest_first]
    # The show's number alone decides its words.
    topic = TOPICS[show % len(TOPICS)]
    host = NAMES[show % len(NAMES)]
    text = (
        "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>"
        f"<channel><title>The {topic} hour {show}</title><link>{address(show)}</link><language>en</language>"
        f"<itunes:author>{host} Host</itunes:author><lastBuildDate>{built}</lastBuildDate>{''.join(entries)}"
        "</channel></rss>"
    )
    return text.encode()


def address(show: int) -> str:
    return f"https://show-{show}.example/feed.xml"


def _item(show: int, number: int, *, is_changed: bool) -> str:
    """Return an item of an invented feed. The order of the random choices decides its words."""
    random = Random(f"{show} {number}")
    words = [_word(random) for _ in range(60)]
    notes_topic = _topic(random)
    title_topic = _topic(random).capitalize()
    host = f"https://show-{show}.example"
    guest = ""
    if random.random() < 0.3:
        guest = f" with {random.choice(NAMES)} {words[0].capitalize()}"
    title = f"{title_topic} and {words[5]} {words[6]}{guest}"
    first_sentence = f"We talk about {notes_topic} and {' '.join(words[:30])}."
    second_sentence = f"{' '.join(words[30:])}."
    change = "<p>Mended on a later day.</p>" if is_changed else ""
    notes = (
        f"<p>{first_sentence} {second_sentence}</p>"
        f'<ul><li><a href="{host}/notes/{number}">{words[1]}</a></li>'
        f'<li><a href="https://github.com/{words[2]}/{words[3]}/pull/{number}">{words[4]}</a></li></ul>'
        f"{change}"
    )
    # An episode a day, from a first day of the show's own.
    first_day = datetime(1997, 1, 1, 6, tzinfo=UTC) + timedelta(days=show * 211 % 9_000)
    published = format_datetime(first_day + timedelta(days=number, minutes=7 * show))
    seconds = random.randint(300, 5_400)
    return (
        f"<item><title>{title}</title>"
        f"<guid isPermaLink='false'>show-{show}-{number}</guid><link>{host}/{number}</link>"
        f"<pubDate>{published}</pubDate><description><![CDATA[{notes}]]></description>"
        f"<enclosure url='{host}/audio/{number}.mp3' type='audio/mpeg' length='1'/>"
        f"<itunes:duration>{seconds}</itunes:duration><itunes:episode>{number}</itunes:episode></item>"
    )


def _topic(random: Random) -> str:
    """Return a topic, the first ones more often: few topics are of most episodes."""
    return TOPICS[int(len(TOPICS) * random.random() ** 3)]


def _word(random: Random) -> str:
    """Return a word of two or three syllables, some of which are more frequent."""
    word = ""
    for _ in range(random.choice((2, 2, 3))):
        word += _letter(random, "tsrnlmdkbpgvhf") + _letter(random, "eaoiu")
    return word + _letter(random, "nrstlm")


def _letter(random: Random, letters: str) -> str:
    """Return one of the letters, the first ones more often."""
    return letters[int(len(letters) * random.random() ** 2)]


def cpu(pids: list[int]) -> float:
    """Return the CPU seconds of processes and all their descendants, also of those that have ended."""
    seconds = 0.0
    for pid in with_descendants(pids):
        try:
            for thread in (PROC / str(pid) / "task").iterdir():
                nanoseconds, *_ = (thread / "schedstat").read_text().split()
                seconds += int(nanoseconds) / 1e9
            user_ticks, system_ticks = process_fields(pid)[13:15]  # of children that have ended
            seconds += (int(user_ticks) + int(system_ticks)) / TICK
        except OSError:
            continue  # it has just ended
    return seconds


def with_descendants(pids: list[int]) -> list[int]:
    """Return processes and all their descendants, parents first."""
    parents = {}
    for path in PROC.glob("[0-9]*"):
        try:
            parents[int(path.name)] = parent_of(int(path.name))
        except OSError:
            continue  # it has just ended
    family = list(pids)
    # The list grows while it is read: each child is an ancestor in its turn.
    for ancestor in family:
        for child, parent in parents.items():
            if parent == ancestor and child not in family:
                family.append(child)
    return family


def process_fields(pid: int) -> list[str]:
    """Return the fields of a process in /proc after its name, which may hold blanks."""
    line = (PROC / str(pid) / "stat").read_text()
    # "42 (a name) S 1 …": the second field behind the name is the parent.
    _, _, fields = line.rpartition(")")
    return fields.split()


def parent_of(pid: int) -> int:
    _state, parent, *_ = process_fields(pid)
    return int(parent)


def postgresql(url: str) -> list[int]:
    """Return the first process of a PostgreSQL server on this machine, which should do nothing else.

    Return [] for SQLite.
    """
    if url.startswith("sqlite"):
        return []
    import psycopg

    with psycopg.connect(url) as connection:
        return [parent_of(connection.info.backend_pid)]


def run(*words: str) -> tuple[float, float]:
    """Run a command of manage.py. Return its CPU seconds and the peak of its memory in MB."""
    server = postgresql(os.environ["DATABASE_URL"])
    before = cpu(server)
    process = subprocess.Popen(
        [sys.executable, "manage.py", *words], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"`manage.py {' '.join(words)}` failed. Its output is above.")
    seconds = usage.ru_utime + usage.ru_stime + cpu(server) - before
    return seconds, usage.ru_maxrss / 1_000


def steps(items: int, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the measured commands with their names. They run one after the other on one catalog."""
    middle = items // 2
    versions = {
        "first": feed(1, items),
        "unchanged": feed(1, items),
        "dated anew": feed(1, items, built="Mon, 02 Jan 2023 03:04:05 GMT"),
        "one changed": feed(1, items, changed=middle),
        "one new": feed(1, items + 1, changed=middle),
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
            cost = seconds - start
            line = f"| {name} | {cost:.2f} | {cost / alone:.2f} | {peak:.0f} |"
            print(line, flush=True)


def number_argument(name: str, default: int) -> int:
    """Return the number on the command line, such as `make bench EPISODES=100`."""
    parser = ArgumentParser()
    parser.add_argument(name, type=whole_number_parser(1, 1_000_000), nargs="?", default=default)
    number: int = getattr(parser.parse_args(), name)
    return number


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(SETTINGS)
        os.environ.setdefault("DATABASE_URL", f"sqlite:///{folder}/db.sqlite3")
        main(number_argument("ITEMS", 1_000))
