"""Search: the query language, the engines of both databases, the order of results, and excerpts."""

from . import excerpts
from .by_address import find_links_of_address
from .by_name import NameMatch, find_name_matches
from .completions import complete_with_or_operator, find_queries_with_completed_exclusion
from .corrections import iterate_matching_corrected_queries
from .engine import PreparedQuery
from .excerpts import (
    Moment,
    Passage,
    distinct_moments_of_passages,
    find_passages,
    moment_of_passage,
)
from .occurrences import find_term_numbers
from .prepare import prepare_query
from .ranking import (
    SearchResults,
    search_episodes,
    search_newest,
)
from .terms import Query, parse_query, query_for_names

__all__ = [
    "Moment",
    "NameMatch",
    "Passage",
    "PreparedQuery",
    "Query",
    "SearchResults",
    "complete_with_or_operator",
    "distinct_moments_of_passages",
    "excerpts",
    "find_links_of_address",
    "find_name_matches",
    "find_passages",
    "find_queries_with_completed_exclusion",
    "find_term_numbers",
    "iterate_matching_corrected_queries",
    "moment_of_passage",
    "parse_query",
    "prepare_query",
    "query_for_names",
    "search_episodes",
    "search_newest",
]
