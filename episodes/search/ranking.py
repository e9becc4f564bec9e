"""Search results: the episodes that hold a query, best first; pages, feeds and exports all use this order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from .engine import (
    FACT,
    IDS,
    NO_IDS,
    NONE,
    SQL,
    PreparedQuery,
    all_rows,
    episodes_with,
    held_by_all,
    terms,
    title_phrase,
    united,
    where,
    worths,
)
from .nearest import nearest
from .terms import MOST_RANKED

OWN_WORDS = ("title", "notes", "transcript")
MOST_RESULTS = 5_000  # matches that are all ranked
MOST_TITLED, MOST_NEW = 4_000, 1_000  # of more, those with a term in the title and the newest are ranked
NEWEST = 'e.sorted_at DESC, e.podcast_id, e."order" DESC'


@dataclass(frozen=True)
class Results:
    """The ids of the listed episodes that a query finds, best first.

    Where no episode holds every term, these are the nearest ones, and `lacking` has the numbers of the terms that each
    lacks. `cut` is true where more episodes hold the query than are ranked.
    """

    asked: PreparedQuery
    ids: list[int]
    cut: bool = False
    lacking: Mapping[int, frozenset[int]] = field(default_factory=dict)

    @cached_property
    def mentioning(self) -> frozenset[int]:
        """The ids of the episodes that say every term themselves, spelled so: in title, notes or transcript."""
        asked = replace(self.asked, long_forms={})
        parts = [asked.holding(number, OWN_WORDS) for number in range(len(asked.query.terms))]
        if not parts:
            return frozenset(self.ids)
        sql = " INTERSECT ".join(f"SELECT * FROM ({statement}) own" for statement, _ in parts)
        values = [value for _, of_part in parts for value in of_part]
        if not asked.query.typed.isascii():
            alike, of_alike = where(asked.using, title__iexact=asked.query.typed)
            sql, values = f"SELECT * FROM ({sql}) all_own UNION ALL {alike}", [*values, *of_alike]
        return frozenset(pk for (pk,) in all_rows(asked.connection, sql, values))

    @property
    def near(self) -> bool:
        """True where no episode holds every term."""
        return bool(self.lacking)


def results(asked: PreparedQuery) -> Results:
    """What a query finds, in two statements; some more where nothing holds all of it."""
    matches, cut = _matches(replace(asked, looked_up=True))
    if not matches and (lacking := nearest(asked)):
        return Results(asked, list(lacking), lacking=lacking)
    ids = _ranked(replace(asked, looked_up=True), matches) if len(matches) > 1 else matches
    return Results(asked, ids, cut)


def _matches(asked: PreparedQuery) -> tuple[list[int], bool]:
    """The ids of the listed episodes that hold every term, the newest first; and whether there are more than are ranked."""
    tables, of_tables = terms(asked)
    held, of_held = _held(asked)
    statement = f"{tables} SELECT e.id FROM episodes_episode e WHERE e.listed AND {held} ORDER BY {NEWEST} LIMIT {{}}"
    values = [*of_tables, *of_held]
    rows = all_rows(asked.connection, statement.format(MOST_RESULTS + 1), values)
    if len(rows) <= MOST_RESULTS:
        return [pk for (pk,) in rows], False
    titled, of_titled = united([asked.holding(number, ["title"]) for number in asked.query.words] or [NONE])
    statement = statement.replace("WHERE e.listed", f"WHERE e.listed AND e.id IN ({titled})").format(MOST_TITLED)
    of_title = all_rows(asked.connection, statement, [*of_tables, *of_titled, *of_held])
    return list(dict.fromkeys(pk for (pk,) in (*of_title, *rows[:MOST_NEW]))), True


def _held(asked: PreparedQuery) -> SQL:
    """The condition that an episode holds the query; one without words is looked for in titles as it was typed."""
    typed = asked.query.typed
    if not asked.query.holds_words:
        sql, values = where(asked.using, title__icontains=typed)
        return f"e.id IN ({sql})", values
    sql, values = held_by_all(asked)
    if typed.isascii():
        return f"e.id IN ({sql})", values
    # The two databases and Python differ about which rare characters are letters.
    alike, of_alike = where(asked.using, title__iexact=typed)
    return f"(e.id IN ({sql}) OR e.id IN ({alike}))", [*values, *of_alike]


def _ranked(asked: PreparedQuery, ids: Sequence[int]) -> list[int]:
    """These ids with the same title first, then by the places that hold the terms, then the shorter title of those that
    hold any, then the newest."""
    typed, pieces = asked.query.typed, asked.query.pieces
    tables, of_tables = terms(asked)
    words, of_words = episodes_with(asked.connection, title_phrase(asked), ["title"]) if pieces else NONE
    numbers = range(len(asked.query.terms))[:MOST_RANKED]
    hits, of_hits = united([NO_HIT, *(part for number in numbers for part in _hits(asked, number))])
    # Each chosen episode is a hit of its own that is worth nothing, so that those without another one are scored too.
    statement = f"""
        {tables or "WITH"}{"," if tables else ""} chosen (id) AS MATERIALIZED ({IDS[asked.connection.vendor]}),
        scored AS (
            SELECT id, sum(worth) AS score, max(titled) AS titled FROM (
                SELECT DISTINCT * FROM ({hits}) hit WHERE id IN (SELECT id FROM chosen)
                UNION ALL SELECT id, -1, '', 0, 0 FROM chosen
            ) hits GROUP BY id
        )
        SELECT e.id FROM scored JOIN episodes_episode e ON e.id = scored.id ORDER BY
            CASE WHEN lower(e.title) = lower(%s) THEN 0 WHEN e.id IN ({words}) THEN 1
                WHEN replace(lower(e.title), ' ', '') = %s THEN 2 ELSE 3 END,
            scored.score DESC,
            CASE WHEN scored.titled = 1 THEN length(e.title) ELSE 0 END,
            {NEWEST}"""
    unspaced = typed.lower().replace(" ", "")
    values = [*of_tables, json.dumps(list(ids)), *of_hits, typed, *of_words, unspaced]
    return [pk for (pk,) in all_rows(asked.connection, statement, values)]


NO_HIT: SQL = ("SELECT 0 AS id, 0 AS term, '' AS place, 0 AS worth, 0 AS titled WHERE 1 = 0", [])


def _hits(asked: PreparedQuery, number: int) -> Iterator[SQL]:
    """The episodes that hold a term, by place: what it is worth there, and 1 where that is the title."""
    is_fact = asked.query.terms[number].fact is not None
    parts = [(place, rows, worth, place == "title" and not is_fact) for place, rows, worth in worths(asked, number)]
    if is_fact:
        parts.append((FACT, asked.holding(number, ["title"]), 0, True))
    for place, (sql, values), worth, titled in parts:
        columns = f"id, {number} AS term, '{place}' AS place, {worth} AS worth, {int(titled)} AS titled"
        yield f"SELECT {columns} FROM ({NO_IDS} UNION ALL {sql}) held", values
