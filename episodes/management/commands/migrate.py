"""`manage.py migrate` as Django has it, but one process at a time: machines are upgraded together.

An upgraded catalog then gets the credits that are shipped, and its stored pages are parsed again.
"""

from typing import Any

from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor

from ...curation import add_shipped_credits
from ...ingest import reparse_stored_pages

# The key of an advisory lock, which PostgreSQL keeps for each database.
MIGRATION_LOCK = int.from_bytes(b"migrate", "big")


class Command(migrate.Command):
    # With `renew_catalog=False` the caller renews the catalog later.
    stealth_options = (*migrate.Command.stealth_options, "renew_catalog")

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if connection.vendor == "sqlite":  # a file belongs to one machine
            self.upgrade(*args, **options)
            return
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
            try:
                self.upgrade(*args, **options)
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])

    def upgrade(self, *args: Any, **options: Any) -> None:
        """Migrate, then renew the inputs of the catalog if no migration waits."""
        renews_catalog = options.pop("renew_catalog", True)
        super().handle(*args, **options)
        writes_nothing = options["plan"] or options["check_unapplied"]
        is_elsewhere = options["database"] != DEFAULT_DB_ALIAS
        if writes_nothing or is_elsewhere or not renews_catalog:
            return
        if is_up_to_date():
            add_shipped_credits()
            reparse_stored_pages()


def is_up_to_date() -> bool:
    """Return whether no migration waits."""
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())
