"""Makes rows equal to a target: inserts, updates and deletes only rows that differ."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from django.db import models

from ..models import batches

BATCH_SIZE = 500
Key = tuple[Any, ...]  # the values of the key columns of a row
Scope = Mapping[str, Any]  # the filter for the rows that are brought up to date


def sync(
    model: type[models.Model],
    key_columns: tuple[str, ...],
    target: Mapping[Key, dict[str, Any]],
    scope: Scope,
    *,
    keep_others: bool = False,
) -> set[Key]:
    """Insert, update and delete rows in `scope` until they equal `target`. Return the changed keys.

    `target` has the other columns of each row by its key, the same columns for all. Rows that are
    right already are not written, and of others only the columns that differ: an update of all
    columns costs ten times as much. `keep_others` keeps rows without a key in `target`.
    """
    manager = model._default_manager
    columns = list(next(iter(target.values()), {}))
    # One query for all rows is faster than one query a row.
    rows = manager.filter(**scope).order_by().values_list("pk", *key_columns, *columns)
    stored = {}
    for pk, *values in rows:
        stored[tuple(values[: len(key_columns)])] = (pk, values[len(key_columns) :])
    changed_keys: set[Key] = set()
    if not keep_others:
        changed_keys.update(stored.keys() - target.keys())
        delete(manager.all(), [stored[key][0] for key in changed_keys])
    new_rows = []
    changed_rows: dict[tuple[str, ...], list[models.Model]] = defaultdict(list)
    for key, fields in target.items():
        if key not in stored:
            new_rows.append(model(**dict(zip(key_columns, key, strict=True)), **fields))
            changed_keys.add(key)
            continue
        pk, old_values = stored[key]
        pairs = zip(columns, old_values, strict=True)
        differing = tuple(column for column, old in pairs if fields[column] != old)
        if differing:
            changed_rows[differing].append(model(pk=pk, **fields))
            changed_keys.add(key)
    # One statement for each set of columns, most often one or two.
    for differing, rows_of_columns in changed_rows.items():
        manager.bulk_update(rows_of_columns, differing, batch_size=BATCH_SIZE)
    manager.bulk_create(new_rows, batch_size=BATCH_SIZE)
    return changed_keys


def find_ids_by_value(
    model: type[models.Model], column: str, values: Collection[str]
) -> dict[str, int]:
    """Return the ids of the rows with these values, by value."""
    ids: dict[str, int] = {}
    for batch in batches(values):
        rows = model._default_manager.filter(**{f"{column}__in": batch})
        ids.update(rows.order_by().values_list(column, "pk"))
    return ids


def find_or_create_ids_by_value(
    model: type[models.Model], column: str, target: Mapping[str, Mapping[str, Any]]
) -> dict[str, int]:
    """Return the ids of the rows with these values, by value. Create missing rows with the other
    columns that `target` has for them."""
    ids = find_ids_by_value(model, column, target)
    missing = [
        model(**{column: value}, **fields) for value, fields in target.items() if value not in ids
    ]
    for row in model._default_manager.bulk_create(missing, batch_size=BATCH_SIZE):
        ids[getattr(row, column)] = row.pk
    return ids


def delete(rows: models.QuerySet[Any], ids: Collection[int]) -> None:
    """Delete rows by their ids, in batches."""
    for batch in batches(ids):
        rows.filter(pk__in=batch).delete()
