"""The folding of search in the database: a function for SQLite, and the lookup `has_letters`."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.db.models.lookups import Contains
from django.dispatch import receiver

from ..text.search_letters import fold_for_search


@receiver(connection_created)
def add_search_fold(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Add the folding of search to a connection to SQLite. The triggers of the index call it."""
    if connection.vendor == "sqlite":
        connection.connection.create_function(
            "episodes_search_fold", 1, fold_for_search, deterministic=True
        )


@models.CharField.register_lookup
@models.TextField.register_lookup
class HasLetters(Contains):
    """A lookup of rows that contain a text, both folded: `name__has_letters="flight"` finds "ﬂight"."""

    lookup_name = "has_letters"

    def get_prep_lookup(self) -> str:
        return fold_for_search(str(self.rhs)).strip()

    def get_rhs_op(self, connection: Any, rhs: str) -> str:
        return str(connection.operators["contains"] % rhs)

    def process_lhs(self, *args: Any, **options: Any) -> Any:
        expression, values = super().process_lhs(*args, **options)
        return f"episodes_search_fold({expression})", values
