"""The nearest episodes to a query, where none holds all of it: those that hold most of it, the
rarer the better.

The topics that a query would be given, were it an episode's title, count too: they know words that
no episode uses. So does a model of what words mean, where the site has one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from ..notes import TopicRule, tag
from .engine import FACT, KINDS, PLACES, PreparedQuery, chosen, episodes

if TYPE_CHECKING:
    from ..models import EpisodeQuerySet
    from .meaning import Meanings

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
# The worth of a rank by meaning; one by words is worth the share of the words that the episode has.
MEANING = 0.4
FIRST_RANK = 3  # the higher, the less the first of one ranking is above the others
BEHIND = 3  # times as high a score has the best at most


def nearest(
    asked: PreparedQuery, among: EpisodeQuerySet | None = None
) -> dict[int, frozenset[int]]:
    """The ids of the nearest listed episodes to a query that none holds, best first, each with the
    numbers of the terms that it lacks; with `among` of these episodes alone."""
    terms, model = asked.query.terms, meanings()
    by_words = _by_words(asked, among) if len(terms) > 1 else {}
    # Who asks for a phrase or a fact wants nothing that is only like it.
    if not model or not terms or any(term.quoted or term.understood for term in terms):
        return by_words
    by_meaning = model.alike(asked)
    lacking = _lacking(asked, by_meaning) | by_words
    # By the ranks in both (reciprocal rank fusion): scores of words and cosines have no one measure.
    scores: defaultdict[int, float] = defaultdict(float)
    for rank, (pk, lacks) in enumerate(by_words.items(), FIRST_RANK):
        scores[pk] += (1 - len(lacks) / len(terms)) / rank
    for rank, pk in enumerate(by_meaning, FIRST_RANK):
        scores[pk] += MEANING / rank
    return {pk: lacking[pk] for pk in sorted(scores, key=lambda pk: -scores[pk])}


@cache
def meanings() -> Meanings | None:
    """The model of what words mean; None where the site has none.

    Raises:
        ImproperlyConfigured: it has one that cannot be used.
    """
    folder = settings.SEMANTIC_MODEL
    if not folder:
        return None
    try:
        from .meaning import Meanings

        return Meanings.read(Path(folder))
    except ImportError as error:
        raise ImproperlyConfigured(
            f"SEMANTIC_MODEL needs more packages ({error}): pip install -r requirements-meaning.txt"
        ) from error
    except Exception as error:  # tokenizers raises nothing more special
        raise ImproperlyConfigured(f"SEMANTIC_MODEL {folder} cannot be used: {error}") from error


def _by_words(asked: PreparedQuery, among: EpisodeQuerySet | None) -> dict[int, frozenset[int]]:
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


def _lacking(asked: PreparedQuery, ids: Sequence[int]) -> dict[int, frozenset[int]]:
    """The numbers of the terms that each of these episodes lacks."""
    among = episodes(asked.using).filter(pk__in=ids).order_by()
    lacking = dict.fromkeys(ids, frozenset(range(len(asked.query.terms))))
    for pk, number in asked.rows("SELECT DISTINCT id, term FROM hits", among=among) if ids else ():
        lacking[pk] -= {number}
    return lacking


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
