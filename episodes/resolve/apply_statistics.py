"""What the database's planner knows of the catalog: without it SQLite reads and sorts all episodes to show the newest."""

from __future__ import annotations

from django.db import connection

ROWS_LOOKED_AT = 400  # of each index; enough for a plan, and the same few milliseconds for any catalog
LARGE = 1_000  # episodes


def renew_statistics(more: int) -> None:
    """Count anew after a change that made the show so many episodes larger.

    PostgreSQL counts by itself within minutes; only after a large import these would be long minutes.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"PRAGMA analysis_limit={ROWS_LOOKED_AT}")
            cursor.execute("ANALYZE")
        elif more >= LARGE:
            cursor.execute("ANALYZE")
