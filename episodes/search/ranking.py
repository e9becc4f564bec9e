"""Search results: the episodes that hold a query, best first; pages, feeds and exports all use this
order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..models import EpisodeFacts
from .engine import FACT, PLACES, PreparedQuery, episodes, lookup, title_phrase
from .nearest import nearest
from .terms import MOST_RANKED

MOST_RESULTS = 5_000  # matches that are all ranked
MOST_TITLED, MOST_NEW = (
    4_000,
    1_000,
)  # of more, those with a term in the title and the newest are ranked
# Beside the places of the index: a title with the very word, not one that begins so.
VERY_TITLE = 2 * max(PLACES.values())
# What a term is worth where it is held: more than in all lesser places together. Places of one line
# count once for a term.
WORTH = (
    (32, PLACES["title"] | PLACES[FACT]),
    (32, VERY_TITLE),
    (8, PLACES["subject"]),
    (8, PLACES["subject"] | PLACES["topic"]),
    (4, PLACES["name"] | PLACES["person"]),
    (2, PLACES["notes"] | PLACES["link"] | PLACES["chapter"]),
    (1, PLACES["transcript"]),
)


@dataclass(frozen=True)
class Results:
    """The listed episodes that a query finds with what is counted of them, best first.

    Where no episode holds every term, these are the nearest ones, and `lacking` has the numbers of
    the terms that each lacks. `cut` is true where more episodes hold the query than are ranked.
    """

    asked: PreparedQuery
    rows: list[EpisodeFacts]
    cut: bool = False
    lacking: Mapping[int, frozenset[int]] = field(default_factory=dict)

    @cached_property
    def ids(self) -> list[int]:
        return [row.pk for row in self.rows]

    @property
    def near(self) -> bool:
        """True where no episode holds every term."""
        return bool(self.lacking)


def results(asked: PreparedQuery) -> Results:
    """What a query finds, in one statement; in three more where nothing holds all of it.

    Those with the same title come first, then by the places that hold the terms, then the shorter
    title of those that hold any, then the newest.
    """
    typed = asked.query.typed
    score = " + ".join(f"{worth} * ({_held(places)})" for worth, places in WORTH)
    newest_first = 'sorted_at DESC, podcast_id, "order" DESC'
    statement = f""",
        held (id, term, places) AS (
            SELECT id, term, sum(DISTINCT CASE exact WHEN 1 THEN {VERY_TITLE} ELSE place END)
            FROM hits GROUP BY id, term
        ),
        scored (id, score, titled) AS (
            SELECT id, sum({score}) FILTER (WHERE term < {MOST_RANKED}), max({_held(PLACES["title"])})
            FROM held GROUP BY id HAVING count(*) = {len(asked.query.terms)}
        ),
        found AS MATERIALIZED (
            SELECT e.id, e.title, e.published_at, e.duration_seconds, e.sorted_at, e.podcast_id,
                e."order", score, titled
            FROM scored CROSS JOIN episodes_episode e WHERE e.id = scored.id AND e.listed
        ),
        matches (most) AS MATERIALIZED (SELECT count(*) FROM found)
        SELECT id, published_at, duration_seconds, podcast_id, most > {MOST_RESULTS} FROM found CROSS JOIN matches
        WHERE most <= {MOST_RESULTS}
            OR id IN (SELECT id FROM found WHERE titled = 1 ORDER BY {newest_first} LIMIT {MOST_TITLED})
            OR id IN (SELECT id FROM found ORDER BY {newest_first} LIMIT {MOST_NEW})
        ORDER BY
            CASE WHEN lower(title) = lower(%s) THEN 0
                WHEN id IN (SELECT row_id FROM ({lookup(asked.vendor, ["title"], 0)}) titles) THEN 1
                WHEN replace(lower(title), ' ', '') = %s THEN 2 ELSE 3 END,
            score DESC, CASE titled WHEN 1 THEN length(title) ELSE 0 END, {newest_first}"""
    values = [typed, title_phrase(asked), typed.lower().replace(" ", "")]
    found = asked.rows(statement, values, exact=["title"])
    if not found:
        lacking = nearest(asked)
        by_id = {row.pk: row for row in episodes(asked.using).among(lacking).facts()}
        return Results(asked, [by_id[pk] for pk in lacking], lacking=lacking)
    # SQLite gives a date as text, PostgreSQL as a date.
    rows = [EpisodeFacts(pk, str(at or "")[:7], *others) for pk, at, *others, _ in found]
    return Results(asked, rows, bool(found[0][-1]))


def _held(places: int) -> str:
    """1 where one of these places holds a term, else 0."""
    return f"CASE WHEN places & {places} > 0 THEN 1 ELSE 0 END"
