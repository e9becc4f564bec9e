"""Puts small faults into a copy of the last commit, one at a time, by cosmic-ray, and names those that no test notices.

    python .ci/mutate.py [BASE]       in lines that differ from a commit; the one before the last change unless told
    python .ci/mutate.py --sample N   in N places of the whole program, the same at every run
    python .ci/mutate.py --seconds N  in lines of the last change, as many as are tried in that time

Each fault is tried by the tests that name most of what its module defines. A survivor is a missing test, a test
elsewhere, or a change that changes nothing: read it before writing one. It ends with the score of each package.
"""

from __future__ import annotations

import ast
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import WorkerOutcome, WorkResult
from suites import BIN, SETTINGS, migrated

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = WorkResult(worker_outcome=WorkerOutcome.SKIPPED, output="not in the sample")
PROGRAM = ["episodes", "podcast_catalog"]
TESTS = Path("episodes/tests")
TRY = f"{BIN / 'python'} .ci/mutate.py --try"
# The program for git: its modules without tests and migrations.
SOURCE = [
    *(f"{folder}/*.py" for folder in PROGRAM),
    ":!episodes/tests",
    ":!episodes/migrations",
]
MOST_SECONDS = 120  # for one fault
MOST_FILES = 3  # of tests for one fault
CONFIG = """
[cosmic-ray]
module-path = {modules}
excluded-modules = ["episodes/tests/**/*.py", "episodes/tests/*.py", "episodes/migrations/*.py"]
timeout = 120.0
test-command = ""
distributor.name = "local"
filters.git-filter.branch = "{base}"
# An annotation is no program.
filters.operators-filter.exclude-operators = ["core/ReplaceBinaryOperator_BitOr_.*"]
"""


def main(words: list[str]) -> int:
    if words == ["--try"]:
        return try_one()
    if len(words) == 2 and not words[1].isdecimal():
        sys.exit(f"{words[1]!r} is not a number. Give one such as make mutate SAMPLE=200")
    option, number = (words[0], int(words[1])) if len(words) == 2 else ("", 0)
    base = words[0] if len(words) == 1 else f"{last_change()}~1"
    if not git("rev-parse", "--verify", "--quiet", f"{base}^{{commit}}"):
        sys.exit(
            f"{base!r} is not a commit of this checkout. Give one such as make mutate BASE=main"
        )
    modules = PROGRAM if option == "--sample" else changed(base)
    if not modules:
        print(f"No line of the program differs from {base}.")
        return 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy, config, session = (f"{folder}/{name}" for name in ("copy", "mutants.toml", "session"))
        subprocess.run(["git", "clone", "--quiet", str(ROOT), copy], check=True)
        Path(config).write_text(CONFIG.format(modules=modules, base=base))
        if "SQLITE_TEMPLATE" not in os.environ:
            os.environ.update(migrated(folder, ""))
        os.environ.update(SETTINGS | {"DATABASE_URL": f"sqlite:///{folder}/unused.sqlite3"})
        os.chdir(copy)
        run("cosmic-ray", "init", config, session)
        run("cr-filter-operators", session, config)
        if option != "--sample":
            run("cr-filter-git", session, "--config", config)
        with use_db(session, WorkDB.Mode.open) as work:
            if option == "--sample":
                leave(work, number)
            try_all(work, number if option == "--seconds" else math.inf)
            run("cr-report", "--surviving-only", "--show-diff", session)
            print(*scores(work), sep="\n")
    return 0


def run(command: str, *words: str) -> None:
    subprocess.run([str(BIN / command), *words], check=True)


def try_all(work: WorkDB, seconds: float) -> None:
    """Try what is left in any order, as long as there is time; one that it does not suffice for is left untried."""
    end = time.monotonic() + seconds
    for item in list(work.pending_work_items):
        left = end - time.monotonic()
        result = mutate_and_test(item.mutations, TRY, min(left, MOST_SECONDS))
        if time.monotonic() > end:
            return
        work.set_result(item.job_id, result)


def last_change() -> str:
    """The last commit that changed the program."""
    return git("log", "-1", "--format=%H", "--", *SOURCE)


def changed(base: str) -> list[str]:
    """The modules of the program that differ from a commit; none where the checkout does not go back to it."""
    return git("diff", "--name-only", "--diff-filter=AM", base, "HEAD", "--", *SOURCE).split()


def git(*words: str) -> str:
    """The answer of git for this checkout; "" where it refuses."""
    command = ["git", *words]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return said.stdout.strip()


def try_one() -> int:
    """Run the tests of the module that differs from the commit; 0 where none of them fails, or where there is none."""
    if not (tests := tests_of(Path(git("diff", "--name-only")))):
        return 0
    pytest = [str(BIN / "python"), "-m", "pytest", "-x", "-m", "not long", *tests]
    return subprocess.run(pytest, check=False).returncode


def tests_of(module: Path) -> list[str]:
    """The files of tests that name most of what a module defines: a name counts the more, the fewer files have it."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    tree = ast.parse(module.read_text())
    own = module.parent.name if module.stem == "__init__" else module.stem
    names = {own, *(node.name for node in ast.walk(tree) if isinstance(node, kinds))}
    words = re.compile(rf"\b({'|'.join(re.escape(name.strip('_')) for name in names)})\b")
    there = {
        path: set(words.findall(path.read_text()))
        for path in TESTS.rglob("test_*.py")
        if "browser" not in path.parts
    }
    files = Counter(name for found in there.values() for name in found)

    def closeness(path: Path) -> float:
        about = (path.stem == f"test_{own.strip('_')}") + (module.parts[1] in path.parts) / 2
        return about + sum(1 / files[name] for name in there[path])

    best = sorted((path for path in there if closeness(path)), key=closeness, reverse=True)
    return [str(path) for path in best[:MOST_FILES]]


def leave(work: WorkDB, size: int) -> None:
    """Leave so many faults to be tried, chosen alike at every run."""
    places = sorted(
        (str(one.module_path), one.start_pos, one.operator_name, item.job_id)
        for item in work.pending_work_items
        for one in item.mutations
    )
    chosen = {job for *_, job in random.Random(1).sample(places, min(size, len(places)))}
    work.set_multiple_results([job for *_, job in places if job not in chosen], SKIPPED)


def scores(work: WorkDB) -> Iterator[str]:
    """For each package the faults that tests noticed, of those that were tried."""
    tried, noticed = Counter[str](), Counter[str]()
    for item, result in work.completed_work_items:
        if result.worker_outcome != WorkerOutcome.SKIPPED:
            package = "/".join(item.mutations[0].module_path.parts[:2])
            tried[package] += 1
            noticed[package] += result.is_killed
    for package in sorted(tried):
        yield f"{package}: {noticed[package]} of {tried[package]}"
    yield f"all: {noticed.total()} of {tried.total()}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
