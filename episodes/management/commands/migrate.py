"""`manage.py migrate` as Django has it, but only one at a time: machines are upgraded together."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

# The key of an advisory lock, which PostgreSQL keeps for each database.
LOCK = int.from_bytes(b"migrate", "big")


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if connection.vendor == "sqlite":  # a file belongs to one machine
            super().handle(*args, **options)
            return
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
            try:
                super().handle(*args, **options)
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
