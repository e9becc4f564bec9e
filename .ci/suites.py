"""Runs the checks and tests, on SQLite and on PostgreSQL, and says what it had to leave out; with CI=true nothing may be.

`--all` adds the long checks; other words are for pytest.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BIN = Path(sys.executable).parent
CI = os.environ.get("CI", "").lower() == "true"
SERVERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))


def main() -> int:
    left_out: list[str] = []
    failed = [name for name, command in checks() if run(name, command, {}) != 0]
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        left_out.append("browser tests: no chromium found (Debian: apt-get install chromium)")
    if not Path(".ci/tools/installed").exists() or not shutil.which("java") or not shutil.which("node"):
        left_out.append(
            "axe, the W3C's checker and Lighthouse: they need npm and java (Debian: nodejs, npm, default-jre)"
        )
    with tempfile.TemporaryDirectory(prefix="catalog-tests-") as folder:
        suites = {"SQLite": f"sqlite:///{folder}/db.sqlite3"}
        with postgresql(Path(folder)) as address:
            if address:
                suites["PostgreSQL"] = address
            else:
                left_out.append("the tests on PostgreSQL: no server found (Debian: apt-get install postgresql)")
            for name, url in suites.items():
                pytest = [str(BIN / "python"), "-m", "pytest", "--numprocesses", "auto", *chosen()]
                # A file that migrates nothing and a key that signs nothing: tests never touch what the site uses.
                settings = {
                    "DATABASE_URL": url,
                    "SECRET_KEY": "tests-" + "x" * 60,
                    "DEBUG": "off",
                    "ALLOWED_HOSTS": "*",
                    "SECOND_DATABASE": "false" if name == "SQLite" else "true",
                }
                if run(f"tests on {name}", pytest, settings) != 0:
                    failed.append(f"tests on {name}")
    for what in left_out:
        print(f"LEFT OUT {what}")
    if failed:
        print(f"FAILED: {', '.join(failed)}")
    if CI and left_out:
        print("With CI=true nothing may be left out.")
    return 1 if failed or (CI and left_out) else 0


def chosen() -> list[str]:
    """Arguments of pytest: with `--all` the long checks run as well."""
    given = [word for word in sys.argv[1:] if word != "--all"]
    return given if len(given) < len(sys.argv) - 1 else ["-m", "not long", *given]


def checks() -> Iterator[tuple[str, list[str]]]:
    """The checks that need no database, by name."""
    python = str(BIN / "python")
    templates = [str(path) for path in sorted(Path("templates").rglob("*.html"))]
    yield "ruff", [str(BIN / "ruff"), "check", "."]
    yield "ruff format", [str(BIN / "ruff"), "format", "--check", "."]
    yield "djade", [str(BIN / "djade"), "--check", "--target-version", "5.2", *templates]
    yield "mypy", [python, "-m", "mypy"]
    yield "migrations", [python, "manage.py", "makemigrations", "--check", "--dry-run"]


def run(name: str, command: list[str], settings: dict[str, str]) -> int:
    print(f"== {name}", flush=True)
    return subprocess.run(command, env=os.environ | settings, check=False).returncode


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """The address of a PostgreSQL to test on: the one of TEST_DATABASE_URL, else a server of our own; "" where there is none."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield given
        return
    if not SERVERS:
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
    subprocess.run(
        [
            *own,
            str(tools / "initdb"),
            "-D",
            str(data / "db"),
            "-U",
            user,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
        ],
        **quiet,  # type: ignore[call-overload]
    )
    control = [*own, str(tools / "pg_ctl"), "-D", str(data / "db"), "-l", str(data / "log"), "-w"]
    subprocess.run([*control, "-o", options, "start"], **quiet)  # type: ignore[call-overload]
    try:
        yield f"postgres://{user}@127.0.0.1:{port}/catalog"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)  # type: ignore[call-overload]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
