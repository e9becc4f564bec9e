"""Runs the checks and tests, on SQLite and on PostgreSQL, and says what it had to leave out; with CI=true nothing may be.

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
# The names of the engines choose the tests.
ENGINES = "episodes/tests/engines"
# About half of the work of the tests without a browser: the other half is all else.
HALF = [f"episodes/tests/{x}" for x in "admin curation identity resolve schedule text".split()]
TEMPLATE = "migrated"  # the name of a database that tests begin with copies of
# A key that signs nothing.
SETTINGS = {"SECRET_KEY": "tests-" + "x" * 60, "DEBUG": "off", "ALLOWED_HOSTS": "*"}
SERVERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))


@dataclass(frozen=True)
class Lane:
    """Commands that run one after the other, beside those of the other lanes."""

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
    left_out: list[str] = []
    if CONDITION and CONDITION not in CONDITIONS:
        print(f"CONDITION={CONDITION} is none of {', '.join(CONDITIONS)}")
        return 2
    with (
        tempfile.TemporaryDirectory(prefix="catalog-tests-") as folder,
        postgresql(Path(folder), left_out) as address,
    ):
        templates = dict(migrated(folder, address))
        lanes = list(suites(folder, address, templates))
        if CONDITION:
            lanes = list(under_condition(CONDITION, lanes, folder, left_out))
        else:
            lanes.insert(0, Lane("checks", list(checks()), templates))
        if CI and not CONDITION:
            lanes += drawn_lane(folder, templates, left_out)
        failed = run(lanes, left_out)
    for what in dict.fromkeys(left_out):
        print(f"LEFT OUT {what}")
    if failed:
        print(f"FAILED: {', '.join(failed)}")
    if CI and left_out:
        print("With CI=true nothing may be left out.")
    return 1 if failed or (CI and left_out) else 0


def migrated(folder: str, postgresql_address: str) -> Iterator[tuple[str, str]]:
    """The settings that name migrated databases: to migrate takes each process of the tests seconds, to copy next to nothing.

    Where there is none, tests migrate for themselves: on a server that is not our own, and where it failed, which they tell.
    """
    name = f"{folder}/{TEMPLATE}.sqlite3"
    made = {"SQLITE_TEMPLATE": (name, f"sqlite:///{name}")}
    if postgresql_address and "TEST_DATABASE_URL" not in os.environ:
        made["POSTGRESQL_TEMPLATE"] = (
            TEMPLATE,
            f"{postgresql_address.rpartition('/')[0]}/{TEMPLATE}",
        )
    command = [str(BIN / "python"), "manage.py", "migrate", "--verbosity=0"]
    begun = [
        subprocess.Popen(command, env=os.environ | SETTINGS | {"DATABASE_URL": url})
        for _, url in made.values()
    ]
    for (setting, (name, _)), process in zip(made.items(), begun, strict=True):
        if process.wait() == 0:
            yield setting, name


def under_condition(
    name: str, lanes: list[Lane], folder: str, left_out: list[str]
) -> Iterator[Lane]:
    """The lanes under a condition; none if this machine cannot make it."""
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
    """A part of the tests under the condition that the commit draws."""
    name, tests = conditions.draw()
    settings = SETTINGS | templates | {"DATABASE_URL": f"sqlite:///{folder}/condition.sqlite3"}
    command = [str(BIN / "python"), "-m", "pytest", "-m", "not long", *tests]
    yield from under_condition(name, [Lane("some tests", [command], settings)], folder, left_out)


def suites(folder: str, postgresql_address: str, templates: dict[str, str]) -> Iterator[Lane]:
    """The tests, in lanes that share the processors: a browser mostly waits, so others work meanwhile. Each is one process,
    which reads only its own tests; PYTEST_ADDOPTS="-n auto" spreads them over more processors than two.

    On PostgreSQL CI runs what depends on the database (the mark on_both), `--all` everything that
    asks one. Words other than `--all` are for pytest, which then finds the tests by them alone.
    """
    words = [word for word in sys.argv[1:] if word != "--all"]
    whole = "--all" in sys.argv
    settings = SETTINGS | templates | {"LONG": str(whole).lower(), "SECOND_DATABASE": "false"}

    def lane(name: str, url: str, *where: str, **more: str) -> Lane:
        chosen = [] if whole else ["-m", "not long"]
        pytest = [str(BIN / "python"), "-m", "pytest", *chosen, *where]
        return Lane(f"tests {name}", [pytest], settings | {"DATABASE_URL": url} | more)

    # A file that nothing migrates: tests never touch what the site uses.
    sqlite = f"sqlite:///{folder}/db.sqlite3"
    if words:
        yield lane("on SQLite", sqlite, *words)
    else:
        yield lane("on SQLite: one half", sqlite, *HALF)
        ignored = [f"--ignore={folder}" for folder in (*HALF, BROWSER, ENGINES)]
        yield lane("on SQLite: the other half", sqlite, "episodes/tests", *ignored)
        yield lane("in Chromium", sqlite, BROWSER)
        for engine in ("Firefox", "WebKit"):
            yield lane(f"in {engine}", sqlite, ENGINES, "-k", engine.lower())
    if postgresql_address:
        yield lane("on PostgreSQL", postgresql_address, *words, SECOND_DATABASE="true")


def checks() -> Iterator[list[str]]:
    """The checks that need no database."""
    python = str(BIN / "python")
    templates = sorted(Path("templates").rglob("*.html"))
    django = [str(path) for path in templates if "django" in path.parts]
    jinja = [str(path) for path in templates if "django" not in path.parts]
    yield [str(BIN / "ruff"), "check", "."]
    yield [str(BIN / "ruff"), "format", "--check", "."]
    yield [str(BIN / "djade"), "--check", "--target-version", "5.2", *django]
    yield [str(BIN / "djlint"), "--quiet", "--lint", *jinja]
    # What is known of the last run is of use to a person alone.
    yield [python, "-m", "mypy", *(["--cache-dir=/dev/null"] if CI else [])]
    if CI:
        # It tells what the tests do not notice, and fails nothing.
        yield [python, ".ci/mutate.py", "--seconds", "60"]


def run(lanes: list[Lane], left_out: list[str]) -> list[str]:
    """Run the lanes side by side, print what each said when it ends, and give the names of those that failed.

    A test that this machine lacks a program for, or has one of a version that cannot do it, is skipped with the reason.
    """
    failed = []
    with ThreadPoolExecutor(len(lanes)) as pool:
        for ended in as_completed(pool.submit(run_lane, lane) for lane in lanes):
            name, passed, said = ended.result()
            print(said, flush=True)
            left_out += skipped(said)
            if not passed:
                failed.append(name)
    return failed


def skipped(output: str) -> list[str]:
    """Return a line for each reason for which pytest skipped tests, with the first file of them."""
    reasons: dict[str, str] = {}
    for file, reason in re.findall(
        r"^SKIPPED .*? (episodes/[^:]*):\d+: (.*)", output, re.MULTILINE
    ):
        reasons.setdefault(reason, f"{file}: {reason}")
    return list(reasons.values())


def run_lane(lane: Lane) -> tuple[str, bool, str]:
    began, said, passed = time.monotonic(), "", True
    with conditions.busy(lane.busy_processes):
        for command in lane.commands:
            ran = subprocess.run(
                command,
                env=os.environ | lane.settings,
                check=False,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            said += ran.stdout
            passed = passed and ran.returncode == 0
    return lane.name, passed, f"== {lane.name}: {time.monotonic() - began:.0f} s\n{said}"


@contextmanager
def postgresql(folder: Path, left_out: list[str]) -> Iterator[str]:
    """The address of a PostgreSQL to test on: the one of TEST_DATABASE_URL, else a server of our own; "" where there is none."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield given
        return
    if not SERVERS:
        left_out.append(
            "the tests on PostgreSQL: no server found (Debian: apt-get install postgresql)"
        )
        yield ""
        return
    data, tools = folder / "postgresql", SERVERS[-1]
    # The server refuses to run as root; Debian's package brings a user for it.
    own = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    data.mkdir()
    if own:
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
        *own,
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
        subprocess.run([*own, str(tools / "initdb"), "-D", str(data / "db"), *rights], **quiet)  # type: ignore[call-overload]
        subprocess.run([*control, "-o", options, "start"], **quiet)  # type: ignore[call-overload]
    except (OSError, subprocess.CalledProcessError) as error:
        left_out.append(f"the tests on PostgreSQL: its server does not start: {error}")
        yield ""
        return
    server = ["-h", "127.0.0.1", "-p", str(port), "-U", user]
    try:
        subprocess.run([*own, str(tools / "createdb"), *server, TEMPLATE], **quiet)  # type: ignore[call-overload]
        yield f"postgres://{user}@127.0.0.1:{port}/catalog"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)  # type: ignore[call-overload]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
