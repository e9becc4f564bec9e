"""Puts small faults into a copy of the last commit, one at a time, by cosmic-ray, and names those that no test notices.

    python .ci/mutate.py [BASE]      in the lines that differ from a commit, HEAD~1 unless told
    python .ci/mutate.py --sample N  in N places of the whole program, the same at every run

pytest-testmon knows which tests run a line: the first run of all takes half an hour and is kept in .testmondata.
It ends with the score of each package. A survivor is a missing test, or a change that changes nothing: read it before
writing one. Not part of CI.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import WorkerOutcome, WorkResult
from suites import SETTINGS, migrated

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv/bin"
KEPT = ROOT / ".testmondata"
SKIPPED = WorkResult(worker_outcome=WorkerOutcome.SKIPPED, output="not in the sample")
PYTEST = f"{BIN / 'python'} -m pytest -x --testmon-forceselect -m 'not long'"
CONFIG = """
[cosmic-ray]
module-path = ["episodes", "podcast_catalog"]
excluded-modules = ["episodes/tests/**/*.py", "episodes/tests/*.py", "episodes/migrations/*.py"]
timeout = 300.0
test-command = "{command} --testmon-nocollect"
distributor.name = "local"
filters.git-filter.branch = "{base}"
# An annotation is no program.
filters.operators-filter.exclude-operators = ["core/ReplaceBinaryOperator_BitOr_.*"]
"""


def main(words: list[str]) -> int:
    size = int(words[1]) if words[:1] == ["--sample"] else 0
    base = words[0] if words and not size else "HEAD~1"
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy, config, session = (f"{folder}/{name}" for name in ("copy", "mutants.toml", "session"))
        subprocess.run(["git", "clone", "--quiet", str(ROOT), copy], check=True)
        Path(config).write_text(CONFIG.format(command=PYTEST, base=base))
        database = {"DATABASE_URL": f"sqlite:///{folder}/unused.sqlite3"}
        settings = os.environ | SETTINGS | database | dict(migrated(folder, ""))

        def run(*command: str) -> None:
            subprocess.run(command, cwd=copy, env=settings, check=True)

        if KEPT.exists():
            shutil.copy(KEPT, copy)
        run("sh", "-c", f"{PYTEST} --ignore=episodes/tests/browser")
        shutil.copy(Path(copy) / KEPT.name, KEPT)
        run(str(BIN / "cosmic-ray"), "init", config, session)
        run(str(BIN / "cr-filter-operators"), session, config)
        if size:
            with use_db(session, WorkDB.Mode.open) as work:
                leave(work, size)
        else:
            run(str(BIN / "cr-filter-git"), session, "--config", config)
        run(str(BIN / "cosmic-ray"), "exec", config, session)
        run(str(BIN / "cr-report"), "--surviving-only", "--show-diff", session)
        with use_db(session, WorkDB.Mode.open) as work:
            print(*scores(work), sep="\n")
    return 0


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
