"""The nearest episodes to a query, where none holds all of it: those that hold most of what it asks, the rarer the better."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import log2
from typing import TYPE_CHECKING

from .engine import FACT, SQL, Form, PreparedQuery, all_rows, search

if TYPE_CHECKING:
    from ..models import EpisodeQuerySet

MOST_NEAREST = 50
MOST_SOUGHT = 6  # terms, the rarest
# What a term is worth by the best place that holds it.
WORTH = (("title", FACT), 8), (("topic", "name", "person"), 4), (("notes", "link", "chapter", "transcript"), 3)
LESS = {Form.EXACT: 0, Form.ANY: 1, Form.BEGUN: 2}
SHARE = 0.5  # of the best that is found, to be shown at all


def relaxed(asked: PreparedQuery, found: EpisodeQuerySet) -> PreparedQuery:
    """The query, asking for the nearest episodes where none of these holds all of it: at most three statements."""
    if len(asked.query.terms) < 2 or search(found, asked).exists():
        return asked
    sought = _rarest(asked)
    if not sought:
        return asked
    rows = all_rows(asked.connection, *_best(asked, sought))
    least = max((score for _, score, _ in rows), default=0) * SHARE
    nearest = {pk: _numbers(held) for pk, score, held in rows if score >= least}
    return replace(asked, nearest=nearest or None)


def _rarest(asked: PreparedQuery) -> dict[int, int]:
    """Of the terms that some episode holds the rarest, each with what it weighs."""
    parts = [asked.holding(number) for number in range(len(asked.query.terms))]
    counts = ", ".join(f"(SELECT count(DISTINCT id) FROM episodes_episode WHERE id IN ({sql}))" for sql, _ in parts)
    (held,) = all_rows(asked.connection, f"SELECT {counts}", [value for _, values in parts for value in values])
    rarest = sorted((count, number) for number, count in enumerate(held) if count)[:MOST_SOUGHT]
    return {number: round(10 * log2(2 + rarest[-1][0] / count)) for count, number in rarest}


def _best(asked: PreparedQuery, sought: dict[int, int]) -> SQL:
    """Id, score and terms (as bits) of the episodes with the highest scores."""
    parts = [part for number, weight in sought.items() for part in _places(asked, number, weight)]
    hits = " UNION ALL ".join(sql for sql, _ in parts)
    sql = (
        f"SELECT e.id, sum(t.worth) AS score, sum(t.bit) AS held FROM "
        f"(SELECT id, bit, max(worth) AS worth FROM ({hits}) hit GROUP BY id, bit) t "
        f"JOIN episodes_episode e ON e.id = t.id WHERE e.listed "
        f'GROUP BY e.id, e.podcast_id, e."order" ORDER BY score DESC, e.podcast_id DESC, e."order" DESC LIMIT {MOST_NEAREST}'
    )
    return sql, [value for _, values in parts for value in values]


def _places(asked: PreparedQuery, number: int, weight: int) -> Iterator[SQL]:
    for kinds, worth in WORTH:
        for form, less in LESS.items():
            yield _hits(asked.holding(number, kinds, form), number, weight * (worth - less))


def _hits(rows: SQL, number: int, worth: int) -> SQL:
    sql, values = rows
    # A union takes the name of its column from its first part.
    return (
        f"SELECT id, {1 << number} AS bit, {worth} AS worth FROM (SELECT 0 AS id WHERE 1 = 0 UNION ALL {sql}) held",
        values,
    )


def _numbers(bits: int) -> frozenset[int]:
    return frozenset(number for number in range(bits.bit_length()) if bits >> number & 1)
