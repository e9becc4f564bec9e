"""The nearest episodes to a query, where none holds all of it: those that hold most of it, the
rarer the better.

The topics that a query would be given, were it an episode's title, count too: they know words that
no episode uses.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

from django.apps import apps

from ..notes import TopicRule, tag
from .engine import FACT, KINDS, PLACES, PreparedQuery, chosen

if TYPE_CHECKING:
    from ..models import EpisodeQuerySet

MOST_NEAREST = 50
MOST_SOUGHT = 5  # terms, the rarest
# The worth of a term by the best place that holds it, and how much less where that holds another
# form of it.
WORTH = {
    FACT: 10,
    "title": 7,
    **dict.fromkeys(("subject", "topic", "name", "person"), 4),
    **dict.fromkeys(("notes", "link", "chapter", "transcript"), 3),
}
OTHER_FORM = 2
TOPIC = 1
RARITY = 10  # the weight of the most common term
BEHIND = 3  # times as high a score has the best at most


def nearest(
    asked: PreparedQuery, among: EpisodeQuerySet | None = None
) -> dict[int, frozenset[int]]:
    """The ids of the nearest listed episodes to a query that none holds, best first, each with the
    numbers of the terms that it lacks; with `among` of these episodes alone."""
    if len(asked.query.terms) < 2:
        return {}
    counts = dict(
        asked.rows("SELECT term, count(DISTINCT id) FROM hits GROUP BY term", among=among)
    )
    rarest = sorted((count, number) for number, count in counts.items())[:MOST_SOUGHT]
    weights = {number: round(RARITY * log2(2 + rarest[-1][0] / count)) for count, number in rarest}
    rows = _best(asked, weights, among)
    # Terms that are too common to be sought may be held or not.
    sought = frozenset(range(len(asked.query.terms))) - (counts.keys() - weights.keys())
    return {
        pk: sought.difference(number for number in sought if int(held) >> number & 1)
        for pk, score, held in rows
        if BEHIND * int(score) >= int(rows[0][1])
    }


def _best(
    asked: PreparedQuery, weights: dict[int, int], among: EpisodeQuerySet | None
) -> list[tuple[int, int, int]]:
    """Id, score and terms (as bits) of the episodes with the highest scores."""
    topics = ", ".join(map(str, _topics(asked))) or "0"
    of_topics = TOPIC * max(weights.values(), default=RARITY)
    terms = {-1: 0, **weights}
    worth = chosen("place", {PLACES[place]: worth for place, worth in WORTH.items()})
    return asked.rows(
        f""",
        best AS (
            SELECT id, 1 << term AS bit, max({chosen("term", terms)} * ({worth} - {OTHER_FORM} * (1 - exact))) AS worth
            FROM hits WHERE term IN ({", ".join(map(str, terms))}) GROUP BY id, term
            UNION ALL
            SELECT episode_id, {1 << len(asked.query.terms)},
                sum(CASE field WHEN 'title' THEN 2 ELSE 1 END) * {of_topics}
            FROM episodes_episodetopic WHERE topic_id IN ({topics}) GROUP BY episode_id
        )
        SELECT e.id, sum(best.worth) AS score, sum(best.bit) AS held
        FROM best CROSS JOIN episodes_episode e WHERE e.id = best.id AND e.listed
        GROUP BY e.id, e.podcast_id, e."order"
        ORDER BY score DESC, e.podcast_id DESC, e."order" DESC LIMIT {MOST_NEAREST}""",
        exact=[*KINDS],
        among=among,
    )


def _topics(asked: PreparedQuery) -> list[int]:
    """The topics of a query, read as if it were an episode's title."""
    rows = apps.get_model("episodes", "Topic")._default_manager.using(asked.using)
    topics = {topic.slug: topic for topic in rows.all()}
    given = [
        TopicRule.from_fields(topic.slug, topic.aliases, topic.rules) for topic in topics.values()
    ]
    typed = asked.query.typed
    return [topics[found.topic].pk for found in tag(typed, typed, (), (), given)]
