"""Rows that one test creates and later tests insert again, in a tenth of the time."""

import sqlite3
from collections.abc import Callable

from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection, models

from episodes.models import CatalogVersion, Podcast, start_new_version

Model = type[models.Model]
Rows = list[tuple[Model, list[models.Model]]]

# With the ids of the users at the time.
_ROWS_BY_FUNCTION: dict[object, tuple[Rows, list[int]]] = {}


class Snapshot:
    """A copy of the SQLite database, which replaces it in a tenth of the time of Django's flush."""

    def __init__(self) -> None:
        self.copy = sqlite3.connect(":memory:", check_same_thread=False)

    def take(self) -> None:
        connection.ensure_connection()
        connection.connection.backup(self.copy)

    def restore(self) -> None:
        connection.ensure_connection()
        self.copy.backup(connection.connection)
        start_new_version()


def catalog_models() -> list[Model]:
    return [model for model in apps.get_app_config("episodes").get_models() if model is not CatalogVersion]


def rows_of(catalog: list[Model]) -> Rows:
    """Return the rows of each model that has any."""
    rows_by_model = ((model, list(model._base_manager.order_by("pk"))) for model in catalog)
    return [(model, rows) for model, rows in rows_by_model if rows]


def put_back(kept: Rows) -> None:
    """Insert rows again, and begin a new version of the catalog."""
    for model, rows in kept:
        model._base_manager.bulk_create(rows)
    start_new_version()


def made_once(make: Callable[[], object], *users: User) -> None:
    """Create rows with `make`, or insert the rows that it created for an earlier test, with the same ids.

    `users` are the users whose ids some rows have, in the same order at each call. Their ids differ between tests.
    """
    if Podcast.objects.exists():
        make()  # rows in the database may have the same ids
    elif make in _ROWS_BY_FUNCTION:
        kept, earlier_users = _ROWS_BY_FUNCTION[make]
        new_ids = dict(zip(earlier_users, [user.pk for user in users], strict=True))
        if new_ids:
            _set_users(kept, new_ids)
        put_back(kept)
        _ROWS_BY_FUNCTION[make] = kept, list(new_ids.values())
    else:
        earlier_ids = {(model, row.pk) for model, rows in rows_of(catalog_models()) for row in rows}
        make()
        kept = []
        for model, rows in rows_of(catalog_models()):
            new_rows = [row for row in rows if (model, row.pk) not in earlier_ids]
            if new_rows:
                kept.append((model, new_rows))
        _ROWS_BY_FUNCTION[make] = kept, [user.pk for user in users]


def _set_users(kept: Rows, new_ids: dict[int, int]) -> None:
    for model, rows in kept:
        names = [field.attname for field in model._meta.concrete_fields if field.related_model is User]
        for row in rows:
            for name in names:
                if (user_id := getattr(row, name)) is not None:
                    setattr(row, name, new_ids[user_id])
