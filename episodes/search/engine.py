"""Search in the index of the database, PostgreSQL's `tsvector` or SQLite's FTS5; triggers keep it
(migration 0003)."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from django.db import connection

from ..models import Episode, EpisodeQuerySet
from ..text.search_letters import fold_for_search
from ..text.word_forms import (
    common_beginning,
    is_short,
    long_and_short,
    long_forms_in,
    same_word,
    stem,
)
from .terms import (
    MOST_BETWEEN,
    Query,
    Term,
    is_beginning,
    parse_query,
    pieces_of,
)

SQL: TypeAlias = tuple[str, list[Any]]

# The kinds of text with their numbers in the index.
KINDS = {
    "title": 0,
    "notes": 1,
    "topic": 2,
    "name": 3,
    "person": 4,
    "link": 5,
    "transcript": 6,
    "chapter": 7,
}
FACT = "fact"  # a property of the episode that no text needs to name: a year, a length
AS_IT_STANDS = "as it stands"  # a title that engines do not take for words
# The places that may hold a term, each with its worth; a title with the very word counts one more,
# and equal worths once. A subject is a topic that the title names.
PLACES = {
    FACT: 34,
    "title": 32,
    "subject": 16,
    "topic": 8,
    "name": 4,
    "person": 4,
    "notes": 2,
    "link": 2,
    "chapter": 2,
    "transcript": 1,
    AS_IT_STANDS: 0,
}
OF_TOPIC = f"CASE field WHEN 'title' THEN {PLACES['subject']} ELSE {PLACES['topic']} END"
# The episodes that a text of each kind belongs to.
EPISODES = {
    "title": "row_id FROM texts WHERE",
    "notes": "row_id FROM texts WHERE",
    "topic": "episode_id FROM others texts CROSS JOIN episodes_episodetopic WHERE topic_id = row_id AND",
    "name": "episode_id FROM others texts CROSS JOIN episodes_codemention WHERE name_id = row_id AND",
    "person": "episode_id FROM others texts CROSS JOIN episodes_credit WHERE person_id = row_id AND",
    "link": "episode_id FROM others texts CROSS JOIN episodes_episodelink WHERE link_id = row_id AND",
    "transcript": "episode_id FROM others texts CROSS JOIN episodes_transcript t WHERE t.id = row_id AND",
    "chapter": "episode_id FROM others texts CROSS JOIN episodes_chapter c WHERE c.id = row_id AND",
}
# By the column that has the episode.
HITS = [
    (
        f"SELECT texts.term, exact, {OF_TOPIC if kind == 'topic' else PLACES[kind]}, {ids} kind = {KINDS[kind]}",
        ids.split()[0],
    )
    for kind, ids in EPISODES.items()
]
# After a statement of hits or texts: only of the episodes that are looked through.
IN_POOL = " AND {} IN (SELECT id FROM pool)"
# Titles and notes with some letters anywhere in them, also inside a run of letters. SQLite keeps the folded texts. PostgreSQL
# would take ten times as long to fold all notes again, so it does so for those with letters of another width alone.
CONTAINING = {
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
OWN = ("title", "notes")  # an index has most of its texts of these kinds
# The texts of some kinds that meet an expression. PostgreSQL has an index for each kind.
LOOKUPS = {
    "sqlite": "SELECT {}kind, row_id FROM (SELECT rowid %% 8 AS kind, rowid / 8 AS row_id FROM episodes_searchtext "
    "WHERE episodes_searchtext MATCH %s) texts WHERE ({})",
    "postgresql": "SELECT {}kind, row_id FROM episodes_searchtext "
    "WHERE words @@ to_tsquery('pg_catalog.simple', %s) AND ({})",
}
# The kinds of direct hits: the table, the columns of name, slug or key, and kind of link, and the
# condition that an episode has the thing.
USED = "episode_count > 0"
OF_EPISODE = "EXISTS (SELECT 0 FROM episodes_episodetopic WHERE topic_id = episodes_topic.id)"
NAMED = {
    "topic": ("episodes_topic", "name", "slug", "''", OF_EPISODE),
    "name": ("episodes_codename", "name", "slug", "''", USED),
    "person": ("episodes_person", "name", "slug", "''", USED),
    "link": (
        "episodes_link",
        "CASE title WHEN '' THEN key ELSE title END",
        "key",
        "kind",
        f"{USED} AND kind <> 'episode'",  # episodes are found by themselves
    ),
}
ROOT = 5  # first letters by which words are forms of each other, in a search for the nearest
MOST_READ = 20  # notes that are read for what an abbreviation is short for
MOST_KIN = 16  # terms for which words of the same stem are looked up


@dataclass(frozen=True)
class PreparedQuery:
    """A query made ready for the database: with the words of its vocabulary that are of the same
    stems."""

    query: Query
    kin: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The long forms of abbreviations, as topics and notes give them.
    long_forms: Mapping[str, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    loose: bool = False  # words with the same first ROOT letters count too: endings keep these

    def expression(self, term: Term, exact: bool) -> str:
        """A term in the language of the engine; nothing a reader typed can be taken for syntax in
        it."""
        if term.near:
            return self._both_near(*term.pieces)
        begins = not (exact or term.quoted)
        long = () if term.quoted else self.long_forms.get("".join(term.pieces), ())
        ways = dict.fromkeys((term.pieces, term.written, *zip(term.made, strict=True), *long))
        words = [phrase(pieces, begins=begins) for pieces in ways if pieces]
        if begins and len(term.pieces) == 1:
            (word,) = term.pieces
            words += [phrase((other,)) for other in self.kin.get(word, ())]
            if self.loose and not word.isdecimal():
                words.append(phrase((word[:ROOT],), begins=True))
        return (" | " if connection.vendor == "postgresql" else " OR ").join(words)

    def _both_near(self, first: str, second: str) -> str:
        """Two words that are near each other, in the language of the engine."""
        one, other = (phrase((word,), begins=True) for word in (first, second))
        if connection.vendor == "sqlite":
            return f"NEAR({one} {other}, {MOST_BETWEEN})"
        # PostgreSQL looks for one exact distance at a time.
        apart = range(MOST_BETWEEN + 2)
        return " | ".join(f"({one} <{n}> {other}) | ({other} <{n}> {one})" for n in apart)

    def over_hits(
        self,
        statement: str,
        values: Iterable[Any] = (),
        kinds: Collection[str] = KINDS,
        exact: Sequence[str] = (),
        among: EpisodeQuerySet | None = None,
    ) -> SQL:
        """A statement that may read the tables `texts (term, exact, kind, row_id)` of what the
        index has, and `hits (term, exact, place, id)` of the episodes that hold a term somewhere.

        A term is looked up in texts of these kinds. Of texts of the kinds in `exact` that have it
        spelled so, and not only another form of it, there are second rows. With `among` only these
        episodes, which are then in the table `pool (id)`, are looked through.
        """
        nothing: SQL = ("SELECT 0 WHERE 1 = 0", [])
        end, (pool, of_pool) = ("", nothing) if among is None else (IN_POOL, ids_of(among))
        texts, hits = (
            ["SELECT 0, 0, 0, 0 WHERE 1 = 0"],
            [f"{hit}{end.format(ids)}" for hit, ids in HITS],
        )
        of_texts: list[str] = []
        of_hits: list[Any] = []
        for number, term in enumerate(self.query.terms):
            for very, sought in enumerate((kinds, exact) if term.pieces else ()):
                for lookup_ in self.lookups(sought, number, very, pooled=among is not None):
                    texts.append(lookup_)
                    of_texts.append(self.expression(term, bool(very)))
        for place, numbers, (sql, match_values) in self._conditions():
            each = ", ".join(f"({number})" for number in numbers)
            hits.append(
                f"SELECT column1, 0, {PLACES[place]}, id FROM ({sql}) matches CROSS JOIN (VALUES {each}) terms"
                f" WHERE 1 = 1{end.format('id')}"
            )
            of_hits += match_values
        tables = (
            f"WITH pool (id) AS MATERIALIZED ({pool}), "
            f"texts (term, exact, kind, row_id) AS MATERIALIZED ({' UNION ALL '.join(texts)}), "
            f"others AS MATERIALIZED (SELECT * FROM texts WHERE kind > {KINDS[OWN[-1]]}), "
            f"hits (term, exact, place, id) AS ({' UNION ALL '.join(hits)})"
        )
        return f"{tables} {statement}", [*of_pool, *of_texts, *of_hits, *values]

    def lookups(self, kinds: Collection[str], *columns: int, pooled: bool = False) -> Iterator[str]:
        """Statements for the texts of some kinds; of the pool alone, where a text is an
        episode's own."""
        parts: list[tuple[Collection[str], str]] = [(kinds, "")]
        if pooled:
            own = set(OWN).intersection(kinds)
            parts = [(own, IN_POOL.format("row_id")), (set(kinds) - own, "")]
        for some, end in parts:
            if some:
                yield lookup(some, *columns) + end

    def _conditions(self) -> Iterator[tuple[str, Iterable[int], SQL]]:
        """Places that no index has: each with the terms that it holds, and a statement for the ids
        of its episodes."""
        for number, term in enumerate(self.query.terms):
            if term.fact:
                yield FACT, [number], ids_of(Episode.objects.filter(*term.fact.lookups).order_by())
            if term.letters_inside:
                letters = re.sub(r"[\\%_]", r"\\\g<0>", term.letters_inside)
                for place, statement in CONTAINING[connection.vendor].items():
                    yield place, [number], (statement, [f"%{letters}%"])
        if self.query.terms and not self.query.typed.isascii():
            # The two databases and Python differ about which rare characters are letters.
            titled = Episode.objects.filter(title__iexact=self.query.typed).order_by()
            yield AS_IT_STANDS, range(len(self.query.terms)), ids_of(titled)

    def rows(
        self, statement: str, values: Iterable[Any] = (), **options: Any
    ) -> list[tuple[Any, ...]]:
        """The rows of a statement over hits; the options are those of `over_hits`."""
        return all_rows(*self.over_hits(statement, values, **options))


