"""Makes a catalog several times as large: each of its shows again as further shows, row by row in SQL.

A row of a show gets the ids of its copy by adding a number for each table; rows that shows share (topics, links, names of
code, people) stay one. The search index is kept by its triggers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models, transaction

from episodes.models import Episode, FormerAddress, Podcast, Source, raise_version
from episodes.resolve.apply_statistics import LARGE, renew_statistics

HOURS = 31  # by which each further copy of a show is older
# What no two shows may have in common, and the copies' own dates; `{n}` is the number of the copy.
OWN = {
    Podcast: {
        "slug": "slug || '-{n}'",
        "title": "title || ' {n}'",
        "feed_url": "replace(feed_url, '.example', '-{n}.example')",
    },
    Source: {"address": "replace(address, '.example', '-{n}.example')"},
    Episode: {"slug": "slug || '-{n}'", "published_at": "OLDER", "sorted_at": "OLDER"},
    FormerAddress: {"slug": "slug || '-{n}'"},
}
OLDER = {
    "sqlite": "strftime('%Y-%m-%d %H:%M:%S', {column}, '-{hours} hours')",
    "postgresql": "{column} - interval '{hours} hours'",
}
QUICK = ("synchronous = OFF", "foreign_keys = OFF", "cache_size = -400000", "temp_store = MEMORY")


def copy(times: int) -> None:
    """Have every show `times` times in all."""
    tables = of_shows()
    steps = {model: _next_id(model) for model in tables}
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for setting in QUICK:
                cursor.execute(f"PRAGMA {setting}")
        for model in tables:
            with transaction.atomic():
                for number in range(1, times):
                    cursor.execute(_statement(model, steps, number))
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)
    raise_version()
    renew_statistics(LARGE)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def of_shows() -> list[type[models.Model]]:
    """The models whose rows belong to one show, each behind those that it points to."""
    found: list[type[models.Model]] = [Podcast]
    known = list(apps.get_app_config("episodes").get_models(include_auto_created=True))
    while more := [model for model in known if model not in found and _points_to(model, found)]:
        found += more
    return sorted(found, key=lambda model: _depth(model, found))


def _points_to(model: type[models.Model], found: list[type[models.Model]]) -> bool:
    return any(other in found for field, other in _parents(model) if not field.null)


def _parents(model: type[models.Model]) -> Iterator[tuple[models.ForeignKey[Any, Any], type[models.Model]]]:
    for field in model._meta.concrete_fields:
        if isinstance(field, models.ForeignKey):
            yield field, field.remote_field.model


def _depth(model: type[models.Model], found: list[type[models.Model]]) -> int:
    return 1 + max(
        (_depth(other, found) for _, other in _parents(model) if other in found and other != model), default=0
    )


def _next_id(model: type[models.Model]) -> int:
    return int(model._default_manager.aggregate(last=models.Max("pk"))["last"] or 0) + 1


def _statement(model: type[models.Model], steps: dict[type[models.Model], int], number: int) -> str:
    fields = [field for field in model._meta.concrete_fields if not field.generated]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    values = ", ".join(_value(model, field, steps, number) for field in fields)
    table, key = model._meta.db_table, model._meta.pk.column
    return f'INSERT INTO "{table}" ({columns}) SELECT {values} FROM "{table}" WHERE "{key}" < {steps[model]}'


def _value(
    model: type[models.Model], field: models.Field[Any, Any], steps: dict[type[models.Model], int], number: int
) -> str:
    column = f'"{field.column}"'
    step = _step(model, field, steps)
    if step:
        return f"{column} + {step * number}"
    own = OWN.get(model, {}).get(field.name, column)
    if own == "OLDER":
        return OLDER[connection.vendor].format(column=column, hours=HOURS * number)
    if model is Podcast and field.name == "rank":
        return f"{column} + {steps[Podcast] * number}"
    return own.replace("{n}", str(number + 1))


def _step(model: type[models.Model], field: models.Field[Any, Any], steps: dict[type[models.Model], int]) -> int:
    if isinstance(field, models.ForeignKey):
        return steps.get(field.remote_field.model, 0)
    return steps[model] if field.primary_key else 0
