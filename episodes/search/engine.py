"""Search in the index of the database, PostgreSQL's `tsvector` or SQLite's FTS5. Triggers keep the index."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import product
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Q
from django.db.models.functions import Length

from ..models import Episode, EpisodeQuerySet, joined_sql
from .terms import MAX_WORDS_BETWEEN, TITLE_EDGE, Query, Term, can_begin_words

# The kinds of text with their numbers in the index.
TEXT_KINDS = {
    "title": 0,
    "notes": 1,
    "topic": 2,
    "name": 3,
    "person": 4,
    "link": 5,
    "transcript": 6,
    "chapter": 7,
}
# Texts of an episode's own row. An index has most of its texts of these kinds.
_ROW_KINDS = ("title", "notes")

FACT = "fact"  # a property of the episode that no text needs to name: a year, a length
# The locations that may hold a term, with the value of its very spelling. Another form counts one less. Only titles
# and notes are searched for the very spelling, so a term in another location counts one less always: nothing in a
# transcript.
LOCATION_VALUES = {
    FACT: 20,
    "title": 12,
    "topic": 8,
    "name": 8,
    "person": 8,
    "notes": 6,
    "link": 6,
    "chapter": 6,
    "transcript": 1,
}


class SqlStatement(NamedTuple):
    """A statement with the values of its placeholders."""

    sql: str
    values: Sequence[Any]


_EMPTY_POOL = SqlStatement("SELECT 0 WHERE 1 = 0", [])


@dataclass(frozen=True)
class PreparedQuery:
    """A query ready for the database, with other forms of its words and long forms of abbreviations."""

    query: Query
    word_forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    long_forms: Mapping[str, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    numbered_ids: Sequence[int] = ()  # of the episodes that it names by their show and number

    def engine_expression(self, term: Term, *, is_exact: bool) -> str:
        """Return the expression of the engine for a term and its other spellings, joined with "or".

        If `is_exact`, leave out other forms and longer words, but not those of two words near each other.
        Nothing in the term is taken for syntax.
        """
        if term.alternatives:
            alternatives = (replace(term, alternatives=()), *term.alternatives)
            return _any_expression(
                self.engine_expression(alternative, is_exact=is_exact)
                for alternative in alternatives
            )
        if term.near:
            return _near_expression(*term.pieces)
        # Quotes ask for the very words.
        only_spellings = is_exact or term.quoted
        return _any_expression(self._expressions_for_term(term, only_spellings=only_spellings))

    def _expressions_for_term(self, term: Term, *, only_spellings: bool) -> list[str]:
        """Return an expression for each spelling and each other form of a term: `"compile" *` and `"compiling"`
        for "compile" in SQLite. With `only_spellings` leave out other forms and longer words."""
        expressions = [
            phrase_expression(spelling, is_prefix=not only_spellings)
            for spelling in self._spellings_as_word_tuples(term)
        ]
        # A term such as "under 15 minutes" is a fact of the episode, and has no words that texts could have.
        has_words = bool(term.pieces)
        if only_spellings or not has_words:
            return expressions
        *first_words, last_word = term.pieces
        for form in self.word_forms.get(last_word, ()):
            # The beginning "compile" finds "compiled" already.
            has_searched_beginning = can_begin_words(last_word) and form.startswith(last_word)
            if not has_searched_beginning:
                expressions.append(phrase_expression((*first_words, form)))
        return expressions

    def _spellings_as_word_tuples(self, term: Term) -> list[tuple[str, ...]]:
        """Return the spellings of a term, each as words in a row: "GPT-4" is `gpt 4` and `gpt4`."""
        # "gpt4.5" has the pieces "gpt", "4", "5", is written as "gpt4", "5", and as one word it is "gpt45".
        spellings = [term.pieces, term.written, *((word,) for word in term.one_word_spellings)]
        # "amp" is also "automatic mixed precision".
        if not term.quoted:
            spellings += self.long_forms.get("".join(term.pieces), ())
        return [spelling for spelling in dict.fromkeys(spellings) if spelling]

    def any_episode_has_all_terms(self) -> bool:
        """Return True if some listed episode has every term, or another form of it, anywhere in its texts."""
        if self._any_title_or_notes_have_all_terms():
            return True
        statement = "SELECT id FROM hits WHERE EXISTS (SELECT 0 FROM episodes_episode e WHERE e.id = hits.id AND e.listed)"
        term_count = len(self.query.terms)
        # With a single term the first row is enough: groups need all rows of a common word.
        if term_count > 1:
            statement += f" GROUP BY id HAVING count(DISTINCT term) >= {term_count}"
        return bool(self.fetch_matching_rows(f"{statement} LIMIT 1"))

    def _any_title_or_notes_have_all_terms(self) -> bool:
        """Return True if the title, or the notes, of some listed episode have every term.

        The engine stops at the first one, so this takes no longer for common words.
        """
        terms = self.query.terms
        # A fact such as "under 15 minutes" has no words that an index could find.
        if not terms or not all(term.pieces for term in terms):
            return False
        # If a term is searched in titles alone, all are: the query is nothing but "how does".
        row_kinds = ("title",) if terms[0].title_only else _ROW_KINDS
        texts = sql_of_matching_texts(row_kinds)
        expressions = [f"({self.engine_expression(term, is_exact=False)})" for term in terms]
        and_operator = " & " if connection.vendor == "postgresql" else " AND "
        statement = (
            f"SELECT 0 FROM ({texts}) texts WHERE EXISTS "
            "(SELECT 0 FROM episodes_episode e WHERE e.id = row_id AND e.listed) LIMIT 1"
        )
        return bool(fetch_rows(statement, [and_operator.join(expressions)]))

    def load_hits(self, among: EpisodeQuerySet | None = None) -> list["Hits"]:
        """Return the episodes that hold the terms, only of `among`: hits for each term and location.

        Hits of the number behind the last term are the episodes with the query as their title.
        """
        # Often the same episodes have the very spelling of a word, with the value 12, and any form of it, with the
        # value 11. Then the higher value is enough, and the ids are split once.
        best_values: dict[tuple[int, int, str | None], int] = {}
        for term, location, value, joined_ids in self._fetch_hit_rows(among):
            hit = (term, location, joined_ids)
            best_values[hit] = max(value, best_values.get(hit, 0))
        return [
            Hits(term, location, value, _split_into_integers(joined_ids))
            for (term, location, joined_ids), value in best_values.items()
        ]

    def _fetch_hit_rows(
        self, among: EpisodeQuerySet | None
    ) -> list[tuple[int, int, int, str | None]]:
        """Return the term, the location, the value and the ids of hits: (0, 12, 11, "7,31") is another form of the
        term 0 in the titles of the episodes 7 and 31. A lookup that finds nothing has None for ids."""
        # The tables `hits` and `pool` come from `fetch_matching_rows`.
        if among is None:
            pool = _EMPTY_POOL
            id_condition = "IS NOT NULL"  # true of every id
        else:
            pool = ids_statement(among)
            id_condition = "IN (SELECT id FROM pool)"
        # `hits` has all forms of a term alike, so each counts as another form, one less than the very spelling.
        statements = [
            f"SELECT term, location, location - 1 AS value, {joined_sql('id')} AS joined_ids "
            f"FROM hits WHERE id {id_condition} GROUP BY term, location"
        ]
        expressions = []
        # Titles and notes are looked up by themselves, because there the very spelling counts more.
        for lookup in self._iterate_title_and_note_lookups():
            location = LOCATION_VALUES[lookup.kind]
            value = location if lookup.is_exact else location - 1
            statements.append(
                f"SELECT {lookup.term}, {location}, {value}, {joined_sql('row_id')} "
                f"FROM ({sql_of_matching_texts([lookup.kind])}) texts WHERE row_id {id_condition}"
            )
            expressions.append(lookup.expression)
        # The lookups search titles and notes, so the table `hits` need not.
        other_kinds = TEXT_KINDS.keys() - set(_ROW_KINDS)
        return self.fetch_matching_rows(
            " UNION ALL ".join(statements), expressions, kinds=other_kinds, pool=pool
        )

    def _iterate_title_and_note_lookups(self) -> Iterator["_RowLookup"]:
        """Yield the lookups of each term in titles and notes, for its very spelling and for all its forms, and of
        the query as a title."""
        for number, term in enumerate(self.query.terms):
            kinds = ("title",) if term.title_only else _ROW_KINDS
            for kind, is_exact in product(kinds, (False, True)):
                if term.pieces:
                    expression = self.engine_expression(term, is_exact=is_exact)
                    yield _RowLookup(number, kind, is_exact, expression)
        if self.query.pieces:
            # The index has an edge before and after each title, so this finds titles of just these words.
            expression = phrase_expression((TITLE_EDGE, *self.query.pieces, TITLE_EDGE))
            # The number behind the last term stands for the title.
            number = len(self.query.terms)
            yield _RowLookup(number, "title", is_exact=True, expression=expression)

    def fetch_matching_rows(
        self,
        statement: str,
        values: Sequence[Any] = (),
        *,
        kinds: Collection[str] = TEXT_KINDS,
        pool: SqlStatement = _EMPTY_POOL,
    ) -> list[tuple[Any, ...]]:
        """Return the rows of a statement that may read three tables.

        - `texts (term, kind, row_id)` has the texts of `kinds` that match a term, by its number.
        - `hits (term, location, id)` has the episodes that hold a term in these texts, and where.
        - `pool (id)` has the ids of `pool`.
        """
        texts = self._texts_statement(kinds)
        hits = self._hits_statement()
        # `related_texts` has the few texts of topics, people and other rows that lead to episodes.
        tables = (
            f"WITH pool (id) AS MATERIALIZED ({pool.sql}), "
            f"texts (term, kind, row_id) AS MATERIALIZED ({texts.sql}), "
            f"related_texts AS MATERIALIZED (SELECT * FROM texts WHERE kind > {TEXT_KINDS['notes']}), "
            f"hits (term, location, id) AS ({hits.sql})"
        )
        return fetch_rows(
            f"{tables} {statement}", [*pool.values, *texts.values, *hits.values, *values]
        )

    def _texts_statement(self, kinds: Collection[str]) -> SqlStatement:
        """Return the statement of the table `texts`. Its values are the expressions that it searches for."""
        # UNION ALL needs a statement even if no term has words.
        statements = ["SELECT 0, 0, 0 WHERE 1 = 0"]
        expressions = []
        for number, term in enumerate(self.query.terms):
            searched_kinds = {"title"}.intersection(kinds) if term.title_only else kinds
            if term.pieces and searched_kinds:
                statements.append(sql_of_matching_texts(searched_kinds, number))
                expressions.append(self.engine_expression(term, is_exact=False))
        return SqlStatement(" UNION ALL ".join(statements), expressions)

    def _hits_statement(self) -> SqlStatement:
        """Return the statement of the table `hits`: the term, the value of the location, and the id of the episode."""
        statements = _statements_of_hits_by_texts()
        values: list[Any] = []
        for match in self._iterate_direct_match_statements():
            # Each episode of the match has each of these terms. `column1` is the name that databases give the
            # column of VALUES, here the number of a term.
            numbers = ", ".join(f"({number})" for number in match.terms)
            statements.append(
                f"SELECT column1, {LOCATION_VALUES[match.location]}, id FROM ({match.ids.sql}) matches "
                f"CROSS JOIN (VALUES {numbers}) terms"
            )
            values += match.ids.values
        return SqlStatement(" UNION ALL ".join(statements), values)

    def _iterate_direct_match_statements(self) -> Iterator["_DirectMatchStatement"]:
        """Yield statements for matches that no index of words has: facts, letters inside words, and exact
        titles."""
        for number, term in enumerate(self.query.terms):
            for alternative in (term, *term.alternatives):
                yield from _iterate_direct_match_statements_of_term(number, alternative)
        if self.query.terms:
            yield from self._iterate_exact_title_statements()

    def _iterate_exact_title_statements(self) -> Iterator["_DirectMatchStatement"]:
        # An exact title has every term. The number behind the last term stands for the title.
        terms_and_title = range(len(self.query.terms) + 1)
        # The indexes leave out rare characters that Python takes for letters. They have all titles in ASCII.
        if not self.query.typed.isascii():
            ids = _ids_statement_by_condition(Q(title__iexact=self.query.typed))
            yield _DirectMatchStatement("title", terms_and_title, ids)
        # A query such as "Loom Hour 7", the show and number of an episode, counts as its exact title.
        if self.numbered_ids:
            ids = _ids_statement_by_condition(Q(pk__in=self.numbered_ids))
            yield _DirectMatchStatement("title", terms_and_title, ids)


class Hits(NamedTuple):
    """The episodes that hold a term in one location. Locations of equal value count as one."""

    term: int
    location: int  # its value in LOCATION_VALUES
    value: int  # of the term in these episodes
    ids: list[int]


class _RowLookup(NamedTuple):
    """A term to look up in the titles or the notes, which have a row for each episode."""

    term: int
    kind: str  # of the text
    is_exact: bool  # the very spelling is searched
    expression: str


class _DirectMatchStatement(NamedTuple):
    """A statement for the ids of the episodes that have some terms in a location."""

    location: str
    terms: Sequence[int]
    ids: SqlStatement


def _iterate_direct_match_statements_of_term(
    number: int, term: Term
) -> Iterator[_DirectMatchStatement]:
    if term.fact:
        ids = _ids_statement_by_condition(Q(*term.fact.lookups))
        yield _DirectMatchStatement(FACT, [number], ids)
    if term.unspaced_substring_or_empty:
        # LIKE takes these characters for wildcards.
        letters = re.sub(r"[\\%_]", r"\\\g<0>", term.unspaced_substring_or_empty)
        for location, sql in _LETTERS_INSIDE[connection.vendor].items():
            ids = SqlStatement(sql, [f"%{letters}%"])
            yield _DirectMatchStatement(location, [number], ids)
    if term.halves_if_punctuated:
        yield from _iterate_punctuated_word_statements(number, term)


def _iterate_punctuated_word_statements(
    term_number: int, term: Term
) -> Iterator[_DirectMatchStatement]:
    """Yield statements for titles and notes that have the word of a term with a sign inside: "wi-fi" for `wifi`."""
    # The index leaves out signs. So it gives the texts with the words "wi fi" in a row, and of these the database
    # reads up to 1,000, the newest, for the pattern "wi-fi".
    phrases = _any_expression(map(phrase_expression, term.halves_if_punctuated))
    for location, has_pattern in _HAS_PATTERN[connection.vendor].items():
        candidates = f"{sql_of_matching_texts([location])} ORDER BY row_id DESC LIMIT 1000"
        sql = f"SELECT row_id AS id FROM ({candidates}) candidates WHERE {has_pattern}"
        ids = SqlStatement(sql, [phrases, term.punctuated_word_pattern])
        yield _DirectMatchStatement(location, [term_number], ids)


def _ids_statement_by_condition(condition: Q) -> SqlStatement:
    return ids_statement(Episode.objects.filter(condition).order_by())


def _statements_of_hits_by_texts() -> list[str]:
    statements = []
    for kind in _ROW_KINDS:
        statements.append(
            f"SELECT term, {LOCATION_VALUES[kind]}, row_id FROM texts "
            f"WHERE kind = {TEXT_KINDS[kind]}"
        )
    for kind, (table, text_column) in _TABLES_WITH_EPISODES.items():
        statements.append(
            f"SELECT r.term, {LOCATION_VALUES[kind]}, t.episode_id FROM related_texts r "
            f"JOIN {table} t ON t.{text_column} = r.row_id WHERE r.kind = {TEXT_KINDS[kind]}"
        )
    return statements


# The tables that lead from texts of a kind to their episodes, each with its column for the row of a text.
_TABLES_WITH_EPISODES = {
    "topic": ("episodes_episodetopic", "topic_id"),
    "name": ("episodes_codemention", "name_id"),
    "person": ("episodes_credit", "person_id"),
    "link": ("episodes_episodelink", "link_id"),
    "transcript": ("episodes_transcript", "id"),
    "chapter": ("episodes_chapter", "id"),
}
# Titles and notes with some letters anywhere in them, also inside a run of letters. SQLite keeps the folded texts. PostgreSQL
# would take ten times as long to fold all notes again, so it folds only notes with letters of another width.
_LETTERS_INSIDE = {
    "sqlite": {
        "title": "SELECT rowid / 8 AS id FROM episodes_searchtext WHERE rowid %% 8 = 0 AND title LIKE %s ESCAPE '\\'",
        "notes": "SELECT rowid / 8 AS id FROM episodes_searchtext WHERE rowid %% 8 = 1 AND notes LIKE %s ESCAPE '\\'",
    },
    "postgresql": {
        "title": "SELECT id FROM episodes_episode WHERE episodes_search_fold(title) LIKE %s ESCAPE '\\'",
        "notes": "SELECT id FROM (SELECT id, description_text, replace(%s, ' ', '') AS letters FROM episodes_episode) notes "
        "WHERE description_text ILIKE letters ESCAPE '\\' "
        "OR (description_text ~ '[０-９Ａ-Ｚａ-ｚｦ-ﾟ]' AND normalize(description_text, NFKC) ILIKE letters ESCAPE '\\')",
    },
}
# Conditions that the folded title or notes of an episode have a pattern.
_HAS_PATTERN = {
    "sqlite": {
        "title": "(SELECT title FROM episodes_searchtext WHERE rowid = row_id * 8) REGEXP %s",
        "notes": "(SELECT notes FROM episodes_searchtext WHERE rowid = row_id * 8 + 1) REGEXP %s",
    },
    "postgresql": {
        "title": "(SELECT episodes_search_fold(title) FROM episodes_episode WHERE id = row_id) ~ %s",
        "notes": "(SELECT episodes_search_fold(description_text) FROM episodes_episode WHERE id = row_id) ~ %s",
    },
}


# -- expressions and statements --------------------------------------------------------------------


def _any_expression(expressions: Iterable[str]) -> str:
    or_operator = " | " if connection.vendor == "postgresql" else " OR "
    return or_operator.join(expressions)


def phrase_expression(pieces: Sequence[str], *, is_prefix: bool = False) -> str:
    """Return an expression for pieces in a row. If `is_prefix`, the last may begin a longer word.

    Pieces hold no punctuation, so quotes are enough.
    """
    is_prefix = is_prefix and can_begin_words(pieces[-1])
    if connection.vendor == "postgresql":
        expression = " <-> ".join(f"'{piece}'" for piece in pieces)
        return f"{expression}:*" if is_prefix else expression
    expression = f'"{" ".join(pieces)}"'
    return f"{expression} *" if is_prefix else expression


def _near_expression(first_word: str, second_word: str) -> str:
    first = phrase_expression((first_word,), is_prefix=True)
    second = phrase_expression((second_word,), is_prefix=True)
    if connection.vendor == "sqlite":
        return f"NEAR({first} {second}, {MAX_WORDS_BETWEEN})"
    # PostgreSQL looks for one exact distance at a time.
    distances = []
    # Side by side is a distance of 1, and 0 is one word that begins like both.
    for distance in range(MAX_WORDS_BETWEEN + 2):
        distances.append(f"({first} <{distance}> {second}) | ({second} <{distance}> {first})")
    return " | ".join(distances)


def sql_of_matching_texts(kinds: Iterable[str], term_number: int = 0) -> str:
    """Return SQL for texts that match an expression: the number, and the kind and row of each text."""
    # In SQLite the id of a text is 8 * row + kind. `%%` is `%` in a statement with values.
    if connection.vendor == "sqlite":
        # The texts of a kind are in a column of that name: `{notes title} : (word)` finds a word in two.
        columns = "{" + " ".join(sorted(kinds)) + "}"
        return (
            f"SELECT {term_number} AS term, rowid %% 8 AS kind, rowid / 8 AS row_id "
            f"FROM episodes_searchtext WHERE episodes_searchtext MATCH '{columns} : (' || %s || ')'"
        )
    # PostgreSQL has a partial index for each kind. It uses them for "kind = 0 OR kind = 1", and not for IN.
    any_kind = " OR ".join(f"kind = {TEXT_KINDS[kind]}" for kind in kinds)
    return (
        f"SELECT {term_number} AS term, kind, row_id FROM episodes_searchtext "
        f"WHERE words @@ to_tsquery('pg_catalog.simple', %s) AND ({any_kind})"
    )


def _split_into_integers(joined: str | None) -> list[int]:
    """Return [7, 31] for "7,31", and [] for None, the result of no rows."""
    return list(map(int, joined.split(","))) if joined else []


def fetch_ids(episodes: EpisodeQuerySet) -> list[int]:
    statement = ids_statement(episodes)
    sql = f"SELECT {joined_sql('id')} FROM ({statement.sql}) ordered"
    ((joined_ids,),) = fetch_rows(sql, statement.values)
    return _split_into_integers(joined_ids)


def count_listed_episodes() -> int:
    # This is true of all dates. With it SQLite counts in an index, else it would read all rows with notes.
    has_date = Q(sorted_at__gte=datetime.min.replace(tzinfo=UTC))
    return Episode.objects.listed().filter(has_date).count()


def fetch_title_lengths_by_id(episodes: EpisodeQuerySet) -> dict[int, int]:
    """Return the lengths of the titles of episodes, by id, in their order."""
    return dict(episodes.values_list("id", Length("title")))


def ids_statement(episodes: EpisodeQuerySet) -> SqlStatement:
    sql, values = episodes.values("id").query.get_compiler(episodes.db).as_sql()
    return SqlStatement(sql, values)


def fetch_rows(sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())
