"""Search: the query language, the engines of both databases, the order of results, and excerpts."""

from . import excerpts
from .corrections import corrected_queries
from .engine import PreparedQuery, named, prepare
from .excerpts import Moment, Passage, moment_of, passages
from .ranking import MOST_RESULTS, Results, newest_results, results
from .terms import Query, named_query, parse_query, terms_in

__all__ = [
    "MOST_RESULTS",
    "Moment",
    "Passage",
    "PreparedQuery",
    "Query",
    "Results",
    "corrected_queries",
    "excerpts",
    "moment_of",
    "named",
    "named_query",
    "newest_results",
    "parse_query",
    "passages",
    "prepare",
    "results",
    "terms_in",
]
