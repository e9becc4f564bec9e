"""`make bench`, or `python -m bench`: measures pages and imports and prints the tables. Variables choose what; docs/benchmark.md.

`python -m bench save A.json …` writes kept results to docs/benchmark.md; `python -m bench forget` removes all kept catalogs.
"""

from __future__ import annotations

import os
import platform
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import django

from . import catalogs, imports, pages
from .catalogs import ROOT, Database
from .results import Line, Result, tables, write_document

DOCUMENT = ROOT / "docs" / "benchmark.md"


@dataclass(frozen=True)
class Options:
    """The sizes, parts and rounds of a run, from the environment."""

    where: Database
    folder: Path
    parts: list[str]
    sizes: list[int]
    imported: list[int]
    rounds: int
    seed: int
    base: int

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Options:
        folder = Path(given.get("BENCH_DIR") or ROOT / "bench" / ".catalogs")
        return cls(
            where=catalogs.server_or_folder(given.get("DATABASE_URL", ""), folder),
            folder=folder,
            parts=(given.get("PARTS") or "pages imports").split(),
            sizes=[int(size) for size in (given.get("SIZES") or "83 10000").split()],
            imported=[int(size) for size in (given.get("IMPORTS") or "1000").split()],
            rounds=int(given.get("ROUNDS") or 7),
            seed=int(given.get("SEED") or 1),
            base=int(given.get("BASE") or catalogs.LARGEST_READ),
        )


def main(words: list[str]) -> int:
    # What is started is ended on the way out, whoever asks for the end.
    signal.signal(signal.SIGTERM, _interrupted)
    if words[:1] == ["save"]:
        write_document(DOCUMENT, [Result.load(Path(name)) for name in words[1:]])
        return 0
    options = Options.of(os.environ)
    if words[:1] == ["forget"]:
        return forget(options)
    if words:
        print(__doc__)
        return 2
    result = Result(machine(options.where), [])
    path = options.folder / "results" / f"{time.strftime('%Y%m%d-%H%M%S')}.json"
    try:
        for lines in measured(options):
            result.lines.extend(lines)
            result.save(path)  # at once: the next part may take long
    finally:
        print(f"\n{tables(result)}\n\nAll values are in {path}." if result.lines else "Nothing was measured.")
    if os.environ.get("SAVE"):
        write_document(DOCUMENT, [result])
    return 0


def measured(options: Options) -> Iterator[list[Line]]:
    """The lines of each part and size as they come."""
    if "pages" in options.parts:
        options.where.run("manage.py", "collectstatic", "--noinput", "--verbosity", "0")
        for size in options.sizes:
            database = catalogs.catalog(options.where, size, options.seed, options.base)
            print(f"Pages, {size:,} episodes, {database.vendor}", flush=True)
            yield pages.measure(database, size, options.rounds)
    if "imports" in options.parts:
        for size in options.imported:
            print(f"Imports, {size:,} items, {options.where.vendor}", flush=True)
            yield imports.measure(options.where, size, options.seed, options.rounds)


def machine(where: Database) -> dict[str, str]:
    """The machine and the versions that the figures depend on."""
    database = f"SQLite {sqlite3.sqlite_version}"
    if not where.is_sqlite:
        with where.server() as server:
            database = f"PostgreSQL {server.info.server_version // 10_000}"
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return {
        "Commit": commit.stdout.strip() or "unknown",
        "day": time.strftime("%Y-%m-%d"),
        "Python": platform.python_version(),
        "Django": django.__version__,
        "database": database,
        "processors": str(os.cpu_count()),
        "load before": f"{os.getloadavg()[0]:.1f}",
    }


def forget(options: Options) -> int:
    """Remove the kept catalogs; results stay."""
    if options.where.is_sqlite:
        names = [path.stem for path in options.folder.glob("bench_*.sqlite3")]
    else:
        with options.where.server() as server:
            names = [row[0] for row in server.execute("SELECT datname FROM pg_database WHERE datname ~ '^bench_[0-9]'")]
    for name in names:
        options.where.named(name).drop()
    print(f"{len(names)} catalogs removed.")
    return 0


def _interrupted(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
