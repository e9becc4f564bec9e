"""Writes a backup: one moment of the database, however long the writing takes and whatever others
write meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from .files import BadBackup, writing
from .reading import Contents, check
from .tables import FORMAT, KEPT, columns_of, plain, rows_of

READ_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


def save(path: Path, now: datetime) -> Contents:
    """Write a backup and read it again, before it takes the place of another.

    Raises:
        BadBackup: the database waits for a migration, or the file does not hold what was written.
    """
    contents = Contents(now.isoformat(timespec="seconds"), schema())

    def verify(part: Path) -> None:
        try:
            whole = check(part) == contents
        except BadBackup:
            whole = False
        if not whole:
            raise BadBackup(
                f"{path} was not written: its data could not be read back. Is the disk damaged?"
            )

    with writing(path, verify) as file, one_moment():
        lines = _Lines(file)
        lines.write({"backup": FORMAT, "made_at": contents.made_at, "schema": contents.schema})
        for label in KEPT:
            model = apps.get_model(label)
            lines.write({"table": label, "columns": columns_of(model)})
            contents.rows[label] = 0
            for row in rows_of(label, model):
                lines.write(row)
                contents.rows[label] += 1
        lines.write({"end": {"rows": contents.rows, "sha256": lines.digest.hexdigest()}})
    return contents


class _Lines:
    """Lines of JSON with the digest of all of them."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.digest = file, sha256()

    def write(self, value: Any) -> None:
        line = json.dumps(value, default=plain, separators=(",", ":")).encode() + b"\n"
        self.digest.update(line)
        self.file.write(line)


def schema() -> dict[str, str]:
    """By app of the tables the name of its last migration.

    Raises:
        BadBackup: some are not applied.
    """
    loader = MigrationExecutor(connection)
    if loader.migration_plan(loader.loader.graph.leaf_nodes()):
        raise BadBackup("The database needs an upgrade: run `manage.py migrate` first.")
    names = {label.partition(".")[0] for label in KEPT}
    return dict(sorted(node for node in loader.loader.graph.leaf_nodes() if node[0] in names))


@contextmanager
def one_moment() -> Iterator[None]:
    """A transaction that sees the database as it is now, and lets others write."""
    outermost, mode = not connection.in_atomic_block, getattr(connection, "transaction_mode", None)
    if outermost and connection.vendor == "sqlite":
        connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]  # IMMEDIATE would keep writers out
    try:
        with transaction.atomic():
            if outermost and connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(READ_ONLY)
            yield
    finally:
        if connection.vendor == "sqlite":
            connection.transaction_mode = mode  # type: ignore[attr-defined]
