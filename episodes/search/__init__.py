"""Search: the query language, the engines of both databases, and excerpts."""

from . import excerpts
from .engine import (
    VERY,
    Places,
    PreparedQuery,
    Vocabulary,
    did_you_mean,
    ids_of,
    named,
    places,
    prepare,
    ranked,
    search,
)
from .excerpts import teaser
from .nearest import relaxed
from .terms import MOST_TERMS, Query, parse_query, spans, terms_in

__all__ = [
    "MOST_TERMS",
    "VERY",
    "Places",
    "PreparedQuery",
    "Query",
    "Vocabulary",
    "did_you_mean",
    "excerpts",
    "ids_of",
    "named",
    "parse_query",
    "places",
    "prepare",
    "ranked",
    "relaxed",
    "search",
    "spans",
    "teaser",
    "terms_in",
]
