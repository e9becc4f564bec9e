"""Search: the query language, the engines of both databases, why something was found, and excerpts."""
