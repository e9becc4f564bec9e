"""Puts small faults into a copy of the source, one at a time, and names those that the nearest tests do not notice.

    python .ci/mutate.py [COUNT [SEED]]    a sample of 200, the same at every run of one seed

A survivor is a missing test, or a change that changes nothing: read it before writing one. Not part of CI.
"""

from __future__ import annotations

import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = "episodes/tests"
LARGEST = 100  # that one more is tried of: of a limit of thousands nobody notices it
LONGEST = 180  # seconds of a run; a fault that makes an endless loop is noticed

# Source, and the tests that should notice a fault in it; of a file that is named twice the longer name counts.
NEAREST = {
    "episodes/identity": ("identity", "resolve/test_laws.py"),
    "episodes/resolve/apply.py": (
        "resolve",
        "admin/test_merging.py",
        "ingest/test_addresses.py",
        "ingest/test_identity_of_feeds.py",
    ),
    "episodes/resolve/rows.py": ("resolve",),
    "episodes/views/lists/facets.py": ("read/test_list.py", "read/test_several_shows.py"),
    "episodes/search": ("read/test_search.py", "read/test_search_index.py"),
    "episodes/curation": ("admin/test_merging.py", "admin/test_episode.py", "admin/test_held.py"),
    "episodes/curation/by_hand.py": ("admin/test_by_hand.py",),
    "episodes/curation/history.py": (
        "admin/test_history.py",
        "admin/test_configuration.py",
        "admin/test_merging.py",
    ),
    "episodes/curation/many.py": ("admin/test_bulk.py",),
    "episodes/curation/spreadsheet.py": ("admin/test_spreadsheet.py",),
    "episodes/curation/trying.py": ("admin/test_configuration.py",),
    "episodes/curation/vocabulary.py": ("admin/test_topics.py",),
}
INSTEAD = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+", "and": "or", "or": "and",
    "True": "False", "False": "True", "any": "all", "all": "any", "min": "max", "max": "min", "not": "", "continue": "break",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """Replacement of one token of a file."""

    path: str
    line: int
    column: int
    token: str
    instead: str

    def apply(self, source: str) -> str:
        lines = source.split("\n")
        line = lines[self.line - 1]
        lines[self.line - 1] = (
            line[: self.column] + self.instead + line[self.column + len(self.token) :]
        )
        return "\n".join(lines)

    def __str__(self) -> str:
        line = (ROOT / self.path).read_text().split("\n")[self.line - 1].strip()
        return f"{self.path}:{self.line}: {self.token} → {self.instead or 'nothing'} (column {self.column})\n    {line}"


def main() -> int:
    count, seed = (int(word) for word in (*sys.argv[1:], *("200", "1")[len(sys.argv) - 1 :]))
    every = [mutant for path in sources() for mutant in mutants(path)]
    chosen = sorted(
        random.Random(seed).sample(every, min(count, len(every))),
        key=lambda m: (m.path, m.line, m.column),
    )
    survivors = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "source"
        shutil.copytree(
            ROOT, copy, ignore=shutil.ignore_patterns(".*", "node_modules", "__pycache__")
        )
        fresh_database(copy)
        for number, mutant in enumerate(chosen, 1):
            noticed = is_noticed(mutant, copy)
            survivors += [] if noticed else [mutant]
            print(
                f"{number}/{len(chosen)} {'noticed' if noticed else 'SURVIVED'} {mutant}",
                flush=True,
            )
    print(
        f"\n{len(chosen) - len(survivors)} of {len(chosen)} noticed (of {len(every)} possible; seed {seed})."
    )
    for mutant in survivors:
        print(f"SURVIVED {mutant}")
    return 0


def sources() -> Iterator[str]:
    found = {
        path
        for name in NEAREST
        for path in ((ROOT / name).rglob("*.py") if (ROOT / name).is_dir() else [ROOT / name])
    }
    yield from sorted(str(path.relative_to(ROOT)) for path in found)


def nearest(path: str) -> tuple[str, ...]:
    return NEAREST[max((name for name in NEAREST if path.startswith(name)), key=len)]


def mutants(path: str) -> Iterator[Mutant]:
    source = (ROOT / path).read_text()
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for place, token in enumerate(tokens):
        line, column = token.start
        if token.line.lstrip().startswith(("@", "import ", "from ")):
            continue
        before, after = tokens[place - 1].string, tokens[min(place + 1, len(tokens) - 1)].string
        if (
            token.type == tokenize.NUMBER
            and token.string.isdecimal()
            and int(token.string) <= LARGEST
        ):
            yield Mutant(path, line, column, token.string, str(int(token.string) + 1))
        elif token.string in INSTEAD and token.type in (tokenize.OP, tokenize.NAME):
            if token.string in ("any", "all", "min", "max") and (
                after != "(" or before in (".", "def")
            ):
                continue
            yield Mutant(path, line, column, token.string, INSTEAD[token.string])


def settings(copy: Path) -> dict[str, str]:
    return os.environ | {
        "DATABASE_URL": f"sqlite:///{copy}/unused.sqlite3",
        "TEST_DATABASE": f"{copy}/test.sqlite3",
        "SECRET_KEY": "tests-" + "x" * 60,
        "DEBUG": "off",
        "ALLOWED_HOSTS": "*",
    }


def pytest(copy: Path, *words: str) -> int:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-n0",
        "--reuse-db",
        "-m",
        "not long",
        *words,
    ]
    try:
        quiet = subprocess.DEVNULL
        return subprocess.run(
            command,
            cwd=copy,
            env=settings(copy),
            stdout=quiet,
            stderr=quiet,
            timeout=LONGEST,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        return 1


def fresh_database(copy: Path) -> None:
    """Migrations run once; every mutant begins with a copy of the empty database."""
    if pytest(copy, f"{TESTS}/resolve/test_apply.py") != 0:
        raise SystemExit("The tests fail without any fault.")
    shutil.copy(copy / "test.sqlite3", copy / "empty.sqlite3")


def is_noticed(mutant: Mutant, copy: Path) -> bool:
    path = copy / mutant.path
    source = path.read_text()
    path.write_text(mutant.apply(source))
    shutil.copy(copy / "empty.sqlite3", copy / "test.sqlite3")
    try:
        return pytest(copy, *(f"{TESTS}/{name}" for name in nearest(mutant.path))) != 0
    finally:
        path.write_text(source)


if __name__ == "__main__":
    sys.exit(main())
