"""The servers that are measured, on free loopback ports, and the CPU and memory of all their processes. Linux alone."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from .catalogs import ROOT, Database

PROC = Path("/proc")
STARTED_WITHIN = 60.0  # seconds
PAGES_KEPT = 32  # megabytes, as the setting is where nobody changes it
NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr error;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    server {{ listen 127.0.0.1:{port}; root {folder}; default_type text/html; }}
}}
"""


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    headers: http.client.HTTPMessage


def cpu(pids: Iterable[int]) -> float:
    """The seconds that all threads of these processes have run; one that has ended counts nothing."""
    nanoseconds = 0
    for pid in pids:
        for path in _found(PROC / str(pid) / "task"):
            try:
                nanoseconds += int((path / "schedstat").read_text().split()[0])
            except OSError:
                continue
    return nanoseconds / 1e9


def _found(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def tree(pid: int) -> list[int]:
    """A process and all below it."""
    parents = {}
    for path in PROC.glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    found = [pid]
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found


def pss(pids: Iterable[int]) -> int:
    """Kilobytes of memory, what several processes share divided among them."""
    lines = [line for pid in pids for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


class Backends:
    """The processes of PostgreSQL that serve one database; none are seen of a server on another machine."""

    def __init__(self, database: Database) -> None:
        self.connection = (
            None if database.is_sqlite else psycopg.connect(database.named("postgres").url, autocommit=True)
        )
        self.name = database.name
        self.used: dict[int, float] = {}

    def cpu(self) -> float:
        """The seconds that they have run until now, those that have ended as when they were last looked at."""
        if self.connection is None:
            return 0.0
        question = "SELECT pid FROM pg_stat_activity WHERE datname = %s AND backend_type LIKE '%%backend'"
        for (pid,) in self.connection.execute(question, [self.name]).fetchall():
            self.used[pid] = max(self.used.get(pid, 0.0), cpu([pid]))
        return sum(self.used.values())

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()


@dataclass
class Server:
    """A running server; `cpu` is of all its processes and of the database's that work for it."""

    process: subprocess.Popen[bytes]
    port: int
    backends: Backends | None = None
    pids: list[int] = field(default_factory=list)
    connection: http.client.HTTPConnection | None = None

    def cpu(self) -> float:
        return cpu(self.pids) + (self.backends.cpu() if self.backends else 0.0)

    def pss(self) -> int:
        return pss(self.pids)

    def get(self, path: str, headers: Mapping[str, str]) -> Answer:
        """Over one connection; a server closes it when nobody asked for a while."""
        try:
            return self._asked(path, headers)
        except (http.client.RemoteDisconnected, ConnectionError):
            self.connection = None
            return self._asked(path, headers)

    def _asked(self, path: str, headers: Mapping[str, str]) -> Answer:
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        self.connection.request("GET", path, headers=dict(headers))
        response = self.connection.getresponse()
        body = response.read()
        return Answer(response.status, body, response.headers)

    def answers(self) -> bool:
        """Wait until it does, or will not any more."""
        deadline = time.monotonic() + STARTED_WITHIN
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                self.get("/", {})
            except OSError:
                self.connection = None
                time.sleep(0.05)
            else:
                self.pids = tree(self.process.pid)
                return True
        return False


@contextmanager
def catalog(database: Database, *, kept: int = PAGES_KEPT) -> Iterator[Server]:
    """The catalog as `make serve` runs it; `kept` is PAGES_KEPT, 0 for every page made anew."""
    backends = Backends(database)
    try:
        with _granian("podcast_catalog.wsgi:application", database.environment(PAGES_KEPT=str(kept))) as server:
            server.backends = backends
            yield server
    finally:
        backends.close()


@contextmanager
def hello(database: Database) -> Iterator[Server]:
    with _granian("bench.hello:application", database.environment()) as server:
        yield server


@contextmanager
def _granian(application: str, environment: Mapping[str, str]) -> Iterator[Server]:
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--workers", "1", "--blocking-threads", "4", "--log-level", "error", "--no-ws", application]
    # One heap for all threads, as `make serve` and the deployment have it.
    with _running(command, port, {**environment, "MALLOC_ARENA_MAX": "1"}) as server:
        yield server


@contextmanager
def nginx(folder: Path, page: bytes) -> Iterator[Server | None]:
    """A page as a file on nginx; None where there is no nginx."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        yield None
        return
    port = free_port()
    folder.chmod(0o755)  # nginx's worker may be another user
    (folder / "index.html").write_bytes(page)
    configuration = folder / "nginx.conf"
    configuration.write_text(NGINX.format(folder=folder, port=port))
    with _running([program, "-p", str(folder), "-c", str(configuration)], port, None) as server:
        yield server


@contextmanager
def _running(command: list[str], port: int, environment: Mapping[str, str] | None) -> Iterator[Server]:
    # What it logs is told if it does not start. Ctrl-C comes to this process alone, which then ends the server.
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=log, start_new_session=True)
        server = Server(process, port)
        try:
            if not server.answers():
                log.seek(0)
                raise SystemExit(f"A server did not start: {log.read().decode()}")
            yield server
        finally:
            if server.connection is not None:
                server.connection.close()
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started."""
    below = tree(process.pid)[1:]
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pid in below:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