def chosen(column: str, values: Mapping[int, int]) -> str:
    """SQL for the value that belongs to what a column has."""
    return (
        f"CASE {column} {' '.join(f'WHEN {key} THEN {value}' for key, value in values.items())} END"
    )


def ids_of(found: EpisodeQuerySet) -> SQL:
    """A statement for the ids of episodes."""
    sql, values = found.values("id").query.get_compiler(found.db).as_sql()
    return sql, list(values)


def prepare(text: str) -> PreparedQuery:
    """Make a query ready for the database; asks it for words of the same stems and for
    abbreviations."""
    query = parse_query(text)
    each = {w for term in query.terms for w in (*term.pieces, "".join(term.pieces))}
    words = sorted(filter(is_beginning, each))[:MOST_KIN]
    stems = {common_beginning(stem(word)) for word in words}
    known = words_like(stems - {""})
    kin = {word: tuple(other for other in known if same_word(other, word)) for word in words}
    asked = PreparedQuery(query, kin, _long_forms())
    return replace(asked, long_forms=_with_those_of_notes(asked))


def _with_those_of_notes(asked: PreparedQuery) -> dict[str, Sequence[tuple[str, ...]]]:
    """The long forms of topics, and those that notes with an abbreviation give of it."""
    forms = dict(asked.long_forms)
    short = [term for term in asked.query.terms if term.is_plain and is_short(term.typed)]
    if not short:
        return forms
    each = [
        f"SELECT * FROM ({lookup(['notes'], number)} LIMIT {MOST_READ}) texts"
        for number in range(len(short))
    ]
    notes = f"""
        WITH texts (term, kind, row_id) AS ({" UNION ALL ".join(each)})
        SELECT term, description_text FROM texts JOIN episodes_episode ON id = row_id"""
    words = [phrase(term.pieces) for term in short]
    for number, text in all_rows(notes, words):
        (word,) = short[number].pieces
        told = {
            pieces_of(fold_for_search(long)) for long in long_forms_in(text, short[number].typed)
        }
        forms[word] = sorted(told.union(forms.get(word, ())))
    return forms


