"""Makes rows of the catalog what they should be: adds, changes and deletes only what differs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from django.db import models

from ..models import batches

BATCH = 500
Row = TypeVar("Row", bound=models.Model)


def sync(
    model: type[models.Model],
    key: tuple[str, ...],
    wanted: Mapping[tuple[Any, ...], dict[str, Any]],
    scope: Mapping[str, Any],
    *,
    keep_others: bool = False,
) -> None:
    """Make the rows of `scope` those that are wanted, by their key; rows that are right already are
    not touched."""
    manager = model._default_manager
    names = list(next(iter(wanted.values()), {}))
    rows = manager.filter(**scope).order_by().values_list("pk", *key, *names)
    there = {row[1 : len(key) + 1]: (row[0], row[len(key) + 1 :]) for row in rows}
    if not keep_others:
        delete(manager.all(), [pk for values, (pk, _) in there.items() if values not in wanted])
    differing = {
        there[values][0]: fields
        for values, fields in wanted.items()
        if values in there and there[values][1] != tuple(fields.values())
    }
    update(model, changed((row, differing[row.pk]) for row in _rows(model, list(differing))))
    made = [
        model(**dict(zip(key, values, strict=True)), **fields)
        for values, fields in wanted.items()
        if values not in there
    ]
    manager.bulk_create(made, batch_size=BATCH)


def _rows(model: type[Row], ids: Sequence[int]) -> Iterator[Row]:
    for some in batches(ids):
        yield from model._default_manager.filter(pk__in=some)


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


def ids_of(model: type[models.Model], field: str, values: Collection[str]) -> dict[str, int]:
    """The ids of the rows that have these values, by value."""
    found: dict[str, int] = {}
    for some in batches(values):
        found |= (
            model._default_manager.filter(**{f"{field}__in": some})
            .order_by()
            .values_list(field, "pk")
        )
    return found


def delete(rows: models.QuerySet[Any], ids: Collection[int]) -> None:
    for some in batches(ids):
        rows.filter(pk__in=some).delete()
