"""Search results: the episodes that hold a query, best first; pages, feeds and exports all use this
order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..models import MONTH, EpisodeFacts, EpisodeQuerySet
from .engine import FACT, PLACES, PreparedQuery, episodes, title_phrase
from .nearest import nearest
from .passages import closeness_in
from .terms import MOST_RANKED

MOST_RESULTS = 5_000  # the best that are listed
# Of a catalog with more episodes than this, so many of the newest are looked through first: a word
# that many of them hold is held by far more episodes than anybody reads.
LARGE, SAMPLE = 50_000, 5_000
TOGETHER = 32  # what it is worth that words are: as much as a word of the title
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
    the terms that each lacks. `cut` is true where more episodes hold the query than these.
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


def results(asked: PreparedQuery, size: int = 0) -> Results:
    """What a query finds in a catalog of about so many episodes, best first.

    Where far more hold it than anybody reads, only what is among the newest; where none holds all
    of it, the nearest.
    """
    newest = None
    if size > LARGE:
        newest = _newest(episodes(asked.using).listed())
        sample = _ranked(asked, newest)
        if len(sample) * size > 2 * MOST_RESULTS * SAMPLE:
            return Results(asked, sample, True)
    if found := _ranked(asked):
        return Results(asked, found[:MOST_RESULTS], len(found) > MOST_RESULTS)
    lacking = nearest(asked, newest)
    by_id = {row.pk: row for row in episodes(asked.using).among(lacking).facts()}
    return Results(asked, [by_id[pk] for pk in lacking], lacking=lacking)


def newest_results(asked: PreparedQuery, among: EpisodeQuerySet, size: int) -> Results:
    """What a query finds in the newest of some episodes, of which there are about so many."""
    return Results(asked, _ranked(asked, _newest(among)), size > SAMPLE)


def _newest(among: EpisodeQuerySet) -> EpisodeQuerySet:
    return among.newest_first(one_show=False)[:SAMPLE]


def _ranked(asked: PreparedQuery, among: EpisodeQuerySet | None = None) -> list[EpisodeFacts]:
    """The listed episodes that hold a query, in one statement; one more than are listed at most.

    Those with the same title come first, then by the places that hold the terms, then the shorter
    title of those that hold any, then the newest.
    """
    typed = asked.query.typed
    score = " + ".join(f"{worth} * ({_held(places)})" for worth, places in WORTH)
    (titles,) = asked.lookups(["title"], 0, pooled=among is not None)
    statement = f""",
        held (id, term, places) AS (
            SELECT id, term, sum(DISTINCT CASE exact WHEN 1 THEN {VERY_TITLE} ELSE place END)
            FROM hits GROUP BY id, term
        ),
        scored (id, score, titled, said) AS (
            SELECT id, sum({score}) FILTER (WHERE term < {MOST_RANKED}), max({_held(PLACES["title"])}),
                sum(CASE places WHEN {PLACES["transcript"]} THEN 1 ELSE 0 END)
            FROM held GROUP BY id HAVING count(*) = {len(asked.query.terms)}
        )
        SELECT e.id, {MONTH[asked.vendor].format("e.published_at")}, e.duration_seconds, e.podcast_id,
            CASE WHEN lower(e.title) = lower(%s) THEN 0
                WHEN e.id IN (SELECT row_id FROM ({titles}) titles) THEN 1
                WHEN replace(lower(e.title), ' ', '') = %s THEN 2 ELSE 3 END AS named,
            score, said
        FROM scored CROSS JOIN episodes_episode e WHERE e.id = scored.id AND e.listed
        ORDER BY named, score DESC, CASE titled WHEN 1 THEN length(e.title) ELSE 0 END,
            e.sorted_at DESC, e.podcast_id, e."order" DESC
        LIMIT {MOST_RESULTS + 1}"""
    values = [typed, title_phrase(asked), typed.lower().replace(" ", "")]
    rows = asked.rows(statement, values, exact=["title"], among=among)
    return [EpisodeFacts(*row[:4]) for row in _together_first(asked, rows)]


def _together_first(asked: PreparedQuery, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The episodes with those first that say words together which only their transcripts hold: in
    a long text many words occur somewhere."""
    close = closeness_in(asked, [pk for pk, *_, said in rows if said])

    def rank(row: tuple[Any, ...]) -> tuple[int, float]:
        pk, *_, named, score, said = row
        together = close.get(pk, 0) if said else 1
        return named, -(score + TOGETHER * together)

    return sorted(rows, key=rank)


def _held(places: int) -> str:
    """1 where one of these places holds a term, else 0."""
    return f"CASE WHEN places & {places} > 0 THEN 1 ELSE 0 END"
