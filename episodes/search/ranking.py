"""Search results: the episodes that hold a query, best first, or the nearest ones where none holds
all of it; pages, feeds and exports all use this order."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import log2
from typing import Any

from ..models import Episode, EpisodeQuerySet, Topic
from ..notes import TopicRule, tag
from .engine import AS_IT_STANDS, FACT, KINDS, PLACES, PreparedQuery, chosen, phrase
from .excerpts import closeness_in
from .terms import EDGE, MOST_RANKED

MOST_NEAREST = 50
MOST_SOUGHT = 5  # terms, the rarest
# The worth of a term by the best place that holds it, and how much less where that holds another
# form of it. Readers who use other words than the notes seldom use those of the title.
WORTH = {
    FACT: 10,
    "title": 6,
    **dict.fromkeys(("subject", "topic", "name", "person"), 4),
    **dict.fromkeys(("notes", "link", "chapter", "transcript"), 3),
}
OTHER_FORM = 1
TOPIC = 1
RARITY = 10  # the weight of the most common term
BEHIND = 3  # times as high a score has the best at most


def find_nearest(
    query: PreparedQuery, among: EpisodeQuerySet | None = None
) -> dict[int, frozenset[int]]:
    """Find the listed episodes that hold most of a query of several terms that none holds whole.

    Search in `among` alone if it is given. Return their ids, best first, each with the numbers of
    the terms that it lacks.
    """
    if len(query.query.terms) < 2:
        return {}
    query = replace(query, loose=True)
    counts = dict(
        query.rows("SELECT term, count(DISTINCT id) FROM hits GROUP BY term", among=among)
    )
    rarest = sorted((count, number) for number, count in counts.items())[:MOST_SOUGHT]
    weights = {number: round(RARITY * log2(2 + rarest[-1][0] / count)) for count, number in rarest}
    rows = _best(query, weights, among)
    # Terms that are too common to be sought may be held or not.
    sought = frozenset(range(len(query.query.terms))) - (counts.keys() - weights.keys())
    return {
        pk: sought.difference(number for number in sought if int(held) >> number & 1)
        for pk, score, held in rows
        if BEHIND * int(score) >= int(rows[0][1])
    }


def _best(
    asked: PreparedQuery, weights: dict[int, int], among: EpisodeQuerySet | None
) -> list[tuple[int, int, int]]:
    """Id, score and terms (as bits) of the episodes with the highest scores."""
    by_slug = {topic.slug: topic for topic in Topic.objects.all()}
    rules = [
        TopicRule.from_fields(topic.slug, topic.aliases, topic.rules) for topic in by_slug.values()
    ]
    # The topics of a query, read as if it were an episode's title.
    typed = asked.query.typed
    named = [str(by_slug[found.topic].pk) for found in tag(typed, typed, (), (), rules)]
    topics = ", ".join(named) or "0"
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


MOST_RESULTS = 5_000  # the best that are listed
# In a catalog with more episodes than this, so many of the newest are looked through first: a word
# that many of them hold is held by far more episodes than anybody reads.
LARGE, SAMPLE = 50_000, 5_000
TOGETHER = PLACES["title"]  # the worth of words that are said together
# Where more match than are listed, so many of the newest are ranked, so many of the newest with a word
# in the title, and those with the very title.
NEWEST = 1_000
# The plus keeps databases from reading every row of these: an index has all episodes in this order.
NEWEST_OF = f"""SELECT id FROM episodes_episode WHERE listed AND +id IN (SELECT id FROM {{}})
    ORDER BY sorted_at DESC, podcast_id, "order" DESC LIMIT {NEWEST}"""


# The groups of results, in their order: what a title says, what is written or said in the episode, and
# what only a topic of it says. An episode is in that of its least term.
TITLE, TEXT, RELATED = range(3)
GROUPS = {PLACES[place]: TEXT for place in KINDS} | {
    **{PLACES[place]: TITLE for place in (FACT, "title", AS_IT_STANDS)},
    **{PLACES[place]: RELATED for place in ("subject", "topic")},
}
# Of each term that an episode holds: the worth of the places, whether its title is one, its group.
HELD = f"""
    held (id, term, worth, titled, told) AS (
        SELECT id, term, sum(DISTINCT place + exact),
            max(CASE place WHEN {PLACES["title"]} THEN 1 ELSE 0 END),
            min({chosen("place", GROUPS)})
        FROM hits GROUP BY id, term
    )"""
# The episodes that hold all terms, and how many of these only a transcript has.
SCORED = f"""
    scored (id, score, titled, told, said) AS MATERIALIZED (
        SELECT id, sum(worth) FILTER (WHERE term < {MOST_RANKED}), max(titled), max(told),
            sum(CASE worth WHEN {PLACES["transcript"]} THEN 1 ELSE 0 END)
        FROM held GROUP BY id HAVING count(*) = {{terms}}
    )"""
# Those that are ranked where more match than are listed.
BEST = """
    best (id) AS (
        SELECT row_id FROM ({titles}) titles
        UNION SELECT id FROM ({newest}) newest
        UNION SELECT id FROM ({titled}) newest
    )"""
MATCHES = "(SELECT count(*) FROM scored)"  # joined, PostgreSQL would count for each row
# The very title is above all; of those with a term in the title the shorter title comes first.
RANKED = f"""
    SELECT id, CASE WHEN named < 3 THEN {TITLE} ELSE told END AS told, named, score, said, {MATCHES}
    FROM (
        SELECT e.id, told, score, said, titled, e.title, e.sorted_at, e.podcast_id, e."order",
            CASE WHEN lower(e.title) = lower(%s) THEN 0
                WHEN e.id IN (SELECT row_id FROM ({{titles}}) titles) THEN 1
                WHEN replace(lower(e.title), ' ', '') = %s THEN 2 ELSE 3 END AS named
        FROM (
            SELECT * FROM scored WHERE {MATCHES} <= {{most}} OR id IN (SELECT id FROM best)
        ) few CROSS JOIN episodes_episode e WHERE e.id = few.id AND e.listed
    ) matched
    ORDER BY 2, named, score DESC, CASE titled WHEN 1 THEN length(title) ELSE 0 END,
        sorted_at DESC, podcast_id, "order" DESC
    LIMIT {{most}}"""


@dataclass(frozen=True)
class Results:
    """The listed episodes that a query finds with what is counted of them, best first.

    Where no episode holds every term, these are the nearest ones, and `lacking` has the numbers of
    the terms that each lacks; else `groups` has the group of each. `cut` is true where more
    episodes hold the query than these."""

    asked: PreparedQuery
    ids: list[int]
    cut: bool = False
    groups: Mapping[int, int] = field(default_factory=dict)
    lacking: Mapping[int, frozenset[int]] = field(default_factory=dict)

    @property
    def related(self) -> int:
        """The number of episodes that were found by a related topic alone."""
        return [*map(self.groups.get, self.ids)].count(RELATED)

    @property
    def near(self) -> bool:
        """True where no episode holds every term."""
        return bool(self.lacking)


def results(asked: PreparedQuery, size: int = 0) -> Results:
    """The results of a query in a catalog of about so many episodes, best first.

    Where far more hold it than anybody reads, only what is among the newest; where none holds all
    of it, the nearest.
    """
    newest = None
    if size > LARGE:
        newest = Episode.objects.listed().newest_first(one_show=False)[:SAMPLE]
        sample = _ranked(asked, newest)
        if len(sample.ids) * size > 2 * MOST_RESULTS * SAMPLE:
            return replace(sample, cut=True)
    if (found := _ranked(asked)).ids:
        return found
    lacking = find_nearest(asked, newest)
    return Results(asked, [*lacking], lacking=lacking)


def newest_results(asked: PreparedQuery, among: EpisodeQuerySet, size: int) -> Results:
    """The results of a query in the newest episodes of a set; `size` is about how many it has."""
    newest = among.newest_first(one_show=False)[:SAMPLE]
    return replace(_ranked(asked, newest), cut=size > SAMPLE)


def _ranked(asked: PreparedQuery, among: EpisodeQuerySet | None = None) -> Results:
    """The listed episodes that hold a query, by their groups, in one statement."""
    typed = asked.query.typed
    (titles,) = asked.lookups(["title"], 0, pooled=among is not None)
    parts = {
        "terms": len(asked.query.terms),
        "titles": titles,
        "newest": NEWEST_OF.format("scored"),
        "titled": NEWEST_OF.format("scored WHERE titled = 1"),
        "most": MOST_RESULTS,
    }
    statement = ",".join(["", HELD, SCORED, BEST]).format(**parts) + RANKED.format(**parts)
    # The expression for a title of exactly these words; without words it matches no title.
    title = phrase((EDGE, *(asked.query.pieces or [EDGE]), EDGE))
    values = [title, typed, title, typed.lower().replace(" ", "")]
    rows = asked.rows(statement, values, exact=["title"], among=among)
    is_cut = bool(rows) and rows[0][-1] > MOST_RESULTS
    groups = {pk: group for pk, group, *_ in rows}
    close = closeness_in(asked, [pk for pk, *_, said, _ in rows if said])

    def rank(row: tuple[Any, ...]) -> tuple[int, int, float]:
        """Those first in their group that say words together which only their transcripts hold: in
        a long text many words occur somewhere."""
        pk, group, named, score, said, _ = row
        together = close.get(pk, 0) if said else 1
        return group, named, -(float(score) + TOGETHER * together)  # PostgreSQL sums up decimals

    ids = [pk for pk, *_ in (sorted(rows, key=rank) if close else rows)]
    return Results(asked, ids, is_cut, groups)
