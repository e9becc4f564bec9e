"""Statements that are compiled once a process: Django takes ten times as long to compile one as a database to answer it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import DateTimeField, Model, QuerySet

from .querysets import read_from

Make = Callable[..., QuerySet[Any, Any]]
Row = Sequence[Any]
NUMBER, TEXT = 2_000_000_000, "\ue000"  # what stands for a value while a queryset is compiled
LISTS = (list, tuple, set, frozenset)
Place = tuple[int | None, Any]  # the number of the value that belongs there, or None and the value itself
JSON_ROWS = {
    "sqlite": "json_group_array(json_array({}))",
    "postgresql": "CAST(coalesce(json_agg(json_build_array({})), '[]') AS text)",
}


class Statement:
    """A queryset of some values: `Statement(lambda ids: Episode.objects.filter(pk__in=ids))` is called with ids.

    A value is a number, a text, or a list of either; a list is of at least one. Nothing is prefetched.
    """

    def __init__(self, make: Make) -> None:
        self.make = make
        self._compiled: Compiled | None = None

    def __call__(self, *values: Any) -> list[Any]:
        if self._compiled is None:
            self._compiled = Compiled(self.make, values)
            _check(self._compiled.places, values)
        compiled, connection = self._compiled, read_from(self._compiled.queryset.model)
        rows = _answer(connection, compiled.sql, compiled.places, values)
        return compiled.given(rows, compiled.converters, connection)

    def first(self, *values: Any) -> Any:
        """The first row; None where there is none."""
        return next(iter(self(*values)), None)


class Together:
    """Querysets of the same values in one statement, which gives the rows of each by its name, in no order:
    `Together(chapters=…, credits=…)(pk)["chapters"]`."""

    def __init__(self, **parts: Make) -> None:
        self.parts = parts
        self._compiled: dict[str, Compiled] = {}
        self._sql = ""
        self._places: Sequence[Place] = ()

    def __call__(self, *values: Any) -> dict[str, list[Any]]:
        if not self._compiled:
            compiled = {name: Compiled(make, values) for name, make in self.parts.items()}
            self._sql = " UNION ALL ".join(part.as_json(n) for n, part in enumerate(compiled.values()))
            self._places = [place for part in compiled.values() for place in part.places]
            _check(self._places, values)
            self._compiled = compiled
        connection = read_from(next(iter(self._compiled.values())).queryset.model)
        texts = dict(_answer(connection, self._sql, self._places, values))
        return {
            name: part.given(json.loads(texts[n]), part.json_converters, connection)
            for n, (name, part) in enumerate(self._compiled.items())
        }


def fetched(row: Model, name: str, related: list[Any]) -> None:
    """Give a row its related rows, as `prefetch_related` does."""
    vars(row).setdefault("_prefetched_objects_cache", {})[name] = related


class Compiled:
    """The SQL of a queryset, what belongs in its places, and the way from rows to what the queryset gives."""

    def __init__(self, make: Make, values: Row) -> None:
        marks = [_mark(n, value) for n, value in enumerate(values)]
        given = ([mark] if isinstance(value, LISTS) else mark for mark, value in zip(marks, values, strict=True))
        self.queryset = make(*given)
        connection = read_from(self.queryset.model)
        compiler = self.queryset.query.get_compiler(connection=connection)
        self.sql, params = compiler.as_sql(with_col_aliases=True)
        self.places: list[Place] = [(marks.index(one), None) if one in marks else (None, one) for one in params]
        self.select, self.klass_info = compiler.select, compiler.klass_info
        self.annotation_col_map = compiler.annotation_col_map
        columns = [column for column, _, _ in compiler.select]
        self.converters = list(compiler.get_converters(columns).items())
        dates = [n for n, column in enumerate(columns) if isinstance(column.output_field, DateTimeField)]
        self.as_rows = _as_rows(connection, compiler)
        # PostgreSQL gives JSON as values, and instants in JSON as text; SQLite gives text for both, here as there.
        on_sqlite = connection.vendor == "sqlite"
        self.json_converters = self.converters if on_sqlite else [(n, ([_instant], columns[n])) for n in dates]

    def as_json(self, n: int) -> str:
        """The SQL that gives the number and all rows as JSON, in one row: after each that is read other threads may run."""
        return f"SELECT {n}, {self.as_rows} FROM ({self.sql}) AS rows_{n}"

    def given(self, rows: list[Row], converters: Sequence[Any], connection: BaseDatabaseWrapper) -> list[Any]:
        """What the queryset gives for these rows, which came over this connection."""
        iterable: Any = self.queryset._iterable_class
        return rows and list(iterable(_Answered(self, _converted(rows, converters, connection), connection.alias)))


class _Answered:
    """What Django's iterables take for a queryset, for its query, and for a compiler that has executed it."""

    _known_related_objects: ClassVar[dict[Any, Any]] = {}

    def __init__(self, compiled: Compiled, rows: Iterator[Row], database: str) -> None:
        self.query, self.rows, self.db = self, rows, database
        self.select, self.klass_info = compiled.select, compiled.klass_info
        self.annotation_col_map = compiled.annotation_col_map

    def get_compiler(self, *args: Any, **options: Any) -> _Answered:
        return self

    def execute_sql(self, **options: Any) -> None:
        """It was executed before."""

    def results_iter(self, *args: Any, **options: Any) -> Iterator[Row]:
        return self.rows


def _as_rows(connection: BaseDatabaseWrapper, compiler: Any) -> str:
    """The SQL that makes JSON of all rows of a statement."""
    names = (connection.ops.quote_name(alias) for _, _, alias in compiler.select)
    return JSON_ROWS[connection.vendor].format(", ".join(names))


def _answer(connection: BaseDatabaseWrapper, sql: str, places: Sequence[Place], values: Row) -> list[Any]:
    """What the database answers for these values."""
    first, *rest = sql.split("%s")
    text, params = [first], []
    for (n, constant), piece in zip(places, rest, strict=True):
        value = constant if n is None else values[n]
        several = list(value) if isinstance(value, LISTS) else [value]
        params += several
        text += [", ".join(["%s"] * len(several)), piece]
    with connection.cursor() as cursor:
        cursor.execute("".join(text), params)
        rows: list[Any] = cursor.fetchall()
    return rows


def _converted(rows: Iterable[Row], converters: Sequence[Any], connection: BaseDatabaseWrapper) -> Iterator[Row]:
    for row in map(list, rows):
        for place, (functions, expression) in converters:
            for function in functions:
                row[place] = function(row[place], expression, connection)
        yield tuple(row)


def _instant(value: str | None, *others: Any) -> datetime | None:
    return datetime.fromisoformat(value) if value else None


def _check(places: Sequence[Place], values: Row) -> None:
    if missing := set(range(len(values))) - {n for n, _ in places}:
        raise ValueError(f"The statement does not take the values {missing} as they are, as `LIKE` does not.")


def _mark(n: int, value: Any) -> int | str:
    one = next(iter(value)) if isinstance(value, LISTS) else value
    return f"{TEXT}{n}" if isinstance(one, str) else NUMBER + n
