"""Runs the checks and tests, on SQLite and on PostgreSQL, and prints what it left out. With CI=true that is a failure.

`--all` adds the long checks; other words are for pytest. CONDITION=… runs the tests under a condition of conditions.py.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import conditions
from conditions import CONDITIONS, Condition, MissingPackageError

BIN = Path(sys.executable).parent
CI = os.environ.get("CI", "").lower() == "true"
CONDITION = os.environ.get("CONDITION", "")
BROWSER = "episodes/tests/browser"
ENGINES = "episodes/tests/engines"
# About half of the work of the tests without a browser. Another lane runs the rest.
HALF = [
    f"episodes/tests/{name}" for name in "admin curation identity resolve schedule text".split()
]
TEMPLATE = "migrated"  # the name of a database that tests begin with copies of
# A key that signs nothing.
SETTINGS = {"SECRET_KEY": "tests-" + "x" * 60, "DEBUG": "off", "ALLOWED_HOSTS": "*"}
SERVERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))


@dataclass(frozen=True)
class Lane:
    """Commands that run one after the other, at the same time as other lanes."""

    name: str
    commands: list[list[str]]
    settings: dict[str, str] = field(default_factory=dict)
    busy_processes: int = 0

    def under(self, name: str, condition: Condition) -> Lane:
        """Return this lane under a condition of conditions.py."""
        return replace(
            self,
            name=f"{self.name}, condition: {name}",
            settings=self.settings | condition.settings,
            busy_processes=condition.busy_processes,
        )


def main() -> int:
    # Without stored bytecode each process of the tests compiles the program for a second, and pytest
    # its tests for several.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    left_out: list[str] = []
    if CONDITION and CONDITION not in CONDITIONS:
        print(f"CONDITION={CONDITION} is none of {', '.join(CONDITIONS)}")
        return 2
    with (
        tempfile.TemporaryDirectory(prefix="catalog-tests-") as folder,
        postgresql(Path(folder), left_out) as address,
    ):
        templates = dict(migrate_databases(folder, address))
        lanes = list(suites(folder, address, templates))
        if CONDITION:
            lanes = list(under_condition(CONDITION, lanes, folder, left_out))
        else:
            lanes.insert(0, Lane("checks", list(checks()), templates))
        if CI and not CONDITION:
            lanes += drawn_lane(folder, templates, left_out)
        failed = run_lanes(lanes, left_out)
    for reason in dict.fromkeys(left_out):
        print(f"LEFT OUT {reason}")
    if failed:
        print(f"FAILED: {', '.join(failed)}")
    if CI and left_out:
        print("With CI=true nothing may be left out.")
    return 1 if failed or (CI and left_out) else 0


def migrate_databases(folder: str, postgresql_address: str) -> Iterator[tuple[str, str]]:
    """Migrate a database of each kind, and yield the setting that names it: tests copy it at once.

    Without a setting each process of the tests migrates for seconds: on a server that is not our own, and
    if the migration failed.
    """
    name = f"{folder}/{TEMPLATE}.sqlite3"
    databases = [("SQLITE_TEMPLATE", name, f"sqlite:///{name}")]
    if postgresql_address and "TEST_DATABASE_URL" not in os.environ:
        server = postgresql_address.rpartition("/")[0]
        databases.append(("POSTGRESQL_TEMPLATE", TEMPLATE, f"{server}/{TEMPLATE}"))
    command = [str(BIN / "python"), "manage.py", "migrate", "--verbosity=0"]
    processes = []
    for _, _, url in databases:
        environment = os.environ | SETTINGS | {"DATABASE_URL": url}
        processes.append(subprocess.Popen(command, env=environment))
    for (setting, name, _), process in zip(databases, processes, strict=True):
        if process.wait() == 0:
            yield setting, name


def under_condition(
    name: str, lanes: list[Lane], folder: str, left_out: list[str]
) -> Iterator[Lane]:
    """Yield the lanes under a condition, or none if this machine cannot make it."""
    try:
        condition = CONDITIONS[name](Path(folder))
    except MissingPackageError as package:
        left_out.append(
            f"the tests under the condition {name}: (Debian: apt-get install {package})"
        )
        return
    for lane in lanes:
        # Browsers and the server of PostgreSQL keep the machine's clock.
        is_in_browser = BROWSER in lane.commands[0] or ENGINES in lane.commands[0]
        keeps_clock = is_in_browser or lane.settings.get("SECOND_DATABASE") == "true"
        if not ("TEST_DATE" in condition.settings and keeps_clock):
            yield lane.under(name, condition)


def drawn_lane(folder: str, templates: dict[str, str], left_out: list[str]) -> Iterator[Lane]:
    """Yield the lane with a part of the tests, under the condition that the commit draws."""
    name, tests = conditions.draw()
    settings = SETTINGS | templates | {"DATABASE_URL": f"sqlite:///{folder}/condition.sqlite3"}
    command = [str(BIN / "python"), "-m", "pytest", "-m", "not long", *tests]
    yield from under_condition(name, [Lane("some tests", [command], settings)], folder, left_out)


def suites(folder: str, postgresql_address: str, templates: dict[str, str]) -> Iterator[Lane]:
    """Yield the tests in lanes that share the processors: a browser mostly waits, so others work meanwhile.

    Each lane is one process, which reads only its own tests. PYTEST_ADDOPTS="-n auto" spreads them over
    more processors than two. On PostgreSQL CI runs the tests that depend on the database (the mark
    on_both), `--all` every test that uses one. Words other than `--all` are for pytest, which then finds
    the tests by them alone.
    """
    words = [word for word in sys.argv[1:] if word != "--all"]
    runs_all = "--all" in sys.argv
    settings = SETTINGS | templates | {"LONG": str(runs_all).lower(), "SECOND_DATABASE": "false"}

    def lane(name: str, url: str, *pytest_words: str, **more_settings: str) -> Lane:
        marks = [] if runs_all else ["-m", "not long"]
        pytest = [str(BIN / "python"), "-m", "pytest", *marks, *pytest_words]
        return Lane(f"tests {name}", [pytest], settings | {"DATABASE_URL": url} | more_settings)

    # A file that nothing migrates: tests never touch what the site uses.
    sqlite = f"sqlite:///{folder}/db.sqlite3"
    if words:
        yield lane("on SQLite", sqlite, *words)
    else:
        yield lane("on SQLite: one half", sqlite, *HALF)
        ignored = [f"--ignore={folder}" for folder in (*HALF, BROWSER, ENGINES)]
        yield lane("on SQLite: the other half", sqlite, "episodes/tests", *ignored)
        yield lane("in Chromium", sqlite, BROWSER)
        yield lane("in Firefox and WebKit", sqlite, ENGINES)
    if postgresql_address:
        yield lane("on PostgreSQL", postgresql_address, *words, SECOND_DATABASE="true")


def checks() -> Iterator[list[str]]:
    """Yield the commands of the checks that need no database."""
    python = str(BIN / "python")
    templates = sorted(Path("templates").rglob("*.html"))
    django = [str(path) for path in templates if "django" in path.parts]
    jinja = [str(path) for path in templates if "django" not in path.parts]
    yield [str(BIN / "ruff"), "check", "."]
    yield [str(BIN / "ruff"), "format", "--check", "."]
    yield [str(BIN / "djade"), "--check", "--target-version", "5.2", *django]
    yield [str(BIN / "djlint"), "--quiet", "--lint", *jinja]
    # A cache of the last run helps only a person.
    yield [python, "-m", "mypy", *(["--cache-dir=/dev/null"] if CI else [])]
    if CI:
        # It prints the faults that no test notices, and fails nothing.
        yield [python, ".ci/mutate.py", "--seconds", "30"]


@dataclass(frozen=True)
class LaneResult:
    """The outcome of a lane with the output of its commands."""

    name: str
    passed: bool
    output: str


def run_lanes(lanes: list[Lane], left_out: list[str]) -> list[str]:
    """Run the lanes side by side, print the output of each when it ends, and return the names of failed lanes.

    Add the reasons of skipped tests to `left_out`: a program is missing, or its version cannot do it.
    """
    failed = []
    with ThreadPoolExecutor(len(lanes)) as pool:
        for future in as_completed(pool.submit(run_lane, lane) for lane in lanes):
            result = future.result()
            print(result.output, flush=True)
            left_out += skip_reasons(result.output)
            if not result.passed:
                failed.append(result.name)
    return failed


def skip_reasons(output: str) -> list[str]:
    """Return a line for each reason for which pytest skipped tests, with the first file of them."""
    reasons: dict[str, str] = {}
    for file, reason in re.findall(
        r"^SKIPPED .*? (episodes/[^:]*):\d+: (.*)", output, re.MULTILINE
    ):
        reasons.setdefault(reason, f"{file}: {reason}")
    return list(reasons.values())


def run_lane(lane: Lane) -> LaneResult:
    began, output, passed = time.monotonic(), "", True
    with conditions.busy(lane.busy_processes):
        for command in lane.commands:
            process = subprocess.run(
                command,
                env=os.environ | lane.settings,
                check=False,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            output += process.stdout
            passed = passed and process.returncode == 0
    seconds = time.monotonic() - began
    return LaneResult(lane.name, passed, f"== {lane.name}: {seconds:.0f} s\n{output}")


@contextmanager
def postgresql(folder: Path, left_out: list[str]) -> Iterator[str]:
    """Yield the address of a PostgreSQL to test on: TEST_DATABASE_URL, else a server of our own, else ""."""
    if address := os.environ.get("TEST_DATABASE_URL"):
        yield address
        return
    if not SERVERS:
        left_out.append(
            "the tests on PostgreSQL: no server found (Debian: apt-get install postgresql)"
        )
        yield ""
        return
    data, tools = folder / "postgresql", SERVERS[-1]
    # The server refuses to run as root. Debian's package brings a user for it.
    as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    data.mkdir()
    if as_postgres:
        folder.chmod(0o755)
        shutil.chown(data, "postgres", "postgres")
    user = "catalog"
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": data}
    port = free_port()
    # Tests roll back: an autovacuum would note that the tables are empty, and plans for empty tables take minutes on full
    # ones. Without its figures PostgreSQL goes by the size of a table.
    vacuum = "-c autovacuum=off"
    listen = "-c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
    options = f"-p {port} {listen} {vacuum} -c fsync=off -c full_page_writes=off"
    rights = ["-U", user, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
    control = [
        *as_postgres,
        str(tools / "pg_ctl"),
        "-D",
        str(data / "db"),
        "-l",
        str(data / "log"),
        "-w",
        "-t",
        "600",
    ]
    try:
        subprocess.run(
            [*as_postgres, str(tools / "initdb"), "-D", str(data / "db"), *rights], **quiet
        )  # type: ignore[call-overload]
        subprocess.run([*control, "-o", options, "start"], **quiet)  # type: ignore[call-overload]
    except (OSError, subprocess.CalledProcessError) as error:
        left_out.append(f"the tests on PostgreSQL: its server does not start: {error}")
        yield ""
        return
    server = ["-h", "127.0.0.1", "-p", str(port), "-U", user]
    try:
        subprocess.run([*as_postgres, str(tools / "createdb"), *server, TEMPLATE], **quiet)  # type: ignore[call-overload]
        yield f"postgres://{user}@127.0.0.1:{port}/catalog"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)  # type: ignore[call-overload]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
