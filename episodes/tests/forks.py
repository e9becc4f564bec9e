"""Commands in copies of a process that has loaded everything, so that one starts in a moment and can be killed at any."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parents[2]


class Forks:
    """A process from which others are forked, one at a time: `run` lets one end, `kill` does not."""

    def __init__(self, database: str, output: Path, **environment: str) -> None:
        self.output = output
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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(30)
        assert self.process.stdout
        self.process.stdout.close()

    def run(self, *words: object) -> str:
        """What a command prints; it must succeed."""
        self._begin(words)
        status = self._ended()
        out = self.output.read_text()
        assert status == 0, f"{words} ended with {status}: {out[-2000:]}"
        return out

    def kill(self, seconds: float, *words: object) -> bool:
        """Start a command and kill it after that time; False where it had ended by itself."""
        child = self._begin(words)
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        return self._ended() == -signal.SIGKILL

    def _begin(self, words: Sequence[object]) -> int:
        """Its number, which stays its own until it is asked how it ended."""
        return self._ask([str(self.output), *map(str, words)])

    def _ended(self) -> int:
        return self._ask([])

    def _ask(self, words: Sequence[str]) -> int:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


def serve() -> None:
    """Fork a process for each line that comes and say its number; how it ended where the next line asks for it."""
    import django

    django.setup()
    _load()
    while line := sys.stdin.readline():
        output, *words = json.loads(line)
        child = os.fork()
        if not child:
            _be(output, words)
        print(child, flush=True)
        sys.stdin.readline()
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _load() -> None:
    from django.core.management import get_commands, load_command_class

    for name, app in get_commands().items():
        if app == "episodes":
            load_command_class(app, name)


def _be(output: str, words: Sequence[str]) -> None:
    from django.db import connections

    code = 1
    try:
        file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, 1)
        os.dup2(file, 2)
        _do(words)
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}")
    finally:
        sys.stdout.flush()
        connections.close_all()  # which puts SQLite's log into its file
        os._exit(code)


def _do(words: Sequence[str]) -> None:
    from django.core.management import call_command

    if words[0] == "sheet":
        _take_sheet(Path(words[1]))
    elif words[0] == "decide":
        _decide(words[1])
    else:
        call_command(*words)


def _take_sheet(path: Path) -> None:
    from django.contrib.auth.models import User

    from episodes import curation

    curation.apply_rows(User.objects.get(), curation.read_sheet(path.read_bytes()).rows)


def _decide(title: str) -> None:
    """A change of an episode that waits to be worked in."""
    from django.conf import settings
    from django.contrib.auth.models import User

    from episodes import curation
    from episodes.models import Episode
    from episodes.resolve import pending

    pending.start = lambda: None
    settings.RESOLVE_AT_ONCE = 0
    curation.override(User.objects.get(), Episode.objects.order_by("order")[3], {"title": title})


if __name__ == "__main__":
    serve()
