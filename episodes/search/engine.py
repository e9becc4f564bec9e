"""Search: one verb over two engines, PostgreSQL's `tsvector` and SQLite's FTS5, whose index triggers keep (migration 0003)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, product
from math import log2
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from django.apps import apps
from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Case, Q, TextField, Value, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import Length, Lower, Replace
from rapidfuzz import process
from rapidfuzz.distance import OSA

from ..text.abbreviations import long_and_short
from ..text.stems import common_beginning, same_word, stem
from .terms import (
    EDGE,
    MOST_RANKED,
    SHORTEST_BEGINNING,
    STOP_WORDS,
    Query,
    Term,
    parse_query,
    pieces_of,
    plain,
    words_in,
)

if TYPE_CHECKING:
    from ..models import EpisodeQuerySet

SQL: TypeAlias = tuple[str, list[Any]]
Question: TypeAlias = tuple[str, tuple[Any, ...]]  # the same as a key
Episodes = TypeVar("Episodes", bound="EpisodeQuerySet")

FACT = "fact"  # what an episode is, not what a text of it says: a year, a length
ANYWHERE = "anywhere"
SUBJECT = "subject"  # a topic that the title names
# The kinds of text with their numbers in the index, and the table that leads from one to its episodes.
KINDS = {"title": 0, "notes": 1, "topic": 2, "name": 3, "person": 4, "link": 5, "transcript": 6, "chapter": 7}
PATHS = {
    "topic": ("episodes_episodetopic", "topic_id"),
    SUBJECT: ("episodes_episodetopic", "field = 'title' AND topic_id"),
    "name": ("episodes_codemention", "name_id"),
    "person": ("episodes_credit", "person_id"),
    "link": ("episodes_episodelink", "link_id"),
    "transcript": ("episodes_transcript", "id"),
    "chapter": ("episodes_chapter", "id"),
}
PLACES = (*KINDS, FACT)
OWN_WORDS = ("title", "notes", "transcript")  # an episode mentions what it says in one of these
NONE: SQL = ("SELECT 0 WHERE 1 = 0", [])
# What a thing can be called, its slug or key, and what kind of link it is.
NAMED = {
    "topic": ("name", "slug", "''"),
    "name": ("name", "slug", "''"),
    "person": ("name", "slug", "''"),
    "link": ("CASE title WHEN '' THEN key ELSE title END", "key", "kind"),
}
TABLES = {"topic": "topic", "name": "codename", "person": "person", "link": "link"}
# What a term is worth where it stands: more than in all lesser places together. A title that holds the very word, not
# one that begins so, counts twice.
WORTH = {
    ("title", FACT): 32,
    (SUBJECT,): 8,
    ("topic",): 8,
    ("name", "person"): 4,
    ("notes", "link", "chapter"): 2,
    ("transcript",): 1,
}
VERY_WORD = 32
VERY = "very title"
AS_TYPED = 3  # a name of code, spelled with all its signs
MOST_KIN = 12  # terms for which words of the same stem are looked up

MOST_CORRECTED = 4
MOST_CANDIDATES = 12
MOST_TRIED = 6
MOST_COUNTED = 2_000  # episodes that hold a word: of two that more hold, neither is the likelier


@dataclass(frozen=True)
class PreparedQuery:
    """A query made ready for one database: with the words of its vocabulary that are of the same stems."""

    query: Query
    using: str
    kin: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The long forms of abbreviations, as the topics give them.
    long_forms: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    # Where no episode holds every term: those that hold most, best first, each with the numbers of those it lacks.
    nearest: Mapping[int, frozenset[int]] | None = None

    @property
    def connection(self) -> BaseDatabaseWrapper:
        """That of the thread that asks: a query is remembered for all of them."""
        return connections[self.using]

    def expression(self, number: int, *, exact: bool = False) -> str:
        """A term in the language of the engine; nothing a reader typed can be taken for syntax in it."""
        term = self.query.terms[number]
        long = self.long_forms.get(term.spellings[0][0], ()) if term.is_plain else ()
        begins = not (exact or term.quoted)
        words = [_phrase(self.connection, pieces, begins=begins) for pieces in (*term.spellings, *long)]
        if begins:
            others = (*self.query.joined[number], *self._kin(term))
            words += [_phrase(self.connection, (word,)) for word in dict.fromkeys(others)]
        return _either(self.connection, words)

    def _kin(self, term: Term) -> Iterator[str]:
        for pieces in term.spellings:
            if len(pieces) == 1:
                yield from self.kin.get(pieces[0], ())

    def holding(self, number: int, kinds: Iterable[str] = PLACES, *, exact: bool = False) -> SQL:
        """The ids of the episodes that hold a term in one of these places."""
        term, parts = self.query.terms[number], []
        if term.fact and FACT in kinds:
            parts.append(_where(self.using, **dict(term.fact.lookups)))
        if term.spellings and (texts := [kind for kind in kinds if kind != FACT]):
            parts.append(episodes_with(self.connection, self.expression(number, exact=exact), texts))
        return united(parts) if parts else NONE


def prepare(text: str, using: str = "") -> PreparedQuery:
    """Make a query ready for a database, "" for the one that is read from now; asks it once, for words of the same stems
    and for abbreviations."""
    using = using or _read_from()
    query = parse_query(text)
    words = sorted({piece for term in query.terms for pieces in term.spellings for piece in pieces})[:MOST_KIN]
    if not words:
        return PreparedQuery(query, using)
    known, aliases = _vocabulary_of(connections[using], words)
    return PreparedQuery(query, using, _kin(words, known), _long_forms(words, aliases))


def _read_from() -> str:
    return router.db_for_read(apps.get_model("episodes", "Episode"))


def _prepared(text: str | PreparedQuery, using: str) -> PreparedQuery:
    return prepare(text, using) if isinstance(text, str) else text


def search(found: Episodes, text: str | PreparedQuery) -> Episodes:
    """The episodes that hold every term of a query, each anywhere: in title, topics, names, people, links, notes,
    chapters, transcript.

    A term is a word, in any form of the same stem and from three letters on as the beginning of one; a phrase in quotation
    marks; or a name with signs, whose parts must follow each other: `torch.nn`. All else is plain text. A query without
    any letter or digit is looked for in titles as it stands; an empty one asks for nothing.
    """
    asked = _prepared(text, found.db)
    query = asked.query
    if not query.holds_words:
        return found.filter(title__icontains=query.typed) if query.typed else found
    if asked.nearest is not None:
        return found.filter(pk__in=list(asked.nearest))
    held = Q(pk__in=RawSQL(*held_by_all(asked)))
    # The two databases and Python differ about which rare characters are letters.
    return found.filter(held if query.typed.isascii() else held | Q(title__iexact=query.typed))


def ranked(found: Episodes, text: str | PreparedQuery, equals: Sequence[str]) -> Episodes:
    """With the same title first, then by the places that hold the terms, then the shorter title of those that hold any."""
    asked = _prepared(text, found.db)
    query = asked.query
    if asked.nearest is not None:
        return found.order_by(Case(*(When(pk=pk, then=Value(place)) for place, pk in enumerate(asked.nearest))))
    same = [When(title__iexact=query.typed, then=Value(0))]
    if query.pieces:
        title = _phrase(asked.connection, (EDGE, *query.pieces, EDGE))
        same.append(When(pk__in=RawSQL(*episodes_with(asked.connection, title, ["title"])), then=Value(1)))
    # `cudagraphs`, where it is not said so in the title itself.
    same.append(When(unspaced=query.typed.lower().replace(" ", ""), then=Value(2)))
    found = found.alias(unspaced=Replace(Lower("title"), Value(" "), Value(""), output_field=TextField()))
    scores = [score for number in range(len(query.terms))[:MOST_RANKED] for score in _scores(asked, number)]
    if not scores:
        return found.order_by(Case(*same, default=Value(3)), *equals)
    in_title = Q()
    for number in range(len(query.terms))[:MOST_RANKED]:
        in_title |= Q(pk__in=RawSQL(*asked.holding(number, ["title"])))
    return found.order_by(
        Case(*same, default=Value(3)),
        sum(scores[1:], start=scores[0]).desc(),
        Case(When(in_title, then=Length("title")), default=Value(0)),
        *equals,
    )


def _scores(asked: PreparedQuery, number: int) -> Iterator[Case]:
    return (_if_within(rows, worth) for _, rows, worth in _worths(asked, number))


def _worths(asked: PreparedQuery, number: int) -> Iterator[tuple[str, SQL, int]]:
    """Where a term may stand: the first of these kinds of text, the ids of the episodes, what it is worth there."""
    for kinds, worth in WORTH.items():
        yield kinds[0], asked.holding(number, kinds), worth
    yield VERY, asked.holding(number, ["title"], exact=True), VERY_WORD
    term = asked.query.terms[number]
    if not term.typed.replace(" ", "").isalnum():
        named_so = (
            "SELECT m.episode_id FROM episodes_codemention m JOIN episodes_codename n ON n.id = m.name_id "
            "WHERE lower(n.name) = lower(%s)"
        )
        yield "name", (named_so, [term.typed]), AS_TYPED


@dataclass(frozen=True)
class Places:
    """What to ask for the episodes that hold the terms of a query: for each term by kind of text, and what it is worth there."""

    terms: list[list[tuple[str, Question, int]]]
    own_words: list[Question]  # for each term those that say it themselves, spelled so
    titled: Question  # those with exactly these words as their title
    alike: Question  # those with the typed text as their title, compared by the database without regard to case

    @property
    def questions(self) -> list[Question]:
        of_terms = (question for term in self.terms for _, question, _ in term)
        return [*of_terms, *self.own_words, self.titled, self.alike]


def places(asked: PreparedQuery) -> Places | None:
    """Where the terms may stand; None for a query without terms."""
    if asked.nearest is not None or not asked.query.holds_words:
        return None
    terms = [
        [(kind, _question(rows), worth) for kind, rows, worth in _parts(asked, number)]
        for number in range(len(asked.query.terms))
    ]
    spelled_so = replace(asked, long_forms={})
    own_words = [_question(spelled_so.holding(number, OWN_WORDS)) for number in range(len(terms))]
    title = _phrase(asked.connection, (EDGE, *asked.query.pieces, EDGE))
    titled = episodes_with(asked.connection, title, ["title"]) if asked.query.pieces else NONE
    alike = NONE if asked.query.typed.isascii() else _where(asked.using, title__iexact=asked.query.typed)
    return Places(terms, own_words, _question(titled), _question(alike))


def _question(rows: SQL) -> Question:
    return rows[0], tuple(rows[1])


def _parts(asked: PreparedQuery, number: int) -> Iterator[tuple[str, SQL, int]]:
    """The places where a term may be; a single one for a term beyond those that decide the order."""
    if number >= MOST_RANKED:
        yield ANYWHERE, asked.holding(number), 0
        return
    is_fact = asked.query.terms[number].fact is not None
    for kind, rows, worth in _worths(asked, number):
        yield FACT if is_fact and kind == "title" else kind, rows, worth
    if is_fact:
        yield "title", asked.holding(number, ["title"]), 0


def ids_of(asked: PreparedQuery, parts: Sequence[Question]) -> list[list[int]]:
    """The ids that each of these gives, in one statement; a row for each part, since rows for each id take longer to fetch."""
    connection = asked.connection
    listed = "string_agg(id::text, ',')" if connection.vendor == "postgresql" else "group_concat(id)"
    part = "SELECT {}, coalesce({}, '') FROM (SELECT 0 AS id WHERE 1 = 0 UNION ALL {}) part_{}"
    sql, values = united([(part.format(n, listed, rows, n), list(given)) for n, (rows, given) in enumerate(parts)])
    found = dict(all_rows(connection, sql, values))
    return [list(map(int, found[n].split(","))) if found[n] else [] for n in range(len(parts))]


def _if_within(rows: SQL, worth: int) -> Case:
    return Case(When(pk__in=RawSQL(*rows), then=Value(worth)), default=Value(0))


# The language of the engines. A piece holds letters, digits and marks only (terms.py), so quoting it is enough.


def _phrase(connection: BaseDatabaseWrapper, pieces: Sequence[str], *, begins: bool = False) -> str:
    """Pieces in a row, of which the last may begin a word."""
    begins = begins and len(pieces[-1]) >= SHORTEST_BEGINNING
    if connection.vendor == "postgresql":
        return " <-> ".join(f"'{piece}'" for piece in pieces) + ":*" * begins
    return f'"{" ".join(pieces)}"' + " *" * begins


def _either(connection: BaseDatabaseWrapper, words: Sequence[str]) -> str:
    if connection.vendor == "postgresql":
        return " | ".join(f"({word})" for word in words)
    return " OR ".join(words)


def episodes_with(connection: BaseDatabaseWrapper, expression: str, kinds: Iterable[str]) -> SQL:
    """The ids of the episodes that have a text of one of these kinds which meets the expression."""
    statements, values = [], []
    for kind in kinds:
        rows, row_values = _rows(connection, expression, "topic" if kind == SUBJECT else kind)
        if kind in PATHS:
            table, column = PATHS[kind]
            rows = f"SELECT episode_id FROM {table} WHERE {column} IN ({rows})"
        statements.append(rows)
        values += row_values
    return " UNION ALL ".join(statements), values


def _where(using: str, **conditions: Any) -> SQL:
    """The ids of the episodes that meet conditions on their columns."""
    rows = apps.get_model("episodes", "Episode")._default_manager.using(using).filter(**conditions)
    sql, values = rows.order_by().values("pk").query.get_compiler(using).as_sql()
    return sql, list(values)


def united(parts: Sequence[SQL]) -> SQL:
    return " UNION ALL ".join(sql for sql, _ in parts), [value for _, values in parts for value in values]


def held_by_all(asked: PreparedQuery) -> SQL:
    """The ids that every term gives. As so many joins they would take PostgreSQL's planner minutes to go wrong about."""
    parts = [asked.holding(number) for number in range(len(asked.query.terms))]
    sql = " INTERSECT ".join(f"SELECT * FROM ({statement}) held" for statement, _ in parts)
    return sql, [value for _, values in parts for value in values]


