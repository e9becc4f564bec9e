"""`manage.py migrate` as Django has it, but one process at a time: machines are upgraded together.

An upgraded catalog then gets the aliases and credits that are shipped, and its stored pages are parsed again.
"""

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from ...curation import add_shipped_aliases_and_resolve, add_shipped_credits_unless_decided
from ...ingest import reparse_pages_and_resolve_changed_shows


class Command(migrate.Command):
    """Django's command, run by one process at a time. Then it renews the catalog."""

    # With `renew_catalog=False` the caller renews the catalog later.
    stealth_options = (*migrate.Command.stealth_options, "renew_catalog")

    def handle(self, *args: Any, **options: Any) -> None:
        """Upgrade the database. On PostgreSQL, take a lock first, so that one process does it."""
        connection = connections[options["database"]]
        if connection.vendor == "sqlite":  # a file belongs to one machine
            self.migrate_and_renew_catalog(*args, **options)
            return
        # PostgreSQL keeps advisory locks for each database. A lock is any number that all processes agree on.
        lock = int.from_bytes(b"migrate", "big")
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [lock])
            try:
                self.migrate_and_renew_catalog(*args, **options)
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [lock])

    def migrate_and_renew_catalog(self, *args: Any, **options: Any) -> None:
        """Migrate. If no migration waits then, add shipped aliases and credits, and parse stored pages again."""
        require_upgradable(connections[options["database"]])
        renews_catalog = options.pop("renew_catalog", True)
        super().handle(*args, **options)
        only_looks = options["plan"] or options["check_unapplied"]
        is_other_database = options["database"] != DEFAULT_DB_ALIAS
        if only_looks or is_other_database or not renews_catalog:
            return
        # Somebody may have migrated one app only, or back to an earlier migration.
        if is_up_to_date():
            add_shipped_aliases_and_resolve()
            add_shipped_credits_unless_decided()
            reparse_pages_and_resolve_changed_shows()


def require_upgradable(connection: BaseDatabaseWrapper) -> None:
    """Raise CommandError if the database has some of the squashed migrations, but not all.

    Django would skip the squashed migration and apply only the later ones.
    """
    applied = set()
    for app, name in MigrationRecorder(connection).applied_migrations():
        if app == "episodes":
            applied.add((app, name))
    squashed = MigrationLoader(None).get_migration("episodes", "0001_release_1").replaces
    if applied and not applied.issuperset(squashed):
        raise CommandError(
            "The database is older than commit a0bfab09, the oldest version that this one upgrades. Nothing was changed. "
            "Run `manage.py migrate` with that commit first, then with this version."
        )


def is_up_to_date() -> bool:
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())
