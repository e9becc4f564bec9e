"""Measures what imports cost: each command in a process of its own, as people run it, beside feedparser alone."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import struct_rusage

from . import feeds
from .catalogs import ROOT, Database, empty
from .results import Line
from .servers import Backends

LOOK_AGAIN = 0.02  # seconds between two looks at PostgreSQL's processes, which end with the command
FEW, MOST_ROUNDS = 2_000, 3  # feeds up to so many items are imported up to so often, larger ones once
Used = tuple[float, float]  # seconds of CPU, and the peak of memory in MB
STEPS = ("first", "unchanged", "dated anew", "one new", "one changed", "rebuild")


def measure(where: Database, size: int, seed: int, rounds: int) -> list[Line]:
    rounds = min(rounds, MOST_ROUNDS if size <= FEW else 1)
    values: dict[str, list[Used]] = {name: [] for name in ("start", *STEPS)}
    alone: list[float] = []
    start, work, imported = (
        empty(where),
        where.named(f"bench_work_{os.getpid()}"),
        where.named(f"bench_read_{os.getpid()}"),
    )
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as name:
            folder = Path(name)
            start.run("-m", "bench.inside", "feeds", name, str(size), str(seed))
            for number in range(rounds):
                print(f"  round {number + 1} of {rounds}", flush=True)
                alone.append(
                    float(json.loads(start.run("-m", "bench.inside", "parse", str(folder / "first.xml")))["seconds"])
                )
                _round(folder, start, work, imported, values)
    finally:
        for database in (start, work, imported):
            database.drop()
    return list(_lines(where, size, values, alone))


def _round(folder: Path, start: Database, work: Database, imported: Database, values: dict[str, list[Used]]) -> None:
    """Each step once, on the catalog as the first import left it."""
    url = ["--url", feeds.address(1)]
    values["start"].append(_used(start, ["ingest", "--help"]))
    start.copy(imported)
    values["first"].append(_used(imported, ["add_show", str(folder / "first.xml"), *url]))
    for step in STEPS[1:]:
        imported.copy(work)
        feed = folder / ("first.xml" if step == "unchanged" else f"{step}.xml")
        command = ["rebuild"] if step == "rebuild" else ["ingest", str(feed), *url]
        values[step].append(_used(work, command))


def _lines(where: Database, size: int, values: dict[str, list[Used]], alone: list[float]) -> list[Line]:
    base = statistics.median(seconds for seconds, _ in values["start"])
    feedparser = statistics.median(alone)
    facts = {"rate": size / feedparser}
    lines = [Line(where.vendor, size, "imports", "feedparser alone", "", "s", alone, [1.0], facts)]
    lines.append(_line(where, size, "start of a process (ingest --help)", values["start"], 0.0, feedparser))
    lines += [_line(where, size, step, values[step], base, feedparser) for step in STEPS]
    return lines


def _line(where: Database, size: int, name: str, values: list[Used], base: float, feedparser: float) -> Line:
    seconds = [max(0.0, round(used - base, 4)) for used, _ in values]
    median = statistics.median(seconds)
    facts = {"peak": statistics.median(peak for _, peak in values)}
    if name in ("first", "rebuild") and median:
        facts["rate"] = size / median
    return Line(
        where.vendor,
        size,
        "imports",
        name,
        "",
        "s",
        seconds,
        [round(value / feedparser, 3) for value in seconds],
        facts,
    )


def _used(database: Database, words: list[str]) -> Used:
    """The CPU seconds and the peak memory of a command, PostgreSQL's seconds with its own."""
    backends = Backends(database)
    command = [sys.executable, "manage.py", *words]
    process = subprocess.Popen(command, cwd=ROOT, env=database.environment(), stdout=subprocess.DEVNULL)
    try:
        status, used = _waited(process, backends)
        if status:
            raise SystemExit(f"`manage.py {words[0]}` failed; what it said is above.")
        return used.ru_utime + used.ru_stime + backends.cpu(), used.ru_maxrss / 1000
    finally:
        if process.returncode is None:
            process.kill()
            process.wait()
        backends.close()


def _waited(process: subprocess.Popen[bytes], backends: Backends) -> tuple[int, struct_rusage]:
    pid = 0
    while not pid:
        pid, status, used = os.wait4(process.pid, os.WNOHANG if backends.connection else 0)
        if not pid:
            backends.cpu()
            time.sleep(LOOK_AGAIN)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used
