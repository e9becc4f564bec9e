"""Search results: the episodes that hold a query, best first; pages, feeds and exports all use this order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from django.db.models.expressions import RawSQL

from .engine import FACT, IDS, PreparedQuery, episodes, holding, lookup, title_phrase
from .nearest import nearest
from .terms import MOST_RANKED

OWN_WORDS = ("title", "notes", "transcript")
MOST_RESULTS = 5_000  # matches that are all ranked
MOST_TITLED, MOST_NEW = 4_000, 1_000  # of more, those with a term in the title and the newest are ranked
# What a term is worth where it is held, 1 where it is spelled so: more than in all lesser places together. A title that
# holds the very word, not one that begins so, counts twice. Places of one name count once for a term.
WORTH = (
    # place, exact, name, worth, whether that is the title
    ("title", 0, "title", 32, 1),
    ("title", 1, "very title", 32, 1),
    (FACT, 1, "title", 32, 0),
    ("subject", 0, "subject", 8, 0),
    ("topic", 0, "topic", 8, 0),
    ("name", 0, "named", 4, 0),
    ("person", 0, "named", 4, 0),
    ("notes", 0, "said", 2, 0),
    ("link", 0, "said", 2, 0),
    ("chapter", 0, "said", 2, 0),
    ("transcript", 0, "transcript", 1, 0),
)
AS_TYPED = 3  # a name of code, spelled with all its signs


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
        own = holding(episodes(self.asked.using), replace(self.asked, long_forms={}), OWN_WORDS)
        return frozenset(own.values_list("pk", flat=True))

    @property
    def near(self) -> bool:
        """True where no episode holds every term."""
        return bool(self.lacking)


def results(asked: PreparedQuery) -> Results:
    """What a query finds, in two statements; some more where nothing holds all of it, or very many episodes do."""
    found = holding(episodes(asked.using).listed(), asked).newest_first(one_show=False).values_list("pk", flat=True)
    ids = list(found[: MOST_RESULTS + 1])
    cut = len(ids) > MOST_RESULTS
    if cut:
        titled = found.filter(pk__in=RawSQL(*asked.over_hits("SELECT id FROM hits WHERE place = 'title'")))[
            :MOST_TITLED
        ]
        ids = list(dict.fromkeys([*titled, *ids[:MOST_NEW]]))
    if not ids and (lacking := nearest(asked)):
        return Results(asked, list(lacking), lacking=lacking)
    return Results(asked, _ranked(asked, ids) if len(ids) > 1 else ids, cut)


def _ranked(asked: PreparedQuery, ids: list[int]) -> list[int]:
    """These ids with the same title first, then by the places that hold the terms, then the shorter title of those that
    hold any, then the newest."""
    typed = asked.query.typed
    signed = [
        (n, t.typed) for n, t in enumerate(asked.query.terms[:MOST_RANKED]) if not t.typed.replace(" ", "").isalnum()
    ]
    as_typed = f"""
        UNION ALL SELECT DISTINCT m.episode_id, {{}}, 'as typed', {AS_TYPED}, 0
        FROM episodes_codemention m JOIN episodes_codename n ON n.id = m.name_id
        WHERE lower(n.name) = lower(%s) AND m.episode_id IN (SELECT id FROM chosen)"""
    statement = f""",
        chosen (id) AS MATERIALIZED ({IDS[asked.vendor]}),
        worths (place, exact, name, worth, titled) AS (VALUES {", ".join(map(str, WORTH))}),
        scored AS (
            SELECT id, sum(worth) AS score, max(titled) AS titled FROM (
                SELECT id, term, name, max(worth) AS worth, max(titled) AS titled
                FROM hits CROSS JOIN worths  -- SQLite goes through hits first
                WHERE worths.place = hits.place AND worths.exact = hits.exact AND term < {MOST_RANKED}
                    AND id IN (SELECT id FROM chosen)
                GROUP BY id, term, name
                UNION ALL SELECT id, 0, '', 0, 0 FROM chosen
                {"".join(as_typed.format(number) for number, _ in signed)}
            ) parts GROUP BY id
        )
        SELECT e.id FROM scored JOIN episodes_episode e ON e.id = scored.id ORDER BY
            CASE WHEN lower(e.title) = lower(%s) THEN 0
                WHEN e.id IN (SELECT row_id FROM ({lookup(asked.vendor, ["title"], 0)}) titles) THEN 1
                WHEN replace(lower(e.title), ' ', '') = %s THEN 2 ELSE 3 END,
            scored.score DESC,
            CASE WHEN scored.titled = 1 THEN length(e.title) ELSE 0 END,
            e.sorted_at DESC, e.podcast_id, e."order" DESC"""
    values = [
        json.dumps(ids),
        *(name for _, name in signed),
        typed,
        title_phrase(asked),
        typed.lower().replace(" ", ""),
    ]
    return [pk for (pk,) in asked.rows(statement, values, exact=["title"])]
