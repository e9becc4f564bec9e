"""Statistics of the catalog for the database's planner: without these SQLite reads and sorts all
episodes to show the newest."""

from __future__ import annotations

from django.apps import apps
from django.db import connection

ROWS_LOOKED_AT = (
    400  # of each index; enough for a plan, and the same few milliseconds for any catalog
)
LARGE = 1_000  # episodes


def renew_statistics(more: int) -> None:
    """Count anew after a change that made the show so many episodes larger, or smaller.

    PostgreSQL counts by itself within minutes; only after a large import these would be long
    minutes.
    """
    if not more:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"PRAGMA analysis_limit={ROWS_LOOKED_AT}")
            for table in _tables():
                cursor.execute(f'ANALYZE "{table}"')
        elif more >= LARGE:
            cursor.execute("ANALYZE")


def _tables() -> list[str]:
    """The tables of the catalog. Others grow between two changes of it, and old counts are worse
    than none."""
    models = apps.get_app_config("episodes").get_models()
    return [
        model._meta.db_table for model in models if model.__module__.endswith(".models.catalog")
    ]
