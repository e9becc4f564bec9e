"""Search results, best first. Pages, feeds, exports and assistants all use this order."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from heapq import nlargest
from itertools import chain
from math import fsum, log

from django.db import connection

from ..models import Episode, EpisodeQuerySet, EpisodeTopic, Topic
from ..notes import TopicRule, find_topic_tags
from .engine import (
    LOCATION_VALUES,
    Hits,
    PreparedQuery,
    count_listed_episodes,
    fetch_ids,
    fetch_rows,
    fetch_title_lengths_by_id,
)
from .excerpts import CLOSE, Passage, iterate_passages
from .meaning import SimilarEpisodes, compare_query_with_all_episodes
from .prepare import prepare_query
from .terms import Query, split_names_in_code

MAX_RESULTS = 5_000  # the best that are listed
MAX_RANKED_BY_TITLE = 500  # the best, of which those with equal scores are sorted by their titles
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
        sample = _rank_or_retry_names_as_words(prepared_query, newest)
        estimated_matches = len(sample.ids) * catalog_size / SAMPLE_SIZE
        # Twice as many, because an estimate may be wrong.
        if estimated_matches > 2 * MAX_RESULTS:
            return replace(sample, is_cut=True)
    return _rank_or_retry_names_as_words(prepared_query, among=None)


def search_newest(
    prepared_query: PreparedQuery, among: EpisodeQuerySet, candidate_count: int
) -> SearchResults:
    newest = among.newest_first(is_single_show=False)[:SAMPLE_SIZE]
    return replace(
        _rank_or_retry_names_as_words(prepared_query, newest),
        is_cut=candidate_count > SAMPLE_SIZE,
    )


# -- one search ------------------------------------------------------------------------------------

# Parts of a score, chosen on queries about several shows (docs/search.md).
SPOKEN_VALUE = 4.5  # of a term in the transcript, near another one: a little less than in notes
SCATTERED_VALUE = 1  # of a term anywhere else in the transcript
# An episode without a transcript gets so many times the mean of the points that transcripts add to all matches.
MEAN_GAIN_FACTOR = 2
LEAST_COVERAGE = 0.5  # the part of a score that does not depend on the share of matched terms

# What makes an episode that lacks a term a result. Terms count only if it is relevant enough.
RELEVANT_WITH_TERMS = 0.4
ENOUGH_SHARE = 0.35  # of the weight of all terms
SHORT_PASSAGE = 60  # characters within which two terms are said
SHORT_PASSAGE_SHARE = 0.2  # of the weight of all terms, said in such a passage

MAX_NEAREST = 3
MAX_TRANSCRIPTS = 40  # that one search reads, a millisecond each


@dataclass
class _Match:
    """An episode with some terms of a query."""

    episode_id: int
    written_score: float = 0.0
    written_terms: frozenset[int] = frozenset()  # in its texts other than the transcript
    has_topic: bool = False  # it has a topic that the query names
    spoken_terms: frozenset[int] = frozenset()  # anywhere in its transcript
    passage_terms: frozenset[int] = frozenset()  # in the best passage of its transcript
    is_passage_short: bool = False

    @property
    def terms(self) -> frozenset[int]:
        return self.written_terms | self.passage_terms


class _TermHits:
    """The episodes that hold a term."""

    def __init__(self, hits: Sequence[Hits]) -> None:
        self.hits = sorted(hits, key=lambda hit: hit.value)

    @cached_property
    def values_by_episode(self) -> dict[int, int]:
        """Return the value of the term in each episode, by id. A hit in a transcript has the value 0.

        The best location counts, and one more for each further one: 13 for a title (12) and notes (6).
        """
        values: dict[int, int] = {}
        ids_by_location = defaultdict[int, set[int]](set)
        # The hits are sorted by value, so the best one of an episode overwrites the others.
        for hit in self.hits:
            values.update(dict.fromkeys(hit.ids, hit.value))
            ids_by_location[hit.location].update(hit.ids)
        location_counts = Counter(chain.from_iterable(ids_by_location.values()))
        for episode_id, location_count in location_counts.items():
            if location_count > 1:
                values[episode_id] += location_count - 1
        return values

    @property
    def is_written(self) -> bool:
        """Return True if a text other than a transcript has the term."""
        return any(self.values_by_episode.values())

    @property
    def spoken_episode_ids(self) -> list[int]:
        ids = []
        for hit in self.hits:
            if hit.location == LOCATION_VALUES["transcript"]:
                ids += hit.ids
        return ids


@dataclass(frozen=True)
class _Weights:
    """The weights of the terms of a query by their numbers, and of its topics (0 without any)."""

    by_term: Mapping[int, float]
    topic: float
    shares: dict[tuple[frozenset[int], bool], float] = field(default_factory=dict)

    def share_of_matched_weight(
        self, matched_terms: frozenset[int], *, has_topic: bool = False
    ) -> float:
        """Return the share of some terms, and of the topics, in the weight of all, from 0 to 1."""
        key = (matched_terms, has_topic)
        # Few sets of terms are asked for very often.
        if key not in self.shares:
            total = sum(self.by_term.values()) + self.topic
            matched = sum(self.by_term[term] for term in matched_terms)
            if has_topic:
                matched += self.topic
            self.shares[key] = matched / total
        return self.shares[key]


def _rank_or_retry_names_as_words(
    prepared_query: PreparedQuery, among: EpisodeQuerySet | None
) -> SearchResults:
    """Search all listed episodes, or only `among`. Without a result, read names in code as their words."""
    results = _rank_matches(prepared_query, among)
    query = prepared_query.query
    words = split_names_in_code(query.typed_without_exclusions)
    if results.ids or words == query.typed_without_exclusions:
        return results
    query_of_words = prepare_query(words)
    with_exclusions = replace(query_of_words.query, excluded=query.excluded)
    return _rank_matches(replace(query_of_words, query=with_exclusions), among)


def _rank_matches(prepared_query: PreparedQuery, among: EpisodeQuerySet | None) -> SearchResults:
    """Rank the listed episodes that hold enough of a query, or are similar to it.

    The score is the sum of two: the scaled sum of weighted terms, and the similarity of the query to
    title, notes and topics, or to the transcript. It ranks as a convex combination with equal weights
    does (Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023).
    """
    query = prepared_query.query
    if not query.terms:
        return SearchResults(prepared_query, [])
    topic_values = _load_topic_values(query, among)
    *hits_by_term, exact_titles = _load_hits_by_term(prepared_query, among)
    # If episodes have the only word, similar ones are not meant.
    results_of_only_term = _results_of_only_term_or_none(prepared_query, hits_by_term, exact_titles)
    if results_of_only_term:
        return results_of_only_term
    written_count = sum(hits.is_written for hits in hits_by_term)
    similar = compare_query_with_all_episodes(
        query.typed_without_exclusions, written_count / len(query.terms)
    )
    weights = _weigh_terms(hits_by_term, has_topics=bool(topic_values))
    matches = _matches_of_best_episodes(hits_by_term, weights, topic_values)
    _set_terms_of_best_passages(query, matches, weights)
    # Similar episodes are of all shows, not only of `among`.
    if among is None:
        for episode_id in similar.near_ids:
            matches.setdefault(episode_id, _Match(episode_id))
    for episode_id in matches.keys() & _ids_with_excluded_terms(query):
        del matches[episode_id]
    ranking = _Ranking(matches, weights, similar)
    best_first = ranking.sort_best_first(query, exact_titles)
    result_ids, near_miss_ids = ranking.split_results_and_near_misses(best_first)
    return SearchResults(
        prepared_query,
        ids=result_ids[:MAX_RESULTS],
        is_complete=ranking.has_match_with_all_terms,
        is_cut=len(result_ids) > MAX_RESULTS,
        missing_terms=ranking.missing_terms,
        nearest_ids=near_miss_ids[:MAX_NEAREST],
    )


def _results_of_only_term_or_none(
    prepared_query: PreparedQuery, hits_by_term: Sequence[_TermHits], exact_titles: _TermHits
) -> SearchResults | None:
    """Return the episodes whose texts or transcript have the only term of a query, with exact titles first.

    Return None if the query has more terms, or if all these episodes are excluded or hidden by lists.
    """
    values_by_episode = hits_by_term[0].values_by_episode
    if len(hits_by_term) > 1 or not values_by_episode:
        return None
    # The value of the term is the score: there is no other term to weigh it against.
    best_ids = _best_ids_without_hidden_episodes(values_by_episode)
    excluded_ids = _ids_with_excluded_terms(prepared_query.query)
    ids = [episode_id for episode_id in best_ids if episode_id not in excluded_ids]
    if not ids:
        return None
    ids.sort(key=lambda episode_id: episode_id not in exact_titles.values_by_episode)
    return SearchResults(
        prepared_query, ids[:MAX_RESULTS], is_complete=True, is_cut=len(ids) > MAX_RESULTS
    )


def _load_hits_by_term(
    prepared_query: PreparedQuery, among: EpisodeQuerySet | None
) -> list[_TermHits]:
    """Return the hits of each term, and as the last one those of the query as a title."""
    all_hits = prepared_query.load_hits(among)
    number_of_title = len(prepared_query.query.terms)
    hits_by_term = []
    for term in range(number_of_title + 1):
        hits_by_term.append(_TermHits([hits for hits in all_hits if hits.term == term]))
    return hits_by_term


@dataclass(frozen=True)
class _Ranking:
    """The order of matches, and the rules by which a match is a result or only a near miss (docs/search.md has
    both as tables)."""

    matches: Mapping[int, _Match]  # by id of the episode
    weights: _Weights
    similar: SimilarEpisodes

    @cached_property
    def missing_terms(self) -> dict[int, frozenset[int]]:
        """Return the numbers of the terms that neither texts nor transcript of an episode have, by its id.

        Leave out episodes with every term.
        """
        all_terms = frozenset(self.weights.by_term)
        missing_terms = {}
        for match in self.matches.values():
            missing = all_terms - match.written_terms - match.spoken_terms
            if missing:
                missing_terms[match.episode_id] = missing
        return missing_terms

    @property
    def has_match_with_all_terms(self) -> bool:
        return len(self.missing_terms) < len(self.matches)

    def sort_best_first(self, query: Query, exact_titles: _TermHits) -> list[_Match]:
        """Return the matches by their scores. Episodes with the query as their title come first."""
        scores = _scores_by_episode(self.matches, self.weights, self.similar)
        has_limit = any(term.fact and term.fact.is_limit for term in query.terms)

        def rank(match: _Match) -> tuple[bool, bool, float]:
            has_exact_title = match.episode_id in exact_titles.values_by_episode
            # A limit such as "over 20 min" is meant, so episodes that lack it, or another term, come behind.
            comes_behind = has_limit and match.episode_id in self.missing_terms
            return not has_exact_title, comes_behind, -scores[match.episode_id]

        return sorted(self.matches.values(), key=rank)

    def split_results_and_near_misses(
        self, matches: Iterable[_Match]
    ) -> tuple[list[int], list[int]]:
        result_ids: list[int] = []
        near_miss_ids: list[int] = []
        for match in matches:
            has_all_terms = match.episode_id not in self.missing_terms
            is_result = has_all_terms or self.is_result_without_all_terms(match)
            ids = result_ids if is_result else near_miss_ids
            ids.append(match.episode_id)
        return result_ids, near_miss_ids

    def is_result_without_all_terms(self, match: _Match) -> bool:
        # It is so similar to the query that it needs no term.
        if match.episode_id in self.similar.near_ids:
            return True
        # Without an encoder no episode is compared, so each is taken for similar enough.
        similarity = self.similar.similarity.get(match.episode_id, 1.0)
        relevance = similarity + self.similar.share_of_written_terms
        is_relevant = relevance >= RELEVANT_WITH_TERMS
        passage_share = self.weights.share_of_matched_weight(match.passage_terms)
        has_terms_close = match.is_passage_short and passage_share >= SHORT_PASSAGE_SHARE
        # A relevant one needs two terms in its texts, or close together in its transcript.
        if is_relevant and (len(match.written_terms) >= 2 or has_terms_close):
            return True
        if self.has_match_with_all_terms:
            return False
        # As no episode has every term, a topic of the query is enough, or a single term of some weight.
        matched_share = self.weights.share_of_matched_weight(match.terms)
        has_enough_terms = is_relevant and matched_share >= ENOUGH_SHARE
        return match.has_topic or has_enough_terms


def _weigh_terms(hits_by_term: Sequence[_TermHits], *, has_topics: bool) -> _Weights:
    """Return the weight of each term: the logarithm of its rarity. A term that no episode has weighs most."""
    # The weight of a single term changes no order.
    if len(hits_by_term) == 1:
        return _Weights({0: 1.0}, 0.0)
    catalog_size = count_listed_episodes()
    by_term = {}
    for term, hits in enumerate(hits_by_term):
        # A term without episodes counts as half as frequent as a term with one.
        by_term[term] = log(1 + catalog_size / (len(hits.values_by_episode) or 0.5))
    # All topics of the query count half as much as its rarest term.
    topic_weight = max(by_term.values()) / 2 if has_topics else 0.0
    return _Weights(by_term, topic_weight)


def _matches_of_best_episodes(
    hits_by_term: Sequence[_TermHits], weights: _Weights, topic_values: Mapping[int, int]
) -> dict[int, _Match]:
    """Return the listed episodes with the best scores, by id: one more than MAX_RESULTS at most.

    Of equal scores the shorter title comes first, and then the newer episode.
    """
    scores = defaultdict[int, float](float)
    # The terms of an episode as bits of a number: 0b101 has the terms 0 and 2. Very many episodes may have a
    # term, and only the best get sets of terms.
    written_bits = defaultdict[int, int](int)
    spoken_bits = defaultdict[int, int](int)
    for term, hits in enumerate(hits_by_term):
        weight = weights.by_term[term]
        for episode_id, value in hits.values_by_episode.items():
            scores[episode_id] += weight * value
            # The value is 0 if only the transcript has the term.
            if value:
                written_bits[episode_id] |= 1 << term
        for episode_id in hits.spoken_episode_ids:
            spoken_bits[episode_id] |= 1 << term
    for episode_id, value in topic_values.items():
        scores[episode_id] += weights.topic * value
    matches = {}
    for episode_id in _best_ids_without_hidden_episodes(scores):
        matches[episode_id] = _Match(
            episode_id,
            written_score=scores[episode_id],
            written_terms=_positions_of_bits(written_bits.get(episode_id, 0)),
            has_topic=episode_id in topic_values,
            spoken_terms=_positions_of_bits(spoken_bits.get(episode_id, 0)),
        )
    return matches


def _best_ids_without_hidden_episodes(scores: Mapping[int, float]) -> list[int]:
    """Return the ids with the best scores, the best first, without episodes that lists hide.

    One more than MAX_RESULTS shows that there are more. The first MAX_RANKED_BY_TITLE have shorter titles
    first among equal scores.
    """
    # By date, as episodes of several shows may match.
    newest_first = Episode.objects.listed().newest_first(is_single_show=False)
    if len(scores) <= MAX_RANKED_BY_TITLE:
        title_lengths = fetch_title_lengths_by_id(newest_first.with_ids(scores))
        newest_ids = list(title_lengths)
        return _sort_by_score_and_title_length(newest_ids, scores, title_lengths)
    # Of very many episodes, titles are read of the best ones only.
    best_ids = _ids_best_first(scores, newest_first)
    first_ids = best_ids[:MAX_RANKED_BY_TITLE]
    remaining_ids = best_ids[MAX_RANKED_BY_TITLE : MAX_RESULTS + 1]
    # In no order: SQLite would read all notes of a row to come to the date behind them.
    title_lengths = fetch_title_lengths_by_id(Episode.objects.with_ids(first_ids).order_by())
    return _sort_by_score_and_title_length(first_ids, scores, title_lengths) + remaining_ids


def _sort_by_score_and_title_length(
    newest_ids: Iterable[int], scores: Mapping[int, float], title_lengths: Mapping[int, int]
) -> list[int]:
    # An import may have deleted an episode before its title was read. Of equal ranks the newer episode stays first.
    return sorted(
        newest_ids, key=lambda episode_id: (-scores[episode_id], title_lengths.get(episode_id, 0))
    )


def _ids_best_first(scores: Mapping[int, float], newest_first: EpisodeQuerySet) -> list[int]:
    # SQLite reads the ids of all episodes from an index, faster than the rows of very many.
    candidates = newest_first
    if connection.vendor != "sqlite":
        candidates = newest_first.with_ids(scores)
    newest_ids = [episode_id for episode_id in fetch_ids(candidates) if episode_id in scores]
    # Of equal scores the newer episode stays first.
    return sorted(newest_ids, key=scores.__getitem__, reverse=True)


@lru_cache(maxsize=1024)
def _positions_of_bits(number: int) -> frozenset[int]:
    return frozenset(position for position in range(number.bit_length()) if number >> position & 1)


def _set_terms_of_best_passages(
    query: Query, matches: Mapping[int, _Match], weights: _Weights
) -> None:
    """Set `passage_terms` and `is_passage_short` of matches by the passage of their transcript with the most weight.

    Read at most MAX_TRANSCRIPTS transcripts. The passages of other matches stay empty.
    """
    if len(query.non_fact_terms) == 1:
        # No other term has to be near it, so no transcript is read.
        for match in matches.values():
            match.passage_terms = match.spoken_terms
        return
    candidates = []
    for match in matches.values():
        # A passage counts only for terms that no other text of the episode has, and needs two terms near each other.
        has_unwritten_term = bool(match.spoken_terms - match.written_terms)
        if has_unwritten_term and len(match.spoken_terms) >= 2:
            share = weights.share_of_matched_weight(match.spoken_terms)
            candidates.append((share, match.episode_id))
    # The transcripts with the most weight of terms.
    ids = ", ".join(str(episode_id) for _, episode_id in nlargest(MAX_TRANSCRIPTS, candidates))
    if ids:
        statement = f"SELECT episode_id, text FROM episodes_transcript WHERE episode_id IN ({ids})"
        for episode_id, text in fetch_rows(statement):
            _set_best_passage(matches[episode_id], iterate_passages(text, query), weights)


def _set_best_passage(match: _Match, passages: Iterable[Passage], weights: _Weights) -> None:
    best_value = 0.0
    for passage in passages:
        length = min(passage.end - passage.start, CLOSE)  # a long last word may reach farther
        # From 1 for terms side by side to 0.5 for terms at the greatest distance.
        closeness = 1 - length / (2 * CLOSE)
        value = weights.share_of_matched_weight(passage.terms) * closeness
        # A single term is near no other.
        if len(passage.terms) >= 2 and value > best_value:
            best_value = value
            match.passage_terms = passage.terms
            match.is_passage_short = length <= SHORT_PASSAGE


def _scores_by_episode(
    matches: Mapping[int, _Match], weights: _Weights, similar: SimilarEpisodes
) -> dict[int, float]:
    """Return the score of each match, by id: the points of its terms, scaled to at most 1, plus its
    similarity."""
    points_by_episode = {}
    largest_share = 0.0  # of all terms by their weight, that one match has
    for match in matches.values():
        share = weights.share_of_matched_weight(match.terms, has_topic=match.has_topic)
        largest_share = max(largest_share, share)
        score_of_terms = match.written_score + _spoken_points(match, weights)
        points_by_episode[match.episode_id] = _with_coverage(score_of_terms, share)
    _add_points_for_missing_transcripts(points_by_episode, matches, weights)
    most_points = max(points_by_episode.values(), default=0) or 1  # it is a divisor
    scores = {}
    for episode_id, points in points_by_episode.items():
        # The most points become 1 if a match has all terms, and less if even the best has a part of them.
        scaled_points = largest_share * points / most_points
        scores[episode_id] = scaled_points + similar.similarity.get(episode_id, 0.0)
    return scores


def _spoken_points(match: _Match, weights: _Weights) -> float:
    """Return the points of the terms that only the transcript of a match has."""
    points = 0.0
    for term in match.spoken_terms - match.written_terms:
        value = SPOKEN_VALUE if term in match.passage_terms else SCATTERED_VALUE
        points += weights.by_term[term] * value
    return points


def _add_points_for_missing_transcripts(
    points_by_episode: dict[int, float], matches: Mapping[int, _Match], weights: _Weights
) -> None:
    """Give episodes without a transcript the points that one would be expected to add.

    Otherwise an episode ranks lower only because nobody has written down what it says.
    """
    ids_with_transcript = _load_ids_with_transcript(matches.values())
    gains = []  # points that a transcript adds to a match
    for match in matches.values():
        if match.episode_id in ids_with_transcript:
            written_share = weights.share_of_matched_weight(
                match.written_terms, has_topic=match.has_topic
            )
            points_without_transcript = _with_coverage(match.written_score, written_share)
            gains.append(points_by_episode[match.episode_id] - points_without_transcript)
    if gains:
        # Of all matches, so it is small if few of them have a transcript.
        # In any order the same to the last digit: databases give the matches in different orders.
        mean_gain = fsum(gains) / len(matches)
        for episode_id in points_by_episode.keys() - ids_with_transcript:
            points_by_episode[episode_id] += MEAN_GAIN_FACTOR * mean_gain


def _load_ids_with_transcript(matches: Iterable[_Match]) -> set[int]:
    """Return the ids of all episodes with a transcript, or none if no match has a spoken term."""
    if not any(match.spoken_terms for match in matches):
        return set()
    return {
        episode_id for (episode_id,) in fetch_rows("SELECT episode_id FROM episodes_transcript")
    }


def _with_coverage(score: float, share: float) -> float:
    """Return a score of terms, reduced if these have only a share of the weight of all terms."""
    return score * (LEAST_COVERAGE + (1 - LEAST_COVERAGE) * share)


def _load_topic_values(query: Query, among: EpisodeQuerySet | None) -> dict[int, int]:
    """Return the value of the topics of a query of several words in the episodes that have them, by id.

    The query is read as if it were an episode's title. The index has the names of topics, so a single
    word finds them by itself.
    """
    if len(query.terms) < 2:
        return {}
    rules = [
        TopicRule.from_fields(topic.slug, topic.aliases, topic.rules)
        for topic in Topic.objects.all()
    ]
    # The query stands for the title and for the text of the notes. It has no links and no keywords.
    tags = find_topic_tags(query.typed, query.typed, (), (), rules)
    if not tags:
        return {}
    episode_topics = EpisodeTopic.objects.filter(topic__slug__in=[tag.topic for tag in tags])
    if among is not None:
        episode_topics = episode_topics.filter(episode__in=among)
    values: dict[int, int] = {}
    for episode_id, assigned_by in episode_topics.values_list("episode", "field"):
        # A topic of the title counts as the title's words do.
        location = "title" if assigned_by == "title" else "topic"
        value = LOCATION_VALUES[location]
        # An episode may have several topics of the query.
        values[episode_id] = max(value, values.get(episode_id, 0))
    return values


def _ids_with_excluded_terms(query: Query) -> set[int]:
    ids = set[int]()
    if query.excluded:
        # Only the very words: "-mac" leaves episodes about machines.
        excluded = tuple(replace(term, quoted=True) for term in query.excluded)
        for hits in PreparedQuery(Query("", excluded)).load_hits():
            ids.update(hits.ids)
    return ids