def named(asked: PreparedQuery, most: int) -> list[tuple[str, str, str, str]]:
    """Topics, names of code, people and links of some episode that hold every word of a query, `most` of each: the kind of
    text, what the thing is called, its slug or key, and the kind of a link. That with the very name comes first, then the
    shorter names."""
    if not asked.query.words:
        return []
    statements, values = [], []
    for kind, (name, slug, of_link) in NAMED.items():
        parts = [_rows(asked.connection, asked.expression(number), kind) for number in asked.query.words]
        uses, column = PATHS[kind]
        statements.append(
            f"SELECT * FROM (SELECT '{kind}', {name}, {slug}, {of_link} FROM episodes_{TABLES[kind]} t "
            f"WHERE id IN ({' INTERSECT '.join(sql for sql, _ in parts)}) "
            f"AND EXISTS (SELECT 1 FROM {uses} u WHERE u.{column} = t.id) "
            f"ORDER BY CASE WHEN lower({name}) = lower(%s) THEN 0 ELSE 1 END, length({name}), id LIMIT {most}) of_{kind}"
        )
        values += [*(value for _, some in parts for value in some), asked.query.typed]
    return all_rows(asked.connection, " UNION ALL ".join(statements), values)


def _rows(connection: BaseDatabaseWrapper, expression: str, kind: str) -> SQL:
    """The ids of the rows whose text of this kind meets the expression."""
    if connection.vendor == "postgresql":
        where = f"kind = {KINDS[kind]} AND words @@ to_tsquery('pg_catalog.simple', %s)"
        return f"SELECT row_id FROM episodes_searchtext WHERE {where}", [expression]
    sql = "SELECT rowid / 8 FROM episodes_searchtext WHERE episodes_searchtext MATCH %s"
    return sql, [f"{{{kind}}} : ({expression})"]