def words_like(beginnings: Collection[str]) -> dict[str, None]:
    """The words of the catalog that begin so."""
    if not beginnings:
        return {}
    each = ", ".join(["(%s, %s)"] * len(beginnings))
    statement = f"""
        SELECT term FROM (VALUES {each}) ranges CROSS JOIN episodes_searchword
        WHERE term BETWEEN column1 AND column2"""
    ends = [end for start in sorted(beginnings) for end in (start, f"{start}\U0010ffff")]
    return dict.fromkeys(term for (term,) in all_rows(statement, ends))


def _long_forms() -> dict[str, list[tuple[str, ...]]]:
    """The long forms of abbreviations: "mixed precision (AMP)" is an alias of a topic that gives
    one."""
    aliases = "SELECT CAST(aliases AS text) FROM episodes_topic WHERE CAST(aliases AS text) LIKE %s"
    rows = all_rows(aliases, ["%(%"])
    told = [fold_for_search(str(alias)) for (row,) in rows for alias in json.loads(row)]
    found = defaultdict(list)
    for long, short in sorted(filter(None, map(long_and_short, told))):
        found[short].append(pieces_of(long))
    return found


def phrase(pieces: Sequence[str], *, begins: bool = False) -> str:
    """Pieces in a row, of which the last may begin a word. They hold no signs, so quotes are
    enough."""
    begins = begins and is_beginning(pieces[-1])
    if connection.vendor == "postgresql":
        return " <-> ".join(f"'{piece}'" for piece in pieces) + ":*" * begins
    return f'"{" ".join(pieces)}"' + " *" * begins


def lookup(kinds: Iterable[str], *columns: int) -> str:
    """A statement for the texts of some kinds that meet an expression: these values, the kind and
    the row of each."""
    either = " OR ".join(f"kind = {KINDS[kind]}" for kind in kinds)
    return LOOKUPS[connection.vendor].format("".join(f"{column}, " for column in columns), either)


def named(asked: PreparedQuery, most: int) -> list[tuple[str, str, str, str]]:
    """Topics, names of code, people and links of some episode that hold every word of a query,
    `most` of each: the kind of text, what the thing is called, its slug or key, and the kind of a
    link. That with the very name comes first, then the shorter names."""
    words = [number for number, term in enumerate(asked.query.terms) if not term.fact]
    if not words:
        return []
    kinds = [
        f"SELECT * FROM (SELECT '{kind}', {name}, {slug}, {of_link} FROM {table} "
        f"WHERE {is_used} AND id IN ("
        + " INTERSECT ".join(
            f"SELECT row_id FROM texts WHERE kind = {KINDS[kind]} AND term = {n}" for n in words
        )
        + f") ORDER BY CASE WHEN lower({name}) = lower(%s) THEN 0 ELSE 1 END, length({name}), id "
        f"LIMIT {most}) of_{kind}"
        for kind, (table, name, slug, of_link, is_used) in NAMED.items()
    ]
    return asked.rows(" UNION ALL ".join(kinds), [asked.query.typed] * len(kinds), kinds=[*NAMED])


def all_rows(sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())
