"""Connections to SQLite: one whose file is private, and one that also cancels a statement which takes
too long, as PostgreSQL's statement_timeout does."""

import os
import sqlite3
from contextlib import suppress
from time import monotonic
from typing import Any

STEPS = 20_000  # of SQLite's virtual machine between two looks at the clock: some milliseconds


class PrivateConnection(sqlite3.Connection):
    """A connection that creates its file for its owner alone, because it holds accounts."""

    def __init__(self, database: str, *args: Any, **kwargs: Any) -> None:
        is_path = not database.startswith(("file:", ":memory:"))
        # What is wrong with the path, SQLite says itself.
        with suppress(OSError):
            if is_path:
                os.close(os.open(database, os.O_RDWR | os.O_CREAT, 0o600))
        super().__init__(database, *args, **kwargs)


def timed_connection(seconds: float) -> type[sqlite3.Connection]:
    """The `factory` of `sqlite3.connect` for connections with that limit."""

    class TimedConnection(PrivateConnection):
        deadline = 0.0

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.set_progress_handler(lambda: monotonic() > self.deadline, STEPS)

        def cursor(self, *args: Any, **kwargs: Any) -> Any:
            # Django takes a cursor for each statement.
            self.deadline = monotonic() + seconds
            return super().cursor(*args, **kwargs)

    return TimedConnection
