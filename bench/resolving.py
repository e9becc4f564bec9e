"""`python -m bench.resolving [EPISODES] [--beside CHECKOUT]`: what changes of one show cost.

Each figure is CPU time of a warm process, the smallest of three, on SQLite. With `--beside`, the same
steps run on another checkout of the program in the same run, for a ratio that holds on any machine.
"""

import json
import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path

from episodes.management.commands._command import whole_number_parser

from .imports import ROOT, SETTINGS, address, feed

# Runs in the checkout that is measured: it may use nothing that is younger than that.
STEPS = """
import json, time
import django
django.setup()
from django.contrib.auth.models import Group, User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from episodes.models import Episode, Podcast
try:
    from episodes.curation import override_fields
    from episodes.resolve.write import compute_catalog, update_catalog
except ImportError:  # before release 1.0.0
    from episodes.curation import override as override_fields
    from episodes.resolve.apply import apply as update_catalog, prepared as compute_catalog

podcast = Podcast.objects.get()
user, _ = User.objects.get_or_create(username="bench", is_staff=True)
user.groups.add(Group.objects.get(name="curator"))
user = User.objects.get()
middle = Episode.objects.order_by("order")[Episode.objects.count() // 2]
resolves, saves = [], []
for number in range(4):
    start = time.process_time()
    with transaction.atomic():
        update_catalog(podcast, compute_catalog(podcast))
    resolves.append(time.process_time() - start)
for number in range(4):
    middle.refresh_from_db()
    start = time.process_time()
    with CaptureQueriesContext(connection) as queries:
        override_fields(user, middle, {"title": f"Another title {number}"})
    saves.append(time.process_time() - start)
print(json.dumps([min(resolves[1:]), min(saves[1:]), len(queries)]))
"""


def measure(checkout: Path, episodes: int) -> tuple[float, float, float, int]:
    """Return the CPU seconds of a resolve with nothing changed, of one new item by command beyond the
    start of a command, and of a saved title, and the queries of the last."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | SETTINGS | {"DATABASE_URL": f"sqlite:///{folder}/db.sqlite3"}
        # A process that follows up what is saved is not part of the figure.
        environment["PYTHONPATH"] = str(checkout)
        path = Path(folder) / "feed.xml"

        def run(*words: str) -> float:
            process = subprocess.Popen(
                [sys.executable, *words],
                cwd=checkout,
                env=environment,
                stdout=subprocess.PIPE,
            )
            assert process.stdout is not None
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"{words} failed in {checkout}")
            outputs.append(output)
            return usage.ru_utime + usage.ru_stime

        outputs: list[bytes] = []
        run("manage.py", "migrate", "--verbosity=0")
        start = min(run("manage.py", "ingest", "--help") for _ in range(3))
        ingest = ("manage.py", "ingest", str(path), "--url", address(1))
        path.write_bytes(feed(1, episodes))
        run(*ingest)
        run("-c", STEPS)
        resolve, save, queries = json.loads(outputs[-1])
        new_items = []
        for more in (1, 2, 3):
            path.write_bytes(feed(1, episodes + more))
            new_items.append(run(*ingest) - start)
        return resolve, min(new_items), save, queries


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument(
        "episodes", type=whole_number_parser(1, 1_000_000), nargs="?", default=1_000
    )
    parser.add_argument(
        "--beside", type=Path, help="another checkout, for instance of an older release"
    )
    options = parser.parse_args()
    columns = "resolve, nothing changed, s | one new item, s | a saved title, s | queries"
    print(f"| a show of {options.episodes:,} | {columns} |")
    print("|---|--:|--:|--:|--:|")
    checkouts = [ROOT]
    if options.beside:
        checkouts.append(options.beside)
    for checkout in checkouts:
        resolve, new_item, save, queries = measure(checkout.resolve(), options.episodes)
        name = "this checkout" if checkout == ROOT else str(checkout)
        print(f"| {name} | {resolve:.2f} | {new_item:.2f} | {save:.2f} | {queries} |", flush=True)


if __name__ == "__main__":
    main()
