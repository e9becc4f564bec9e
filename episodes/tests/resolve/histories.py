"""The tables of the catalog and the exports, to compare two states of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.apps import apps
from django.db import models

from episodes.models import EntryReading, EpisodeCount, Podcast
from episodes.outputs import catalog_json, dump_csv, dump_rss

CATALOG: list[type[models.Model]] = [
    *(model for model in apps.get_app_config("episodes").get_models() if model.__module__.endswith(".models.catalog")),
    EpisodeCount,
]
CATALOG.remove(EntryReading)  # a removed show keeps its readings until a rebuild
# The column that identifies a row of a model, whatever its id.
NATURAL = {"Episode": "slug", "WithdrawnEpisode": "slug", "Link": "key", "Person": "identity", "CodeName": "name"}
Tables = dict[str, list[str]]
EXPORTS = (catalog_json.dump_json, dump_csv, dump_rss)


def catalog_tables(*, but: tuple[str, ...] = ()) -> Tables:
    shows = list(Podcast.objects.order_by("slug"))
    tables = {model.__name__: _rows(model) for model in CATALOG if model.__name__ not in but}
    return {dump.__module__: dump(shows).splitlines() for dump in EXPORTS} | tables


def _rows(model: type[models.Model]) -> list[str]:
    names = [_column(field) for field in model._meta.concrete_fields if field is not model._meta.auto_field]
    rows = model._default_manager.order_by().values_list(*names)
    return sorted(repr([_with_sorted_keys(value) for value in row]) for row in rows)


def _with_sorted_keys(value: object) -> object:
    """Return a value with sorted keys, as the keys of JSON have no order."""
    return sorted(value.items()) if isinstance(value, dict) else value


def _column(field: models.Field[Any, Any]) -> str:
    natural = NATURAL.get(field.related_model.__name__) if field.related_model else None
    return f"{field.name}__{natural}" if natural else field.attname


def differences(before: Tables, after: Tables) -> dict[str, tuple[list[str], list[str]]]:
    both = {name: (Counter(rows), Counter(after[name])) for name, rows in before.items() if rows != after[name]}
    return {name: (sorted((was - now).elements()), sorted((now - was).elements())) for name, (was, now) in both.items()}
