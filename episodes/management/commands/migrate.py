"""`manage.py migrate` as Django has it, but only one at a time: machines are upgraded together."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.loader import MigrationLoader

# The key of an advisory lock, which PostgreSQL keeps for each database.
LOCK = int.from_bytes(b"migrate", "big")
TOO_OLD = "This database is older than the version of 23 November 2026 (commit ee5dc27). Run `migrate` with that version first."


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if connection.vendor == "sqlite":  # a file belongs to one machine
            self._migrate(*args, **options)
            return
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
            try:
                self._migrate(*args, **options)
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])

    def _migrate(self, *args: Any, **options: Any) -> None:
        loader = MigrationLoader(connections[options["database"]])
        for squash in loader.replacements.values():
            applied = [node in loader.applied_migrations for node in squash.replaces]
            if any(applied) and not all(applied):
                raise CommandError(TOO_OLD)
        super().handle(*args, **options)
