"""Connections to SQLite with a private file, and with a time limit, like PostgreSQL's statement_timeout."""

import os
import sqlite3
from contextlib import suppress
from time import monotonic
from typing import Any


class OwnerOnlyFileConnection(sqlite3.Connection):
    """A connection that creates its file for its owner alone, because it holds accounts."""

    def __init__(self, database: str, *args: Any, **kwargs: Any) -> None:
        is_path = not database.startswith(("file:", ":memory:"))
        if is_path:
            # Fails if the file exists. To open and close an existing file would end the locks of all
            # connections of this process, so that another process would delete the log that they still
            # write to. Fails also if the path is wrong, which SQLite reports below.
            with suppress(OSError):
                only_new = os.O_RDWR | os.O_CREAT | os.O_EXCL
                descriptor = os.open(database, only_new, mode=0o600)
                os.close(descriptor)
        super().__init__(database, *args, **kwargs)


def connection_class_with_time_limit(seconds: float) -> type[sqlite3.Connection]:
    """Return a connection class (`factory` of `sqlite3.connect`) that cancels statements after some seconds."""

    class TimedConnection(OwnerOnlyFileConnection):
        deadline = 0.0

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            # SQLite asks every 20,000 steps (some milliseconds) whether to cancel the statement.
            self.set_progress_handler(lambda: monotonic() > self.deadline, 20_000)

        def cursor(self, *args: Any, **kwargs: Any) -> Any:
            # Django opens a cursor for each statement, so this is when the statement begins.
            self.deadline = monotonic() + seconds
            return super().cursor(*args, **kwargs)

    return TimedConnection
