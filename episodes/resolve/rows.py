"""Makes rows of the catalog what they should be: adds, changes and deletes only what differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from django.db import models

from ..models.querysets import batches

BATCH = 500
Row = TypeVar("Row", bound=models.Model)


def sync(
    model: type[models.Model],
    key: tuple[str, ...],
    wanted: Mapping[tuple[Any, ...], dict[str, Any]],
    scope: Mapping[str, Any],
) -> None:
    """Make the rows of `scope` those that are wanted, by their key; rows that are right already are not touched."""
    manager = model._default_manager
    there = {tuple(getattr(row, name) for name in key): row for row in manager.filter(**scope)}
    delete(manager.all(), [row.pk for values, row in there.items() if values not in wanted])
    update(model, changed((row, wanted[values]) for values, row in there.items() if values in wanted))
    made = [
        model(**dict(zip(key, values, strict=True)), **fields)
        for values, fields in wanted.items()
        if values not in there
    ]
    manager.bulk_create(made, batch_size=BATCH)


def changed(rows: Iterable[tuple[Row, Mapping[str, Any]]]) -> dict[tuple[str, ...], list[Row]]:
    """Set the values that differ, and give the rows by the names of what was set."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row, values in rows:
        names = tuple(name for name, value in values.items() if getattr(row, name) != value)
        for name in names:
            setattr(row, name, values[name])
        if names:
            found.setdefault(names, []).append(row)
    return found


def update(model: type[models.Model], changed: Mapping[tuple[str, ...], Sequence[Any]]) -> None:
    """Write only the columns that changed: an update of all of them costs ten times as much."""
    for names, rows in changed.items():
        fields = [name.removesuffix("_id") for name in names]
        model._default_manager.bulk_update(rows, fields, batch_size=BATCH)


def delete(rows: models.QuerySet[Any], ids: Sequence[int]) -> None:
    for some in batches(ids):
        rows.filter(pk__in=some).delete()
