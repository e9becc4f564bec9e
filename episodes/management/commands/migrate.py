"""`manage.py migrate` as Django has it, but only one at a time: machines are upgraded together. An
upgraded catalog gets the credits that are shipped."""

from typing import Any

from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor

from ...curation import add_shipped_credits

# The key of an advisory lock, which PostgreSQL keeps for each database.
LOCK = int.from_bytes(b"migrate", "big")


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if connection.vendor == "sqlite":  # a file belongs to one machine
            self.upgrade(*args, **options)
            return
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
            try:
                self.upgrade(*args, **options)
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])

    def upgrade(self, *args: Any, **options: Any) -> None:
        """Migrate, then add shipped credits if all tables are those of this version."""
        super().handle(*args, **options)
        if options["database"] == DEFAULT_DB_ALIAS and is_up_to_date():
            add_shipped_credits()


def is_up_to_date() -> bool:
    """Return whether no migration waits."""
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())
