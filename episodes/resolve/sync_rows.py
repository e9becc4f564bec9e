"""Makes rows equal to a target: inserts, updates and deletes only rows that differ."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import models

from ..models import batches

BATCH_SIZE = 500
Key = tuple[Any, ...]  # the values of the key columns of a row
Scope = Mapping[str, Any]  # the filter for the rows that are brought up to date


def sync_and_return_changed_keys(
    model: type[models.Model],
    key_columns: tuple[str, ...],
    target: Mapping[Key, dict[str, Any]],
    scope: Scope,
    *,
    keep_extra_rows: bool = False,
) -> set[Key]:
    """Insert, update and delete rows in `scope` until they equal `target`. Return the changed keys.

    `target` has the other columns of each row by its key, the same columns for all. Only rows that
    differ are written, and only the columns that differ: an update of all columns costs ten times as
    much. `keep_extra_rows` keeps rows without a key in `target`.
    """
    manager = model._default_manager
    # All rows of the target have the columns of the first. Without rows no columns are compared.
    first_row: dict[str, Any] = next(iter(target.values()), {})
    stored = _load_stored_rows(model, key_columns, list(first_row), scope)
    changed_keys: set[Key] = set()
    if not keep_extra_rows:
        changed_keys.update(stored.keys() - target.keys())
        delete_in_batches(manager.all(), [stored[key].pk for key in changed_keys])
    new_rows = []
    for key, columns in target.items():
        if key not in stored:
            key_values = dict(zip(key_columns, key, strict=True))
            new_rows.append(model(**key_values, **columns))
            changed_keys.add(key)
    changed_keys.update(_update_and_return_differing_keys(model, target, stored))
    manager.bulk_create(new_rows, batch_size=BATCH_SIZE)
    return changed_keys


class _StoredRow(NamedTuple):
    """The id of a row, and the columns that are compared."""

    pk: Any
    columns: Mapping[str, Any]


def _update_and_return_differing_keys(
    model: type[models.Model],
    target: Mapping[Key, dict[str, Any]],
    stored: Mapping[Key, _StoredRow],
) -> list[Key]:
    keys = []
    rows_by_differing_columns: dict[tuple[str, ...], list[models.Model]] = defaultdict(list)
    for key, new_columns in target.items():
        if key not in stored:
            continue  # the caller creates it
        pk, old_columns = stored[key]
        differing = tuple(
            column for column, old_value in old_columns.items() if new_columns[column] != old_value
        )
        if differing:
            rows_by_differing_columns[differing].append(model(pk=pk, **new_columns))
            keys.append(key)
    # One statement for each set of columns, most often one or two.
    for differing, rows in rows_by_differing_columns.items():
        model._default_manager.bulk_update(rows, differing, batch_size=BATCH_SIZE)
    return keys


def _load_stored_rows(
    model: type[models.Model], key_columns: Sequence[str], columns: Sequence[str], scope: Scope
) -> dict[Key, _StoredRow]:
    rows = model._default_manager.filter(**scope).order_by()
    stored = {}
    for pk, *values in rows.values_list("pk", *key_columns, *columns):
        # The values of the key columns come first.
        key = tuple(values[: len(key_columns)])
        other_values = values[len(key_columns) :]
        other_columns = dict(zip(columns, other_values, strict=True))
        stored[key] = _StoredRow(pk, other_columns)
    return stored


def find_ids_by_value(
    model: type[models.Model], column: str, values: Collection[str]
) -> dict[str, int]:
    ids: dict[str, int] = {}
    for batch in batches(values):
        rows = model._default_manager.filter(**{f"{column}__in": batch})
        ids.update(rows.order_by().values_list(column, "pk"))
    return ids


def find_or_create_ids_by_value(
    model: type[models.Model], column: str, columns_by_value: Mapping[str, Mapping[str, Any]]
) -> dict[str, int]:
    """Return the ids of the rows with these values, by value. Create missing rows with the other
    columns that `columns_by_value` has for them."""
    ids = find_ids_by_value(model, column, columns_by_value)
    new_rows = []
    for value, other_columns in columns_by_value.items():
        if value not in ids:
            new_rows.append(model(**{column: value}, **other_columns))
    for row in model._default_manager.bulk_create(new_rows, batch_size=BATCH_SIZE):
        ids[getattr(row, column)] = row.pk
    return ids


def delete_in_batches(rows: models.QuerySet[Any], ids: Collection[int]) -> None:
    for batch in batches(ids):
        rows.filter(pk__in=batch).delete()
