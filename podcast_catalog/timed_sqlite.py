"""A connection to SQLite that cancels a statement which takes too long, as PostgreSQL's
statement_timeout does."""

import sqlite3
from time import monotonic
from typing import Any

STEPS = 20_000  # of SQLite's virtual machine between two looks at the clock: some milliseconds


def limited_to(seconds: float) -> type[sqlite3.Connection]:
    """The `factory` of `sqlite3.connect` for connections with that limit."""

    class TimedConnection(sqlite3.Connection):
        deadline = 0.0

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.set_progress_handler(lambda: monotonic() > self.deadline, STEPS)

        def cursor(self, *args: Any, **kwargs: Any) -> Any:
            # Django takes a cursor for each statement.
            self.deadline = monotonic() + seconds
            return super().cursor(*args, **kwargs)

    return TimedConnection
