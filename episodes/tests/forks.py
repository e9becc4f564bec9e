"""Commands in forks of a process that has loaded all modules: they start at once, and tests can kill them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .patience import PATIENCE

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Fork:
    """A running command: its process id, and the file of its output."""

    number: int
    output: Path

    def send(self, signal: int) -> None:
        os.kill(self.number, signal)

    @property
    def out(self) -> str:
        return self.output.read_text()

    @property
    def err(self) -> str:
        return self.output.with_suffix(".err").read_text()


class Forks:
    """A process that forks commands: `run` waits for the end, `kill` kills, `begin` returns at once."""

    def __init__(self, database: str, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.begun = 0
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "episodes.tests.forks"],
            cwd=ROOT,
            env=os.environ | {"DATABASE_URL": database} | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Forks:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        assert self.process.stdout
        self.process.stdout.close()

    def run(self, *words: object) -> str:
        child = self.begin(*words)
        status = self.ended(child)
        assert status == 0, f"{words} ended with {status}: {child.err[-2000:]}"
        return child.out

    def kill(self, seconds: float, *words: object) -> bool:
        """Start a command, and kill it after some seconds. Return False if it ended before."""
        child = self.begin(*words)
        time.sleep(seconds)
        child.send(signal.SIGKILL)
        return self.ended(child) == -signal.SIGKILL

    def begin(self, *words: object) -> Fork:
        self.begun += 1
        output = self.folder / f"fork-{self.begun}.out"
        return Fork(self._ask([str(output), *map(str, words)]), output)

    def ended(self, child: Fork) -> int:
        """Wait for the end. Return the exit code, or the negative number of the signal that ended it."""
        return self._ask(child.number)

    def _ask(self, words: Sequence[str] | int) -> int:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


def serve() -> None:
    """Fork a process for each line with a command, and print its id. For a line with an id, print the exit code."""
    import django

    django.setup()
    from django.core.management import get_commands, load_command_class
    from django.db import connection

    for name, app in get_commands().items():
        if app == "episodes":
            load_command_class(app, name)
    if connection.vendor == "sqlite":  # writers wait for each other, long on a busy machine
        connection.settings_dict["OPTIONS"]["timeout"] = PATIENCE
    while line := sys.stdin.readline():
        message = json.loads(line)
        if isinstance(message, int):
            _, status = os.waitpid(message, 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        child = os.fork()
        if not child:
            _run_and_exit(Path(message[0]), message[1:])
        print(child, flush=True)


def _run_and_exit(output: Path, words: Sequence[str]) -> None:
    from django.db import connections

    code = 1
    try:
        for number, path in ((1, output), (2, output.with_suffix(".err"))):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        _run_command(words)
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        connections.close_all()  # this writes SQLite's log into the database file
        os._exit(code)


def _run_command(words: Sequence[str]) -> None:
    from django.core.management import execute_from_command_line

    from episodes.resolve import resolve_all_waiting
    from podcast_catalog.errors import exit_with_one_line_errors

    if words[0] == "repair":
        _repair(Path(words[1]))
    elif words[0] == "decide":
        _override_title(int(words[1]), words[2], waits="waits" in words)
    elif words[0] == "catch_up":
        list(resolve_all_waiting())
    else:
        sys.argv = ["manage.py", *words]
        with exit_with_one_line_errors():
            execute_from_command_line(sys.argv)


def _repair(path: Path) -> None:
    from django.contrib.auth.models import User

    from episodes import curation
    from episodes.models import Episode, Podcast
    from episodes.resolve import background, resolve_all_waiting

    background.MAX_EPISODES_IN_REQUEST = 0
    repair = curation.SetTypedValues(field_name="number", lines=path.read_text())
    rows = Episode.objects.select_related("podcast").order_by("order")
    token = repair.build_plan(rows).token
    curation.repair_rows_and_return_batch(User.objects.get(), repair, rows, Podcast.objects.all(), token=token)
    list(resolve_all_waiting())


def _override_title(number: int, title: str, *, waits: bool) -> None:
    """Change the title of an episode. With `waits` the show is not resolved, as if it was too large for a request."""
    from django.contrib.auth.models import User

    from episodes import curation
    from episodes.models import Episode
    from episodes.resolve import background

    if waits:
        background.MAX_EPISODES_IN_REQUEST = 0
    episode = Episode.objects.get(attachments__item__key=f"guid:small-{number}")
    curation.override_fields(User.objects.get(), episode, {"title": title})


if __name__ == "__main__":
    serve()
