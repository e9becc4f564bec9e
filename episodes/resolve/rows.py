"""Makes rows of the catalog what they should be: adds, changes and deletes only what differs."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from django.db import models

from ..models import batches

BATCH = 500
Key = tuple[Any, ...]


def sync(
    model: type[models.Model],
    key: tuple[str, ...],
    wanted: Mapping[Key, dict[str, Any]],
    scope: Mapping[str, Any],
    *,
    keep_others: bool = False,
) -> set[Key]:
    """Make the rows of `scope` those that are wanted, by their key, and give the keys of those that
    came, changed or went.

    Rows that are right already are not touched, and of others only the columns that differ: an
    update of all columns costs ten times as much.
    """
    manager = model._default_manager
    names = list(next(iter(wanted.values()), {}))
    # All at once: to ask for each row takes longer than to compare them.
    rows = manager.filter(**scope).order_by().values_list("pk", *key, *names)
    there = {row[1 : len(key) + 1]: (row[0], row[len(key) + 1 :]) for row in rows}
    gone = set() if keep_others else there.keys() - wanted.keys()
    delete(manager.all(), [there[values][0] for values in gone])
    touched, made = set(gone), []
    changed: dict[tuple[str, ...], list[models.Model]] = defaultdict(list)
    for values, fields in wanted.items():
        pk, stored = there.get(values, (None, ()))
        differing = tuple(n for n, old in zip(names, stored, strict=False) if fields[n] != old)
        if pk is None:
            made.append(model(**dict(zip(key, values, strict=True)), **fields))
        elif differing:
            changed[differing].append(model(pk=pk, **fields))
        else:
            continue
        touched.add(values)
    # One statement for each set of columns, most often one or two.
    for differing, own in changed.items():
        manager.bulk_update(own, differing, batch_size=BATCH)
    manager.bulk_create(made, batch_size=BATCH)
    return touched


def ids_of(model: type[models.Model], field: str, values: Collection[str]) -> dict[str, int]:
    """The ids of the rows that have these values, by value."""
    found: dict[str, int] = {}
    for some in batches(values):
        rows = model._default_manager.filter(**{f"{field}__in": some})
        found |= rows.order_by().values_list(field, "pk")
    return found


def all_ids(
    model: type[models.Model], field: str, wanted: Mapping[str, Mapping[str, Any]]
) -> dict[str, int]:
    """The ids of the rows with these values, by value; those that are missing are made, with the
    other columns that are given for them."""
    there = ids_of(model, field, wanted)
    made = [model(**{field: key}, **own) for key, own in wanted.items() if key not in there]
    rows = model._default_manager.bulk_create(made, batch_size=BATCH)
    return there | {getattr(row, field): row.pk for row in rows}


def delete(rows: models.QuerySet[Any], ids: Collection[int]) -> None:
    for some in batches(ids):
        rows.filter(pk__in=some).delete()
