"""Search results, best first. Pages, feeds, exports and assistants all use this order."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log

from .. import meaning
from ..models import Episode, EpisodeQuerySet, Topic
from ..notes import TopicRule, tag_topics
from .engine import (
    LOCATION_VALUES,
    PreparedQuery,
    case_expression,
    fetch_rows,
    lookup_statement,
    phrase_expression,
)
from .excerpts import CLOSE, iterate_passages
from .meaning import SimilarEpisodes, find_similar_episodes
from .terms import TITLE_EDGE, Query

MAX_RESULTS = 5_000  # the best that are listed
# In a catalog with more episodes, the newest are searched first: a word that many of them hold is
# held by far more episodes than any reader reads.
LARGE_CATALOG = 50_000
SAMPLE_SIZE = 5_000


@dataclass(frozen=True)
class SearchResults:
    """The listed episodes that match a query, best first.

    `missing_terms` has the numbers of the terms that no text of an episode has, by its id. An episode
    without an entry has every term. `nearest_ids` are the best three that are not near enough to be results.
    """

    prepared_query: PreparedQuery
    ids: list[int]
    is_complete: bool = False  # some episode has every term
    is_cut: bool = False  # more episodes match
    missing_terms: Mapping[int, frozenset[int]] = field(default_factory=dict)
    nearest_ids: Sequence[int] = ()


def search_episodes(prepared_query: PreparedQuery, catalog_size: int = 0) -> SearchResults:
    """Search a catalog of about `catalog_size` episodes.

    If far more match than can be listed, search only the newest episodes.
    """
    if catalog_size > LARGE_CATALOG:
        newest = Episode.objects.listed().newest_first(is_single_show=False)[:SAMPLE_SIZE]
        sample = _search(prepared_query, newest)
        estimated_matches = len(sample.ids) * catalog_size / SAMPLE_SIZE
        # Twice as many, because an estimate may be wrong.
        if estimated_matches > 2 * MAX_RESULTS:
            return replace(sample, is_cut=True)
    return _search(prepared_query)


def search_newest(
    prepared_query: PreparedQuery, among: EpisodeQuerySet, candidate_count: int
) -> SearchResults:
    """Search the newest episodes of a set of about `candidate_count` episodes."""
    newest = among.newest_first(is_single_show=False)[:SAMPLE_SIZE]
    return replace(_search(prepared_query, newest), is_cut=candidate_count > SAMPLE_SIZE)


def any_episode_has_all_terms(prepared_query: PreparedQuery) -> bool:
    """Return True if some listed episode has every term, or another form of it, anywhere in its texts."""
    rows = prepared_query.fetch_matching_rows(
        "SELECT e.id FROM hits CROSS JOIN episodes_episode e WHERE e.id = hits.id AND e.listed "
        "GROUP BY e.id HAVING count(DISTINCT term) = %s LIMIT 1",
        [len(prepared_query.query.terms)],
    )
    return bool(rows)


# -- one search ------------------------------------------------------------------------------------

# Parts of a score, chosen on queries about several shows (docs/search.md).
SPOKEN_VALUE = 4.5  # of a term in the transcript, near another one: a little less than in notes
SCATTERED_VALUE = 1  # of a term anywhere else in the transcript
TOPIC_WEIGHT = 0.5  # of a topic that the query names, as a part of the highest weight of a term
LEAST_COVERAGE = 0.5  # the part of a score that does not depend on the share of matched terms

# What makes an episode that lacks a term a result. Terms count only if it is relevant enough.
RELEVANT_WITH_TWO_TERMS = 0.1
RELEVANT_WITH_SHARE = 0.25
UNKNOWN_RELEVANCE = 1.0  # of an episode without a vector: it is relevant enough
ENOUGH_SHARE = 0.35  # of the weight of all terms
TIGHT_PASSAGE = 60  # characters within which two terms are said
TIGHT_SHARE = 0.2  # of the weight of all terms, said in such a passage

MAX_NEAREST = 3
MAX_TRANSCRIPTS = 40  # that one search reads, a millisecond each


@dataclass
class _Match:
    """An episode with some terms of a query."""

    episode_id: int
    written_score: float = 0.0
    written: frozenset[int] = frozenset()  # the terms in its texts, other than the transcript
    has_topic: bool = False  # it has a topic that the query names
    spoken: frozenset[int] = frozenset()  # the terms anywhere in its transcript
    passage: frozenset[int] = frozenset()  # the terms of the best passage of its transcript
    is_tight: bool = False  # that passage is short

    @property
    def terms(self) -> frozenset[int]:
        return self.written | self.passage


@dataclass(frozen=True)
class _Weights:
    """The weights of the terms of a query by their numbers, and of its topics (0 without any)."""

    by_term: Mapping[int, float]
    topic: float

    def share(self, terms: Collection[int], *, has_topic: bool = False) -> float:
        """Return the share of some terms, and of the topics, in the weight of all, from 0 to 1."""
        total = sum(self.by_term.values()) + self.topic
        matched = sum(self.by_term[term] for term in terms)
        if has_topic:
            matched += self.topic
        return matched / total


def _search(prepared_query: PreparedQuery, among: EpisodeQuerySet | None = None) -> SearchResults:
    """Rank the listed episodes that hold enough of a query, or are similar to it.

    Search only `among` if it is given.
    """
    terms = prepared_query.query.terms
    if not terms:
        return SearchResults(prepared_query, [])
    if len(terms) == 1:
        # If episodes have the word, similar ones are not meant.
        results = _search_once(prepared_query, SimilarEpisodes(), among)
        if results.ids or not meaning.has_encoder():
            return results
    similar = find_similar_episodes(prepared_query.query.wanted)
    return _search_once(prepared_query, similar, among)


def _search_once(
    prepared_query: PreparedQuery, similar: SimilarEpisodes, among: EpisodeQuerySet | None
) -> SearchResults:
    """Rank episodes by their terms and by similarity.

    The score is the sum of two: the scaled sum of weighted terms, and the similarity of the query to
    title and notes. It ranks as a convex combination with equal weights does (Bruch, Gai and Ingber, "An
    Analysis of Fusion Functions for Hybrid Retrieval", 2023).
    """
    query = prepared_query.query
    topic_ids = _topic_ids_in_query(query)
    weights = _load_weights(prepared_query, topic_ids, among)
    matches = _load_matches(prepared_query, weights, topic_ids, among)
    _set_best_passages(query, matches, weights)
    if among is None:
        for episode_id in similar.near_ids:
            matches.setdefault(episode_id, _Match(episode_id))
    for episode_id in _ids_with_excluded_terms(query, matches):
        del matches[episode_id]
    missing_terms = _missing_terms_by_episode(matches, weights)
    is_complete = len(missing_terms) < len(matches)
    scores = _scores_by_episode(matches, weights, similar)
    exact_ids = _ids_of_exact_titles(query)

    def rank(match: _Match) -> tuple[bool, float]:
        return match.episode_id not in exact_ids, -scores[match.episode_id]

    result_ids: list[int] = []
    near_miss_ids: list[int] = []
    for match in sorted(matches.values(), key=rank):
        has_all_terms = match.episode_id not in missing_terms
        is_result = has_all_terms or _is_result_without_all_terms(
            match, weights, similar, is_complete=is_complete
        )
        ids = result_ids if is_result else near_miss_ids
        ids.append(match.episode_id)
    return SearchResults(
        prepared_query,
        ids=result_ids[:MAX_RESULTS],
        is_complete=is_complete,
        is_cut=len(result_ids) > MAX_RESULTS,
        missing_terms=missing_terms,
        nearest_ids=near_miss_ids[:MAX_NEAREST],
    )


def _missing_terms_by_episode(
    matches: Mapping[int, _Match], weights: _Weights
) -> dict[int, frozenset[int]]:
    """Return, by id, the terms that no text of an episode has. Leave out episodes with every term."""
    all_terms = frozenset(weights.by_term)
    missing_terms = {}
    for match in matches.values():
        missing = all_terms - match.written - match.spoken
        if missing:
            missing_terms[match.episode_id] = missing
    return missing_terms


def _is_result_without_all_terms(
    match: _Match, weights: _Weights, similar: SimilarEpisodes, *, is_complete: bool
) -> bool:
    """Return True if an episode that lacks a term is a result nevertheless.

    If other episodes have every term (`is_complete`), a single term is not enough.
    """
    if match.episode_id in similar.near_ids:
        return True
    relevance = similar.relevance.get(match.episode_id, UNKNOWN_RELEVANCE)
    if relevance >= RELEVANT_WITH_TWO_TERMS:
        is_said_together = match.is_tight and weights.share(match.passage) >= TIGHT_SHARE
        if len(match.written) >= 2 or is_said_together:
            return True
    if is_complete:
        return False
    if match.has_topic:
        return True
    return relevance >= RELEVANT_WITH_SHARE and weights.share(match.terms) >= ENOUGH_SHARE


def _load_weights(
    prepared_query: PreparedQuery, topic_ids: Sequence[int], among: EpisodeQuerySet | None
) -> _Weights:
    """Return the weight of each term: the logarithm of its rarity. A term that no episode has weighs most."""
    # The weight of a single term changes no order.
    if len(prepared_query.query.terms) == 1:
        return _Weights({0: 1.0}, 0.0)
    rows = prepared_query.fetch_matching_rows(
        "SELECT term, count(DISTINCT id) FROM hits GROUP BY term "
        "UNION ALL SELECT -1, count(*) FROM episodes_episode WHERE listed",
        among=among,
    )
    counts = dict(rows)
    catalog_size = counts.pop(-1)
    by_term = {}
    for number in range(len(prepared_query.query.terms)):
        # A term without episodes counts as half as frequent as a term with one.
        by_term[number] = log(1 + catalog_size / counts.get(number, 0.5))
    topic_weight = TOPIC_WEIGHT * max(by_term.values()) if topic_ids else 0.0
    return _Weights(by_term, topic_weight)


def _load_matches(
    prepared_query: PreparedQuery,
    weights: _Weights,
    topic_ids: Sequence[int],
    among: EpisodeQuerySet | None,
) -> dict[int, _Match]:
    """Return the episodes with the best scores, by id: one more than MAX_RESULTS at most.

    A term counts by the best location that has it, one less if only another form of it occurs, and
    one more if several locations have it. Of equal scores the shorter title comes first, and then
    the newer episode.
    """
    # The topics of the query are a term with the next number. The statement adds and divides whole
    # numbers, which both databases do alike: 2 or 3 locations count one more, `2 / 2`.
    topic_number = len(weights.by_term)
    topic_list = ", ".join(map(str, topic_ids or [0]))
    whole_weights = {topic_number: round(1000 * weights.topic)}
    for number, term_weight in weights.by_term.items():
        whole_weights[number] = round(1000 * term_weight)
    weight = case_expression("term", whole_weights)
    in_title, in_topic = LOCATION_VALUES["title"], LOCATION_VALUES["topic"]
    is_spoken = f"location = {LOCATION_VALUES['transcript']}"
    rows = prepared_query.fetch_matching_rows(
        f""",
        term_values (id, term, value, spoken) AS (
            SELECT id, term,
                max(CASE WHEN {is_spoken} THEN 0 ELSE location - 1 + exact END) + count(DISTINCT location) / 2,
                max(CASE WHEN {is_spoken} THEN 1 ELSE 0 END)
            FROM hits GROUP BY id, term
            UNION ALL SELECT episode_id, {topic_number},
                max(CASE field WHEN 'title' THEN {in_title} ELSE {in_topic} END), 0
            FROM episodes_episodetopic WHERE topic_id IN ({topic_list}) GROUP BY episode_id
        )
        SELECT e.id, sum({weight} * value) AS score,
            sum(CASE WHEN value > 0 THEN 1 << term ELSE 0 END) AS written,
            sum(spoken << term) AS spoken_terms
        FROM term_values t CROSS JOIN episodes_episode e WHERE e.id = t.id AND e.listed
        GROUP BY e.id, e.title, e.sorted_at, e.podcast_id, e."order"
        ORDER BY score DESC, sum({weight} * spoken) DESC,
            CASE WHEN max(value) >= {in_topic - 1} THEN length(e.title) ELSE 0 END,
            e.sorted_at DESC, e.podcast_id, e."order" DESC
        LIMIT {MAX_RESULTS + 1}""",
        exact_kinds=("title", "notes"),
        among=among,
    )
    matches = {}
    for episode_id, score, written_bits, spoken_bits in rows:
        written = _positions_of_bits(int(written_bits))
        matches[episode_id] = _Match(
            episode_id,
            written_score=float(score) / 1000,
            written=written - {topic_number},
            has_topic=topic_number in written,
            spoken=_positions_of_bits(int(spoken_bits)),
        )
    return matches


def _positions_of_bits(number: int) -> frozenset[int]:
    """Return the positions of the bits of a number that are 1."""
    return frozenset(position for position in range(number.bit_length()) if number >> position & 1)


def _set_best_passages(query: Query, matches: Mapping[int, _Match], weights: _Weights) -> None:
    """Set the best passages of matches. Words that are said far apart do not count.

    Read only the transcripts with the highest weights of terms, if they have one that no other text has.
    """
    shares_and_ids = []
    for match in matches.values():
        only_spoken = match.spoken - match.written
        if len(query.spoken_terms) == 1:
            match.passage = match.spoken
        elif only_spoken and len(match.spoken) >= 2:
            shares_and_ids.append((weights.share(match.spoken), match.episode_id))
    shares_and_ids.sort(reverse=True)
    ids = ", ".join(str(episode_id) for _, episode_id in shares_and_ids[:MAX_TRANSCRIPTS])
    if not ids:
        return
    statement = f"SELECT episode_id, text FROM episodes_transcript WHERE episode_id IN ({ids})"
    for episode_id, text in fetch_rows(statement, ()):
        match = matches[episode_id]
        best_value = 0.0
        for passage in iterate_passages(text, query):
            length = min(passage.end - passage.start, CLOSE)
            # Terms side by side count twice as much as terms at the greatest distance.
            value = weights.share(passage.terms) * (1 - length / CLOSE / 2)
            if len(passage.terms) >= 2 and value > best_value:
                best_value = value
                match.passage = passage.terms
                match.is_tight = length <= TIGHT_PASSAGE


def _scores_by_episode(
    matches: Mapping[int, _Match], weights: _Weights, similar: SimilarEpisodes
) -> dict[int, float]:
    """Return the score of each match, by id.

    The terms count up to 1 if a match has all of them, and less if the best has a part of them. The
    similarity counts as it is.
    """
    scores = {}
    best_share = 0.0
    for match in matches.values():
        score = match.written_score
        for term in match.spoken - match.written:
            value = SPOKEN_VALUE if term in match.passage else SCATTERED_VALUE
            score += weights.by_term[term] * value
        share = weights.share(match.terms, has_topic=match.has_topic)
        best_share = max(best_share, share)
        scores[match.episode_id] = score * (LEAST_COVERAGE + (1 - LEAST_COVERAGE) * share)
    best_score = max(scores.values(), default=0) or 1
    for episode_id, score in scores.items():
        similarity = similar.similarity.get(episode_id, 0.0)
        scores[episode_id] = best_share * score / best_score + similarity
    return scores


def _ids_of_exact_titles(query: Query) -> set[int]:
    # Without words it matches no title.
    pieces = query.pieces or (TITLE_EDGE,)
    exact_title = phrase_expression((TITLE_EDGE, *pieces, TITLE_EDGE))
    rows = fetch_rows(lookup_statement(["title"]), [exact_title])
    ids = {episode_id for _, episode_id in rows}
    if not query.typed.isascii():
        # The indexes leave out rare characters that Python takes for letters.
        same_title = Episode.objects.filter(title__iexact=query.typed)
        ids.update(same_title.values_list("pk", flat=True))
    return ids


def _topic_ids_in_query(query: Query) -> list[int]:
    """Return the ids of the topics of a query of several words, read as if it were an episode's title.

    The index has the names of topics, so a single word finds them by itself.
    """
    if len(query.terms) < 2:
        return []
    topics = {topic.slug: topic for topic in Topic.objects.all()}
    rules = []
    for topic in topics.values():
        rules.append(TopicRule.from_fields(topic.slug, topic.aliases, topic.rules))
    matches = tag_topics(query.typed, query.typed, (), (), rules)
    return [topics[match.topic].pk for match in matches]


def _ids_with_excluded_terms(query: Query, episode_ids: Collection[int]) -> list[int]:
    if not (query.excluded and episode_ids):
        return []
    excluded = PreparedQuery(Query("", query.excluded))
    ids = ", ".join(map(str, episode_ids))
    rows = excluded.fetch_matching_rows(f"SELECT DISTINCT id FROM hits WHERE id IN ({ids})")
    return [episode_id for (episode_id,) in rows]