def all_rows(connection: BaseDatabaseWrapper, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


# The vocabulary.


def _vocabulary_of(connection: BaseDatabaseWrapper, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of the catalog that may be of the same stems, and the aliases that may explain abbreviations."""
    beginnings = sorted({common_beginning(stem(word)) for word in words if len(word) >= SHORTEST_BEGINNING} - {""})
    ranges = ["SELECT term, 0 FROM episodes_searchword WHERE term >= %s AND term < %s"] * len(beginnings)
    aliases = "SELECT CAST(aliases AS text), 1 FROM episodes_topic WHERE CAST(aliases AS text) LIKE %s"
    values = [end for start in beginnings for end in (start, f"{start}\U0010ffff")]
    rows = all_rows(connection, " UNION ALL ".join([*ranges, aliases]), [*values, "%(%"])
    told = chain.from_iterable(json.loads(text) for text, is_alias in rows if is_alias)
    return sorted({text for text, is_alias in rows if not is_alias}), list(map(str, told))


def _kin(words: Sequence[str], known: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Of each word the others that are forms of it, as far as the catalog uses them."""
    stems: dict[str, list[str]] = {}
    for term in known:
        stems.setdefault(stem(term), []).append(term)
    return {word: tuple(w for w in stems.get(stem(word), ()) if w != word and same_word(w, word)) for word in words}


def _long_forms(words: Sequence[str], aliases: Sequence[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Of each word that is an abbreviation what it is short for: "mixed precision (AMP)" is an alias that says so."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for long, short in filter(None, (long_and_short(plain(alias)) for alias in aliases)):
        if short in words:
            found.setdefault(short, []).append(pieces_of(long))
    return {short: tuple(sorted(long)) for short, long in found.items()}


@dataclass(frozen=True)
class Vocabulary:
    """The words of the catalog; those of a length are one text, which takes a tenth of the memory."""

    by_length: Mapping[int, str]

    @classmethod
    def of(cls, using: str = "") -> Vocabulary:
        rows = all_rows(connections[using or _read_from()], "SELECT DISTINCT term FROM episodes_searchword", ())
        words: dict[int, list[str]] = {}
        for (term,) in rows:
            if term != EDGE:
                words.setdefault(len(term), []).append(term)
        return cls({length: " ".join(sorted(some)) for length, some in words.items()})

    def words(self, lengths: Iterable[int]) -> set[str]:
        """The words of these lengths."""
        return set().union(*(self.by_length[length].split(" ") for length in lengths if length in self.by_length))


def did_you_mean(
    text: str | PreparedQuery,
    found: EpisodeQuerySet,
    known: Vocabulary | None = None,
    finds: Callable[[str], bool] | None = None,
) -> str | None:
    """The query with every word that no episode holds replaced by the nearest that some do; None where that finds nothing.

    A word that occurs is never corrected, and a number never becomes another. A page gives the words that are in memory,
    and how it finds out whether some of `found` hold a query.
    """
    asked = _prepared(text, found.db)
    query = asked.query
    places = words_in(query.typed)
    unknown = _unknown(asked, {word for number in query.words for word, *_ in words_in(query.terms[number].typed)})
    if not 0 < len(unknown) <= MOST_CORRECTED:
        return None
    nearest = _nearest(asked.connection, unknown, known or Vocabulary.of(asked.using))
    holds = finds or (lambda words: search(found, words).exists())
    for choice in islice(product(*(nearest[word] for word in unknown)), MOST_TRIED):
        instead = dict(zip(unknown, choice, strict=True))
        corrected = query.typed
        for word, start, end in reversed(places):
            corrected = corrected[:start] + instead.get(word, corrected[start:end]) + corrected[end:]
        if holds(corrected):
            return corrected
    return None


def _unknown(asked: PreparedQuery, words: set[str]) -> list[str]:
    """The words that no episode holds, in any form."""
    asked_for = sorted(word for word in words if word and word not in STOP_WORDS)[: 3 * MOST_CORRECTED]
    if not asked_for:
        return []
    alone = [PreparedQuery(Query(word, (Term(word, ((word,),)),), ((),)), asked.using, asked.kin) for word in asked_for]
    parts = [one.holding(0) for one in alone]
    sql = ", ".join(f"EXISTS({statement})" for statement, _ in parts)
    (held,) = all_rows(asked.connection, f"SELECT {sql}", [value for _, values in parts for value in values])
    return [word for word, there in zip(asked_for, held, strict=True) if not there]


def _nearest(connection: BaseDatabaseWrapper, unknown: Sequence[str], vocabulary: Vocabulary) -> dict[str, list[str]]:
    """Of each word the candidates to replace it, best first."""
    known = vocabulary.words(set().union(*map(_lengths, unknown)))
    edits = {word: {**dict.fromkeys(_parted(word, known), 1.0), **_close(word, known)} for word in unknown}
    used = _frequencies(connection, sorted(set().union(*edits.values())))

    def cost(word: str, other: str) -> float:
        return edits[word][other] + 0.5 * (word[0] != other[0]) - 0.1 * log2(used[other])

    def best(word: str) -> list[str]:
        candidates = sorted((cost(word, other), other) for other in edits[word] if used[other])
        return [other for _, other in candidates[:MOST_TRIED]]

    return {word: best(word) for word in unknown}


def _lengths(word: str) -> set[int]:
    """How long a word may be that is a slip away, or a part of two words written as one."""
    most = _most_edits(word)
    near = set(range(len(word) - most, len(word) + most + 1)) if most else set()
    return near | set(range(SHORTEST_BEGINNING, len(word) - SHORTEST_BEGINNING + 1))


def _most_edits(word: str) -> int:
    """How many slips a word of that length may hold; a number none."""
    return 0 if word.isdecimal() or len(word) < 3 else 1 if len(word) < 6 else 2 if len(word) < 10 else 3


def _close(word: str, known: set[str]) -> dict[str, float]:
    most = _most_edits(word)
    if not most:
        return {}
    near = process.extract(word, known, scorer=OSA.distance, score_cutoff=most, limit=MOST_CANDIDATES)
    return {
        other: edits
        for other, edits, _ in near
        if re.sub(r"\D", "", other) == re.sub(r"\D", "", word)
        # Of three letters too little is left when one is another.
        and (len(word) > 3 or sorted(word) == sorted(other))
    }


def _parted(word: str, known: set[str]) -> list[str]:
    """Two words written as one."""
    parts = ((word[:at], word[at:]) for at in range(SHORTEST_BEGINNING, len(word) - SHORTEST_BEGINNING + 1))
    return [f"{first} {second}" for first, second in parts if first in known and second in known]


def _frequencies(connection: BaseDatabaseWrapper, words: Sequence[str]) -> dict[str, int]:
    """How many episodes hold each of these words or pairs of words in a row, as far as one counts."""
    if not words:
        return {}
    parts = [episodes_with(connection, _phrase(connection, word.split()), KINDS) for word in words]
    some = "SELECT DISTINCT * FROM ({}) held LIMIT {}"
    sql = ", ".join(f"(SELECT count(*) FROM ({some.format(part, MOST_COUNTED)}) few)" for part, _ in parts)
    (counts,) = all_rows(connection, f"SELECT {sql}", [value for _, values in parts for value in values])
    return {word: int(count) for word, count in zip(words, counts, strict=True)}
