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
    columns = list(first_row)
    stored = _load_stored_rows(model, key_columns, columns, scope)
    changed_keys: set[Key] = set()
    if not keep_extra_rows:
        changed_keys.update(stored.keys() - target.keys())
        delete(manager.all(), [stored[key].pk for key in changed_keys])
    new_rows = []
    changed_rows: dict[tuple[str, ...], list[models.Model]] = defaultdict(list)
    for key, fields in target.items():
        if key not in stored:
            key_fields = dict(zip(key_columns, key, strict=True))
            new_rows.append(model(**key_fields, **fields))
            changed_keys.add(key)
            continue
        old_fields = stored[key].fields
        differing = tuple(column for column in columns if fields[column] != old_fields[column])
        if differing:
            changed_rows[differing].append(model(pk=stored[key].pk, **fields))
            changed_keys.add(key)
    # One statement for each set of columns, most often one or two.
    for differing, rows_with_columns in changed_rows.items():
        manager.bulk_update(rows_with_columns, differing, batch_size=BATCH_SIZE)
    manager.bulk_create(new_rows, batch_size=BATCH_SIZE)
    return changed_keys


class _StoredRow(NamedTuple):
    """The id of a row, and the columns that are compared."""

    pk: Any
    fields: Mapping[str, Any]


def _load_stored_rows(
    model: type[models.Model], key_columns: Sequence[str], columns: Sequence[str], scope: Scope
) -> dict[Key, _StoredRow]:
    rows = model._default_manager.filter(**scope).order_by()
    stored = {}
    for pk, *values in rows.values_list("pk", *key_columns, *columns):
        key = tuple(values[: len(key_columns)])
        other_values = values[len(key_columns) :]
        stored[key] = _StoredRow(pk, dict(zip(columns, other_values, strict=True)))
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


def delete(rows: models.QuerySet[Any], ids: Collection[int]) -> None:
    for batch in batches(ids):
        rows.filter(pk__in=batch).delete()
