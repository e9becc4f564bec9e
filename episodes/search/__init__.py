"""Search: the query language, the engines of both databases, the order of results, and excerpts."""

from . import excerpts
from .by_name import NameMatch, find_by_name
from .corrections import suggest_queries
from .engine import PreparedQuery
from .excerpts import Moment, Passage, find_passages, passage_moment
from .occurrences import find_terms
from .prepare import prepare_query
from .ranking import SearchResults, search_episodes, search_newest
from .terms import Query, parse_query, query_for_names

__all__ = [
    "Moment",
    "NameMatch",
    "Passage",
    "PreparedQuery",
    "Query",
    "SearchResults",
    "excerpts",
    "find_by_name",
    "find_passages",
    "find_terms",
    "parse_query",
    "passage_moment",
    "prepare_query",
    "query_for_names",
    "search_episodes",
    "search_newest",
    "suggest_queries",
]
