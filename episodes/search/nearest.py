"""The nearest episodes to a query, where none holds all of it: those that hold most of what it asks, the rarer the better.

The topics that a query would be given, were it an episode's title, count too: they know words that no episode uses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import log2

from django.apps import apps

from ..notes import TopicRule, tag
from .engine import FACT, NO_IDS, SQL, PreparedQuery, all_rows, united

MOST_NEAREST = 50
MOST_SOUGHT = 5  # terms, the rarest
# What a term is worth by the best place that holds it, and how much less where that holds another form of it.
WORTH = (("title", FACT), 8), (("topic", "name", "person"), 4), (("notes", "link", "chapter", "transcript"), 3)
OTHER_FORM = 2
TOPIC = 2
RARITY = 10  # the weight of the most common term
BEHIND = 2  # times as high a score has the best at most


def nearest(asked: PreparedQuery) -> dict[int, frozenset[int]]:
    """The ids of the nearest listed episodes to a query that none holds, best first, each with the numbers of the terms
    that it lacks."""
    if len(asked.query.terms) < 2:
        return {}
    counts = _counts(asked)
    weights = _weights(counts)
    rows = all_rows(asked.connection, *_best(asked, weights, _topics(asked)))
    sought = [number for number, count in enumerate(counts) if number in weights or not count]
    return {
        pk: frozenset(number for number in sought if not int(held) >> number & 1)
        for pk, score, held in rows
        if BEHIND * int(score) >= int(rows[0][1])
    }


def _counts(asked: PreparedQuery) -> list[int]:
    """How many episodes hold each term."""
    held = [asked.holding(number) for number in range(len(asked.query.terms))]
    parts = [(f"SELECT {n} AS term, id FROM ({NO_IDS} UNION ALL {sql}) held", v) for n, (sql, v) in enumerate(held)]
    each, of_each = united(parts)
    counts = dict(all_rows(asked.connection, f"SELECT term, count(DISTINCT id) FROM ({each}) t GROUP BY term", of_each))
    return [counts.get(number, 0) for number in range(len(held))]


def _weights(counts: list[int]) -> dict[int, int]:
    """The rarest of the terms that some episode holds, each with its weight."""
    rarest = sorted((count, number) for number, count in enumerate(counts) if count)[:MOST_SOUGHT]
    return {number: round(RARITY * log2(2 + rarest[-1][0] / count)) for count, number in rarest}


def _topics(asked: PreparedQuery) -> list[int]:
    """The topics of a query, read as if it were an episode's title."""
    topics = apps.get_model("episodes", "Topic")._default_manager.using(asked.using)
    rows = {
        slug: (pk, aliases, rules) for pk, slug, aliases, rules in topics.values_list("pk", "slug", "aliases", "rules")
    }
    given = [TopicRule.from_fields(slug, aliases, rules) for slug, (_, aliases, rules) in rows.items()]
    typed = asked.query.typed
    return [rows[found.topic][0] for found in tag(typed, typed, (), (), given)]


def _best(asked: PreparedQuery, weights: Mapping[int, int], topics: Collection[int]) -> SQL:
    """Id, score and terms (as bits) of the episodes with the highest scores."""
    hits = [part for number, weight in weights.items() for part in _hits(asked, number, weight)]
    hits.append(_of_topics(topics, 1 << len(asked.query.terms), max(weights.values(), default=RARITY)))
    rows, values = united(hits)
    sql = (
        f"SELECT e.id, sum(best.worth) AS score, sum(best.bit) AS held "
        f"FROM (SELECT id, bit, max(worth) AS worth FROM ({rows}) hit GROUP BY id, bit) best "
        f"JOIN episodes_episode e ON e.id = best.id WHERE e.listed "
        f'GROUP BY e.id, e.podcast_id, e."order" ORDER BY score DESC, e.podcast_id DESC, e."order" DESC LIMIT {MOST_NEAREST}'
    )
    return sql, values


def _hits(asked: PreparedQuery, number: int, weight: int) -> Iterator[SQL]:
    for kinds, worth in WORTH:
        for exact, less in ((True, 0), (False, OTHER_FORM)):
            rows, values = asked.holding(number, kinds, exact=exact)
            yield (
                f"SELECT id, {1 << number} AS bit, {weight * (worth - less)} AS worth FROM ({NO_IDS} UNION ALL {rows}) held",
                values,
            )


def _of_topics(topics: Collection[int], bit: int, weight: int) -> SQL:
    among = ", ".join(map(str, topics)) or "0"
    return (
        f"SELECT episode_id AS id, {bit} AS bit, sum(CASE field WHEN 'title' THEN 2 ELSE 1 END) * {weight * TOPIC} AS worth "
        f"FROM episodes_episodetopic WHERE topic_id IN ({among}) GROUP BY episode_id",
        [],
    )
