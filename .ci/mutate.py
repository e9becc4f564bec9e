"""Puts small faults into a copy of the last commit, one at a time, by cosmic-ray, and prints the ones that no test notices.

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
from suites import BIN, SETTINGS, migrate_databases

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
MAX_SECONDS_PER_FAULT = 120
MAX_TEST_FILES_PER_FAULT = 3
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
    modules = PROGRAM if option == "--sample" else changed_modules(base)
    if not modules:
        print(f"No line of the program differs from {base}.")
        return 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy, config, session = (f"{folder}/{name}" for name in ("copy", "mutants.toml", "session"))
        subprocess.run(["git", "clone", "--quiet", str(ROOT), copy], check=True)
        Path(config).write_text(CONFIG.format(modules=modules, base=base))
        if "SQLITE_TEMPLATE" not in os.environ:
            os.environ.update(migrate_databases(folder, ""))
        os.environ.update(SETTINGS | {"DATABASE_URL": f"sqlite:///{folder}/unused.sqlite3"})
        # Two faults of one size in the same second would share their stored bytecode.
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        os.chdir(copy)
        run("cosmic-ray", "init", config, session)
        run("cr-filter-operators", session, config)
        if option != "--sample":
            run("cr-filter-git", session, "--config", config)
        with use_db(session, WorkDB.Mode.open) as work:
            if option == "--sample":
                keep_sample(work, number)
            try_all(work, number if option == "--seconds" else math.inf)
            run("cr-report", "--surviving-only", "--show-diff", session)
            print(*scores(work), sep="\n")
    return 0


def run(command: str, *words: str) -> None:
    subprocess.run([str(BIN / command), *words], check=True)


def try_all(work: WorkDB, seconds: float) -> None:
    """Try the pending faults in any order, until the time is over."""
    end = time.monotonic() + seconds
    for item in list(work.pending_work_items):
        left = end - time.monotonic()
        result = mutate_and_test(item.mutations, TRY, min(left, MAX_SECONDS_PER_FAULT))
        if time.monotonic() > end:
            return
        work.set_result(item.job_id, result)


def last_change() -> str:
    """Return the hash of the last commit that changed the program."""
    return git("log", "-1", "--format=%H", "--", *SOURCE)


def changed_modules(base: str) -> list[str]:
    """Return the modules of the program that differ from a commit, or [] if the checkout lacks the commit."""
    return git("diff", "--name-only", "--diff-filter=AM", base, "HEAD", "--", *SOURCE).split()


def git(*words: str) -> str:
    """Return the output of git for this checkout, or "" if it fails."""
    command = ["git", *words]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return process.stdout.strip()


def try_one() -> int:
    """Run the tests of the module with the fault. Return their exit code, or 0 if there are no tests."""
    tests = tests_of(Path(git("diff", "--name-only")))
    if not tests:
        return 0
    pytest = [str(BIN / "python"), "-m", "pytest", "-x", "-m", "not long", *tests]
    return subprocess.run(pytest, check=False).returncode


def tests_of(module: Path) -> list[str]:
    """Return the files of tests with most names of a module. A rare name counts more than a common one."""
    module_name = module.parent.name if module.stem == "__init__" else module.stem
    names = [module_name, *defined_names(module)]
    any_name = "|".join(re.escape(name.strip("_")) for name in names)
    names_by_file: dict[Path, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        if "browser" not in path.parts:
            names_by_file[path] = set(re.findall(rf"\b({any_name})\b", path.read_text()))
    file_counts: Counter[str] = Counter()
    for found_names in names_by_file.values():
        file_counts.update(found_names)

    def closeness(path: Path) -> float:
        score = sum(1 / file_counts[name] for name in names_by_file[path])
        if path.stem == f"test_{module_name.strip('_')}":
            score += 1
        if module.parts[1] in path.parts:
            score += 0.5
        return score

    files = [path for path in names_by_file if closeness(path)]
    best = sorted(files, key=closeness, reverse=True)
    return [str(path) for path in best[:MAX_TEST_FILES_PER_FAULT]]


def defined_names(module: Path) -> list[str]:
    """Return the names of the functions and classes of a module."""
    nodes = ast.walk(ast.parse(module.read_text()))
    return [node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)]


def keep_sample(work: WorkDB, size: int) -> None:
    """Skip all faults but so many. The sample is the same at every run."""
    faults = []
    for item in work.pending_work_items:
        for mutation in item.mutations:
            place = str(mutation.module_path), mutation.start_pos, mutation.operator_name
            faults.append((place, item.job_id))
    jobs = [job for _, job in sorted(faults)]
    sample = set(random.Random(1).sample(jobs, min(size, len(jobs))))
    work.set_multiple_results([job for job in jobs if job not in sample], SKIPPED)


def scores(work: WorkDB) -> Iterator[str]:
    """Yield a line for each package: how many of its tried faults the tests noticed."""
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
