"""`manage.py migrate` as Django has it, but only one at a time: machines are upgraded together.
Afterwards stored pages are parsed again."""

from typing import Any

from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, connections

from ...ingest import parse_stored_pages

# The key of an advisory lock, which PostgreSQL keeps for each database.
LOCK = int.from_bytes(b"migrate", "big")


class Command(migrate.Command):
    # `parse_pages=False`: the caller does so later.
    stealth_options = (*migrate.Command.stealth_options, "parse_pages")

    def handle(self, *args: Any, **options: Any) -> None:
        parse_pages = options.pop("parse_pages", True)
        connection = connections[options["database"]]
        if connection.vendor == "sqlite":  # a file belongs to one machine
            super().handle(*args, **options)
        else:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
                try:
                    super().handle(*args, **options)
                finally:
                    cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
        is_partial = options["app_label"] or options["plan"] or options["check_unapplied"]
        if parse_pages and not is_partial and options["database"] == DEFAULT_DB_ALIAS:
            parse_stored_pages()
