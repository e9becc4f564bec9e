"""Topics, symbols, people and links with every word of a query in their names."""

from typing import NamedTuple

from .engine import TEXT_KINDS, PreparedQuery


class NameMatch(NamedTuple):
    """Something with every word of a query in its name."""

    kind: str  # topic, name, person or link
    name: str
    key: str  # the slug, or the key of a link
    link_kind: str  # "" unless it is a link


class _NamedTable(NamedTuple):
    """A table of things with names: columns in SQL, and the condition that an episode has the thing."""

    table: str
    is_used: str
    name: str = "name"
    key: str = "slug"
    link_kind: str = "''"


_HAS_EPISODES = "episode_count > 0"
_TABLES = {
    "topic": _NamedTable(
        "episodes_topic",
        "EXISTS (SELECT 0 FROM episodes_episodetopic WHERE topic_id = episodes_topic.id)",
    ),
    "name": _NamedTable("episodes_codename", _HAS_EPISODES),
    "person": _NamedTable("episodes_person", _HAS_EPISODES),
    "link": _NamedTable(
        "episodes_link",
        f"{_HAS_EPISODES} AND kind <> 'episode'",  # episodes are found by themselves
        "CASE title WHEN '' THEN key ELSE title END",
        "key",
        "kind",
    ),
}


def find_name_matches(prepared_query: PreparedQuery, max_per_kind: int) -> list[NameMatch]:
    """Find topics, symbols, people and links of episodes, with every word of a query in their names.

    Of each kind the very name comes first, then shorter names.
    """
    # Facts such as "under 15 minutes" are in no name.
    term_numbers = sorted(prepared_query.query.non_fact_terms)
    if not term_numbers:
        return []
    statements = [_matching_names_statement(kind, term_numbers, max_per_kind) for kind in _TABLES]
    # Each statement has one placeholder, for the typed query.
    values = [prepared_query.query.typed] * len(statements)
    rows = prepared_query.fetch_matching_rows(" UNION ALL ".join(statements), values, kinds=_TABLES)
    return [NameMatch(*row) for row in rows]


def _matching_names_statement(kind: str, term_numbers: list[int], limit: int) -> str:
    """Return SQL for the rows of one kind whose names have all terms, the very name first, then by length.

    It is for `PreparedQuery.fetch_matching_rows`, which puts the table `texts` before it. Its only value
    is the typed query.
    """
    table = _TABLES[kind]
    with_terms = [
        f"SELECT row_id FROM texts WHERE kind = {TEXT_KINDS[kind]} AND term = {number}"
        for number in term_numbers
    ]
    ids_with_all_terms = " INTERSECT ".join(with_terms)
    is_name_equal = f"lower({table.name}) = lower(%s)"
    # Within another SELECT, because SQLite takes no ORDER BY and LIMIT in a part of a UNION.
    return (
        f"SELECT * FROM (SELECT '{kind}', {table.name}, {table.key}, {table.link_kind} "
        f"FROM {table.table} WHERE {table.is_used} AND id IN ({ids_with_all_terms}) "
        f"ORDER BY CASE WHEN {is_name_equal} THEN 0 ELSE 1 END, "
        f"length({table.name}), id LIMIT {limit}) of_{kind}"
    )
