"""Search results, best first, or the nearest episodes. Pages, feeds and exports all use this order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2
from typing import NamedTuple

from ..models import Episode, EpisodeQuerySet, Topic
from ..notes import TopicRule, tag_topics
from .engine import (
    EXACT_TITLE,
    FACT,
    LOCATION_WEIGHTS,
    TEXT_KINDS,
    PreparedQuery,
    case_expression,
    fetch_rows,
    lookup_statements,
    phrase_expression,
)
from .excerpts import CLOSE, iterate_passages
from .terms import TITLE_EDGE, Query

MAX_RESULTS = 5_000  # the best that are listed
# In a catalog with more episodes, the newest are searched first: a word that many of them hold is
# held by far more episodes than any reader reads.
LARGE_CATALOG = 50_000
SAMPLE_SIZE = 5_000
# If more match than are listed, the ranked ones are this many of the newest, this many of the newest
# with a word in the title, and those with the very title.
NEWEST_RANKED = 1_000

# The groups of results, in their order: words in a title, words written or said in the episode, and
# words of a topic alone. An episode is in the group of its least term.
TITLE_GROUP, TEXT_GROUP, RELATED_GROUP = range(3)


@dataclass(frozen=True)
class SearchResults:
    """The listed episodes that match a query, best first.

    If no episode has every term, these are the nearest ones, and `missing_terms` has the numbers of
    the terms that each lacks. Else `groups` has the group of each.
    """

    prepared_query: PreparedQuery
    ids: list[int]
    is_cut: bool = False  # more episodes match
    groups: Mapping[int, int] = field(default_factory=dict)
    missing_terms: Mapping[int, frozenset[int]] = field(default_factory=dict)

    @property
    def only_related(self) -> int:
        """Return the number of episodes that match by a topic alone."""
        return sum(self.groups.get(episode_id) == RELATED_GROUP for episode_id in self.ids)

    @property
    def is_nearest(self) -> bool:
        """Return True if no episode has every term."""
        return bool(self.missing_terms)


def search_episodes(prepared_query: PreparedQuery, catalog_size: int = 0) -> SearchResults:
    """Search a catalog of about `catalog_size` episodes for all terms of a query.

    If far more match than can be listed, search only the newest episodes. If no episode has all terms,
    return the nearest episodes.
    """
    newest = None
    if catalog_size > LARGE_CATALOG:
        newest = Episode.objects.listed().newest_first(is_single_show=False)[:SAMPLE_SIZE]
        sample = _search_all_terms(prepared_query, newest)
        estimated_matches = len(sample.ids) * catalog_size / SAMPLE_SIZE
        # Twice as many, because an estimate may be wrong.
        if estimated_matches > 2 * MAX_RESULTS:
            return replace(sample, is_cut=True)
    results = _search_all_terms(prepared_query)
    if results.ids:
        return results
    missing_terms = missing_terms_by_nearest_episode(prepared_query, newest)
    return SearchResults(prepared_query, list(missing_terms), missing_terms=missing_terms)


def search_newest(
    prepared_query: PreparedQuery, among: EpisodeQuerySet, candidate_count: int
) -> SearchResults:
    """Search the newest episodes of a set of about `candidate_count` episodes."""
    newest = among.newest_first(is_single_show=False)[:SAMPLE_SIZE]
    return replace(_search_all_terms(prepared_query, newest), is_cut=candidate_count > SAMPLE_SIZE)


# -- episodes with every term ----------------------------------------------------------------------


class _Match(NamedTuple):
    """An episode with every term: a row of the statement below."""

    episode_id: int
    group: int
    title_rank: int  # 0 for the very title, 3 for any other
    score: float
    only_spoken: int  # terms that only its transcript has
    total: int  # matches of the query


def _search_all_terms(
    prepared_query: PreparedQuery, among: EpisodeQuerySet | None = None
) -> SearchResults:
    """Return the listed episodes with every term, best first, with their groups.

    Search only `among` if it is given.
    """
    (exact_titles,) = lookup_statements(["title"], 0, pooled=among is not None)
    statement = _RANKING.format(
        terms=len(prepared_query.query.terms),
        titles=exact_titles,
        newest=NEWEST_OF.format("scored"),
        newest_with_title=NEWEST_OF.format("scored WHERE in_title = 1"),
        most=MAX_RESULTS,
    )
    # A title of exactly these words. Without words it matches no title.
    pieces = prepared_query.query.pieces or (TITLE_EDGE,)
    exact_title = phrase_expression((TITLE_EDGE, *pieces, TITLE_EDGE))
    typed = prepared_query.query.typed
    values = [exact_title, typed, exact_title, typed.lower().replace(" ", "")]
    rows = prepared_query.fetch_matching_rows(statement, values, exact_kinds=["title"], among=among)
    matches = [_Match(*row) for row in rows]
    return SearchResults(
        prepared_query,
        [
            match.episode_id
            for match in _sort_spoken_matches_by_closeness(prepared_query.query, matches)
        ],
        bool(matches) and matches[0].total > MAX_RESULTS,
        {match.episode_id: match.group for match in matches},
    )


def _sort_spoken_matches_by_closeness(query: Query, matches: list[_Match]) -> list[_Match]:
    """Sort matches by group and score. Matches that only a transcript has rank by closeness, too.

    In a long text many words occur somewhere, so words that are said close together count more.
    """
    spoken_ids = [match.episode_id for match in matches if match.only_spoken]
    closeness = _spoken_closeness_by_episode(query, spoken_ids)
    if not closeness:
        return matches

    def rank(match: _Match) -> tuple[int, int, float]:
        close = closeness.get(match.episode_id, 0.0) if match.only_spoken else 1.0
        # PostgreSQL sums up decimals.
        score = float(match.score) + LOCATION_WEIGHTS["title"] * close
        return match.group, match.title_rank, -score

    return sorted(matches, key=rank)


def _spoken_closeness_by_episode(query: Query, episode_ids: Sequence[int]) -> dict[int, float]:
    """Return, by id, how close together the words of a query are said, from 0 (apart) to 1.

    Read only the first 40 episodes. Return {} for a query of one word.
    """
    term_count = len(query.spoken_terms)
    if term_count < 2 or not episode_ids:
        return {}
    # Transcripts are long, so only transcripts of the best episodes are read.
    ids = ", ".join(map(str, episode_ids[:40]))
    rows = fetch_rows(
        f"SELECT episode_id, text FROM episodes_transcript WHERE episode_id IN ({ids})", ()
    )
    closeness: dict[int, float] = {}
    for episode_id, text in rows:
        closeness[episode_id] = 0.0
        for passage in iterate_passages(text, query):
            share = len(passage.terms) / term_count
            length = min(passage.end - passage.start, CLOSE) / CLOSE
            # All terms side by side are 1.
            value = share * share * (1 - length / 2)
            closeness[episode_id] = max(closeness[episode_id], value)
    return closeness


# The plus keeps databases from reading every row of these: an index has all episodes in this order.
NEWEST_OF = f"""SELECT id FROM episodes_episode WHERE listed AND +id IN (SELECT id FROM {{}})
    ORDER BY sorted_at DESC, podcast_id, "order" DESC LIMIT {NEWEST_RANKED}"""
_GROUPS_OF_LOCATIONS = {
    **{LOCATION_WEIGHTS[location]: TEXT_GROUP for location in TEXT_KINDS},
    **{LOCATION_WEIGHTS[location]: TITLE_GROUP for location in (FACT, "title", EXACT_TITLE)},
    **{LOCATION_WEIGHTS[location]: RELATED_GROUP for location in ("subject", "topic")},
}
_TOTAL = "(SELECT count(*) FROM scored)"  # joined, PostgreSQL would count for each row
# The tables of the statement:
# - `term_matches`: for each term of an episode the sum of the weights of its locations, whether its title
#   has the term (`in_title`), and its group.
# - `scored`: the episodes with all terms. Only the first six terms count for the score. `only_spoken` is
#   the number of terms that only the transcript has.
# - `best`: the episodes that are ranked if more match than are listed.
# An episode with the query as its title comes first. Of episodes with a term in the title the one with the
# shorter title comes first.
_RANKING = f""",
    term_matches (id, term, weight, in_title, match_group) AS (
        SELECT id, term, sum(DISTINCT location + exact),
            max(CASE location WHEN {LOCATION_WEIGHTS["title"]} THEN 1 ELSE 0 END),
            min({case_expression("location", _GROUPS_OF_LOCATIONS)})
        FROM hits GROUP BY id, term
    ),
    scored (id, score, in_title, match_group, only_spoken) AS MATERIALIZED (
        SELECT id, sum(weight) FILTER (WHERE term < 6), max(in_title), max(match_group),
            sum(CASE weight WHEN {LOCATION_WEIGHTS["transcript"]} THEN 1 ELSE 0 END)
        FROM term_matches GROUP BY id HAVING count(*) = {{terms}}
    ),
    best (id) AS (
        SELECT row_id FROM ({{titles}}) titles
        UNION SELECT id FROM ({{newest}}) newest
        UNION SELECT id FROM ({{newest_with_title}}) newest
    )
    SELECT id, CASE WHEN title_rank < 3 THEN {TITLE_GROUP} ELSE match_group END AS match_group, title_rank,
        score, only_spoken, {_TOTAL}
    FROM (
        SELECT e.id, match_group, score, only_spoken, in_title, e.title, e.sorted_at, e.podcast_id, e."order",
            CASE WHEN lower(e.title) = lower(%s) THEN 0
                WHEN e.id IN (SELECT row_id FROM ({{titles}}) titles) THEN 1
                WHEN replace(lower(e.title), ' ', '') = %s THEN 2 ELSE 3 END AS title_rank
        FROM (
            SELECT * FROM scored WHERE {_TOTAL} <= {{most}} OR id IN (SELECT id FROM best)
        ) ranked CROSS JOIN episodes_episode e WHERE e.id = ranked.id AND e.listed
    ) matched
    ORDER BY 2, title_rank, score DESC, CASE in_title WHEN 1 THEN length(title) ELSE 0 END,
        sorted_at DESC, podcast_id, "order" DESC
    LIMIT {{most}}"""


# -- the nearest episodes --------------------------------------------------------------------------

MAX_NEAREST = 50
MAX_WEIGHED_TERMS = 5
_WORD_WEIGHT = 10  # of the most common term


def missing_terms_by_nearest_episode(
    prepared_query: PreparedQuery, among: EpisodeQuerySet | None = None
) -> dict[int, frozenset[int]]:
    """Find the episodes nearest to a query that no episode has whole, best first.

    Return, by id, the numbers of the terms that each lacks; {} for a query of one term. Search only
    `among` if it is given.
    """
    term_numbers = range(len(prepared_query.query.terms))
    if len(term_numbers) < 2:
        return {}
    with_roots = prepared_query.with_roots()
    counts = dict(
        with_roots.fetch_matching_rows(
            "SELECT term, count(DISTINCT id) FROM hits GROUP BY term", among=among
        )
    )
    weights = _weights_by_rarest_term(counts)
    # Terms that are too common to be weighed are not reported as missing.
    required = frozenset(
        number for number in term_numbers if number in weights or number not in counts
    )
    rows = _find_best_rows_by_weight(with_roots, weights, among)
    nearest = {}
    for episode_id, score, term_bits in rows:
        best_score = int(rows[0][1])
        # An episode with less than a third of the best score is not near.
        if 3 * int(score) < best_score:
            continue
        present = {number for number in required if int(term_bits) >> number & 1}
        nearest[episode_id] = required - present
    return nearest


def _weights_by_rarest_term(counts_by_term: Mapping[int, int]) -> dict[int, int]:
    """Return the weights of the five rarest terms, by the number of the term.

    `counts_by_term` has the number of episodes with each term. A weight grows with the logarithm of
    how much rarer a term is than the most common of the five.
    """
    by_count = sorted((count, number) for number, count in counts_by_term.items())
    rarest = by_count[:MAX_WEIGHED_TERMS]
    weights = {}
    for count, number in rarest:
        most_common, _ = rarest[-1]
        weights[number] = round(_WORD_WEIGHT * log2(2 + most_common / count))
    return weights


def _find_best_rows_by_weight(
    prepared_query: PreparedQuery, weights: Mapping[int, int], among: EpisodeQuerySet | None
) -> list[tuple[int, int, int]]:
    """Return rows of id, score and terms of the episodes with the highest scores, best first.

    The terms are bits of one number: the bit of a term is 1 if the episode has it.
    """
    topic_ids = ", ".join(_topic_ids_in_query(prepared_query.query)) or "0"
    topic_weight = max(weights.values(), default=_WORD_WEIGHT)
    topic_bit = 1 << len(prepared_query.query.terms)
    # A term counts by the best location that holds it, and one less if only another form of it occurs.
    # A title counts little more than the rest: a query without results seldom has its words.
    location_factors = {LOCATION_WEIGHTS[FACT]: 10, LOCATION_WEIGHTS["title"]: 6}
    for location in ("subject", "topic", "name", "person"):
        location_factors[LOCATION_WEIGHTS[location]] = 4
    for location in ("notes", "link", "chapter", "transcript"):
        location_factors[LOCATION_WEIGHTS[location]] = 3
    # The -1 keeps the SQL valid if there is no weight. No term has this number.
    term_weights = {-1: 0, **weights}
    factor = case_expression("location", location_factors)
    weight = case_expression("term", term_weights)
    return prepared_query.fetch_matching_rows(
        f""",
        best AS (
            SELECT id, 1 << term AS bit, max({weight} * ({factor} - (1 - exact))) AS weight
            FROM hits WHERE term IN ({", ".join(map(str, term_weights))}) GROUP BY id, term
            UNION ALL
            SELECT episode_id, {topic_bit},
                sum(CASE field WHEN 'title' THEN 2 ELSE 1 END) * {topic_weight}
            FROM episodes_episodetopic WHERE topic_id IN ({topic_ids}) GROUP BY episode_id
        )
        SELECT e.id, sum(best.weight) AS score, sum(best.bit) AS term_bits
        FROM best CROSS JOIN episodes_episode e WHERE e.id = best.id AND e.listed
        GROUP BY e.id, e.podcast_id, e."order"
        ORDER BY score DESC, e.podcast_id DESC, e."order" DESC LIMIT {MAX_NEAREST}""",
        exact_kinds=list(TEXT_KINDS),
        among=among,
    )


def _topic_ids_in_query(query: Query) -> list[str]:
    """Return the ids of the topics of a query, read as if it were an episode's title."""
    topics = {topic.slug: topic for topic in Topic.objects.all()}
    rules = []
    for topic in topics.values():
        rules.append(TopicRule.from_fields(topic.slug, topic.aliases, topic.rules))
    matches = tag_topics(query.typed, query.typed, (), (), rules)
    return [str(topics[match.topic].pk) for match in matches]
