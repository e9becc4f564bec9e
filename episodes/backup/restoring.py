"""Restores a backup into an empty database: all of it with the catalog that follows from it, or
nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby, islice
from pathlib import Path

from django.apps import apps
from django.apps.registry import Apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from .saving import (
    AT_ONCE,
    FILLED_BY_MIGRATIONS,
    KEPT,
    LARGE_AT_ONCE,
    BackupReader,
    BadBackup,
    Contents,
    Loader,
    check,
)

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
    # A database that has rows is refused; its columns may be those of another version.
    tables = set(connection.introspection.table_names())
    for label in sorted(set(KEPT) - set(FILLED_BY_MIGRATIONS)):
        meta = apps.get_model(label)._meta
        if meta.db_table in tables:
            with connection.cursor() as cursor:
                table = connection.ops.quote_name(meta.db_table)
                cursor.execute(f"SELECT 1 FROM {table} LIMIT 1")
                if cursor.fetchone():
                    raise BadBackup(
                        f"The database is not empty: it has {meta.verbose_name_plural}. Restore into an empty database; "
                        "nothing was changed."
                    )
    # First the tables as they were when the backup was made: its rows fit no others.
    executor.migrate(targets)
    with _whole():
        _load(BackupReader(path), executor.loader.project_state(targets).apps)
        # The rest of the migrations, and what Django does after them.
        call_command("migrate", verbosity=0)
        # New rows get numbers after those that came with the backup.
        kept = [apps.get_model(label) for label in KEPT]
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), kept):
                cursor.execute(statement)
        call_command("rebuild", verbosity=0)
    return contents


def _targets(executor: MigrationExecutor, contents: Contents) -> list[Node]:
    """The migrations of the backup, each as the one that stands for it today, and the last ones of
    what has no rows in it.

    Raises:
        BadBackup: it is of a later version, or older than the migrations that are kept.
    """
    loader = executor.loader
    squashed = {squash.replaces[-1]: name for name, squash in loader.replacements.items()}
    wanted = [squashed.get(node, node) for node in contents.schema.items()]
    if unknown := sorted({*wanted} - loader.graph.nodes.keys()):
        raise BadBackup(
            "The backup was made by a newer version of this software, or one before 23 November 2026 "
            f"({', '.join(map(' '.join, unknown))}). Upgrade to the newer version; or take the version of "
            "commit ee5dc27, restore it with that version, and make a backup with it."
        )
    if any(backwards for _, backwards in executor.migration_plan(wanted)):
        raise BadBackup(
            "The backup was made by an earlier version of this software; restore it into a database without tables: "
            "they are made as they were then, and upgraded with the rows."
        )
    leaves = loader.graph.leaf_nodes()
    return [*wanted, *(node for node in leaves if node[0] not in contents.schema)]


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
        # By the columns that the file names: a later version may have others in another order.
        loader = Loader(then, label, columns)
        made = (loader.row(values) for _, _, values in rows)
        while some := list(islice(made, LARGE_AT_ONCE.get(label, AT_ONCE))):
            loader.model._default_manager.bulk_create(some)
    if connection.vendor == "postgresql":
        # A table with checks that wait cannot be changed.
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
