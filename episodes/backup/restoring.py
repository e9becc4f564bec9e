"""Restores a backup into an empty database: all of it with the catalog that follows from it, or
nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

from django.apps import apps
from django.apps.registry import Apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model

from .files import BadBackup
from .reading import BackupReader, Contents, check
from .tables import AT_ONCE, FILLED_BY_MIGRATIONS, KEPT, LARGE_AT_ONCE, Loader

Node = tuple[str, str]  # app and name of a migration


def restore(path: Path) -> Contents:
    """Fill an empty database, with or without tables. A backup of an earlier version is upgraded on
    the way.

    Raises:
        BadBackup: why it cannot be restored; nothing was.
    """
    contents = check(path)
    executor = MigrationExecutor(connection)
    targets = _targets(executor, contents)
    _check_empty()
    executor.migrate(targets)
    with _whole():
        _load(BackupReader(path), executor.loader.project_state(targets).apps)
        # The rest of the migrations, and what Django does after them.
        call_command("migrate", verbosity=0)
        _renew_sequences()
        _check_counts(contents)
        call_command("rebuild", verbosity=0)
    return contents


def _nodes(loader: MigrationLoader, contents: Contents) -> list[Node]:
    """The migrations of the backup, each as the one that stands for it today.

    Raises:
        BadBackup: it is older than the migrations that are kept.
    """
    wanted = list(contents.schema.items())
    for name, squash in loader.replacements.items():
        wanted = [name if node == squash.replaces[-1] else node for node in wanted]
        if set(squash.replaces).intersection(wanted):
            raise BadBackup(
                "The backup is older than the version of 23 November 2026 (commit ee5dc27); restore it with that version,"
                " and make a backup with it."
            )
    return wanted


def _targets(executor: MigrationExecutor, contents: Contents) -> list[Node]:
    """The migrations of the backup, and the last ones of what has no rows in it."""
    graph = executor.loader.graph
    wanted = _nodes(executor.loader, contents)
    if newer := [f"{app} {name}" for app, name in wanted if (app, name) not in graph.nodes]:
        raise BadBackup(
            f"The backup was made by a newer version of this software ({', '.join(newer)}); upgrade it first, then restore."
        )
    targets = [*wanted, *(node for node in graph.leaf_nodes() if node[0] not in contents.schema)]
    if any(backwards for _, backwards in executor.migration_plan(wanted)):
        raise BadBackup(
            "The backup was made by an earlier version of this software; restore it into a database without tables: "
            "they are made as they were then, and upgraded with the rows."
        )
    return targets


def _check_empty() -> None:
    tables = set(connection.introspection.table_names())
    full = [
        model._meta.verbose_name_plural
        for model in (apps.get_model(label) for label in KEPT if label not in FILLED_BY_MIGRATIONS)
        if model._meta.db_table in tables and _has_rows(model)
    ]
    if full:
        names = ", ".join(str(name) for name in full[:3])
        raise BadBackup(
            f"The database is not empty: it has {names}. Restore into an empty database; nothing was changed."
        )


def _has_rows(model: type[Model]) -> bool:
    with connection.cursor() as cursor:  # its columns may be those of another version
        cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(model._meta.db_table)} LIMIT 1")
        return cursor.fetchone() is not None


@contextmanager
def _whole() -> Iterator[None]:
    """One transaction, in which tables may still change; foreign keys are checked before it
    ends."""
    connection.disable_constraint_checking()
    try:
        with transaction.atomic():
            yield
            connection.check_constraints()
    except IntegrityError as error:
        raise BadBackup(
            f"The backup does not fit together; nothing was restored ({error})."
        ) from None
    finally:
        connection.enable_constraint_checking()


def _load(reader: BackupReader, then: Apps) -> None:
    for label in FILLED_BY_MIGRATIONS:
        then.get_model(label)._default_manager.all().delete()
    for (label, columns), rows in groupby(reader.rows(), lambda row: (row[0], tuple(row[1]))):
        loader = Loader(then, label, columns)
        waiting: list[Any] = []
        for _, _, values in rows:
            waiting.append(loader.row(values))
            if len(waiting) >= LARGE_AT_ONCE.get(label, AT_ONCE):
                loader.model._default_manager.bulk_create(waiting)
                waiting = []
        loader.model._default_manager.bulk_create(waiting)
    if connection.vendor == "postgresql":
        # A table with checks that wait cannot be changed.
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def _renew_sequences() -> None:
    """Let new rows get numbers after those that came with the backup."""
    statements = connection.ops.sequence_reset_sql(
        no_style(), [apps.get_model(label) for label in KEPT]
    )
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _check_counts(contents: Contents) -> None:
    for label, count in contents.rows.items():
        if label not in KEPT:  # a table of an earlier version, whose rows a migration took over
            continue
        found = apps.get_model(label)._default_manager.count()
        # Newer versions give their roles more rights.
        if found < count or (found > count and label not in FILLED_BY_MIGRATIONS):
            raise BadBackup(
                f"{label}: {found} of {count} rows were restored; so nothing was. Please report this."
            )
