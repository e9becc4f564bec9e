"""Rows that one test creates and later tests insert again, in a tenth of the time."""

from collections.abc import Callable

from django.apps import apps
from django.contrib.auth.models import User
from django.db import models

from episodes.models import CatalogVersion, Podcast, start_new_version

Model = type[models.Model]
Rows = list[tuple[Model, list[models.Model]]]

_ROWS_BY_FUNCTION: dict[object, Rows] = {}


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


def made_once(make: Callable[[], object], by: User | None = None) -> None:
    """Create rows with `make`, or insert the rows that it created for an earlier test, with the same ids.

    `by` is the only user whose id some rows have. It differs between tests.
    """
    if Podcast.objects.exists():
        make()  # rows in the database may have the same ids
    elif make in _ROWS_BY_FUNCTION:
        if by:
            _set_user(_ROWS_BY_FUNCTION[make], by)
        put_back(_ROWS_BY_FUNCTION[make])
    else:
        earlier_ids = {(model, row.pk) for model, rows in rows_of(catalog_models()) for row in rows}
        make()
        _ROWS_BY_FUNCTION[make] = []
        for model, rows in rows_of(catalog_models()):
            new_rows = [row for row in rows if (model, row.pk) not in earlier_ids]
            if new_rows:
                _ROWS_BY_FUNCTION[make].append((model, new_rows))


def _set_user(kept: Rows, user: User) -> None:
    for model, rows in kept:
        names = [field.attname for field in model._meta.concrete_fields if field.related_model is User]
        for row in rows:
            for name in names:
                if getattr(row, name) is not None:
                    setattr(row, name, user.pk)
