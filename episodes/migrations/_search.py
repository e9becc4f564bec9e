"""The search index: one entry for every text that can be searched for, kept by triggers of the database itself.

An entry belongs to the row that holds the text (an episode, a topic, a link …), never to what is linked with it: the
verb follows the links when it searches. So no text is indexed twice, a bulk write costs one entry a row, and a topic
given to an episode needs no write to the index at all.

A later migration that rebuilds one of these tables on SQLite drops its triggers with it: let it end with
`RunPython(_search.create, _search.drop)` (a test fails where that was forgotten).
"""

from ..text.search_letters import ACCENTED, ACCENTS, POINTS, SIGNS_OF_LETTERS, SPACED, SPELLED, UNSPACED

# Stands before and after a title, and between the names of one thing, so that no phrase reaches over: a letter of a
# script that nothing is written in, because both engines drop what is no letter.
EDGE = "ꙮ"
# More of a text than this is not indexed: an entry of PostgreSQL holds a megabyte, and to fail there would be to lose
# the episode.
LONGEST = 200_000

# All other signs of ASCII, as PostgreSQL writes a set of them.
SIGNS = r"[][!\"#$%&'()*,./:;<=>?@\\^_`{|}~-]+"

KINDS = {"title": 0, "notes": 1, "topic": 2, "name": 3, "person": 4, "link": 5, "transcript": 6, "chapter": 7}

# What is indexed: kind, table, the columns that the text is made of, and the text of a ROW.
TEXTS = (
    (
        "title", "episodes_episode", ("title", "number"),
        f"'{EDGE} ' || CASE WHEN ROW.title = '' AND ROW.number IS NOT NULL THEN 'Episode ' || ROW.number "
        f"ELSE ROW.title END || ' {EDGE}' || CASE WHEN ROW.number IS NULL THEN '' ELSE ' episode' || ROW.number END",
    ),
    ("notes", "episodes_episode", ("description_text",), "ROW.description_text"),
    (
        "topic", "episodes_topic", ("name", "slug", "aliases"),
        f"ROW.name || ' {EDGE} ' || ROW.slug || ' {EDGE} ' || ALIASES",
    ),
    ("name", "episodes_codename", ("name",), "ROW.name"),
    ("person", "episodes_person", ("name",), "ROW.name"),
    (
        "link", "episodes_link", ("key", "kind", "title"),
        f"ROW.key || ' {EDGE} ' || ROW.title || ' {EDGE} ' || CASE ROW.kind "
        f"WHEN 'github-pr' THEN replace(ROW.key, '#', '/pull/') || ' {EDGE} pr pull request' "
        f"WHEN 'github-issue' THEN replace(ROW.key, '#', '/issues/') || ' {EDGE} issue' "
        f"WHEN 'github-commit' THEN replace(ROW.key, '@', '/commit/') ELSE '' END",
    ),
    ("transcript", "episodes_transcript", ("text",), "ROW.text"),
    ("chapter", "episodes_chapter", ("title",), "ROW.title"),
)  # fmt: skip
ALIASES = {
    "sqlite": f"coalesce((SELECT group_concat(value, ' {EDGE} ') FROM json_each(ROW.aliases)), '')",
    "postgresql": f"coalesce((SELECT string_agg(v #>> '{{}}', ' {EDGE} ') FROM jsonb_path_query(ROW.aliases, '$[*]') v), '')",
}


def spelled(expression, letters):
    for letter, word in letters:
        expression = f"replace({expression}, '{letter}', '{word}')"
    return expression


def escaped(ranges):
    """Return ranges of characters as they stand in a set of a regular expression of PostgreSQL."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


def text_of(kind, vendor, row):
    text = next(text for name, _, _, text in TEXTS if name == kind)
    return text.replace("ALIASES", ALIASES[vendor]).replace("ROW.", f"{row}.")


def create(apps, schema_editor):
    """Make the index and its triggers anew, and fill it with what is there."""
    drop(apps, schema_editor)
    vendor = schema_editor.connection.vendor
    statements = {"sqlite": sqlite, "postgresql": postgresql}[vendor]()
    with schema_editor.connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def drop(apps, schema_editor):
    """Take the index and its triggers away."""
    vendor = schema_editor.connection.vendor
    with schema_editor.connection.cursor() as cursor:
        for kind, table, *_ in TEXTS:
            for event in ("insert", "update", "delete", "truncate"):
                on = f" ON {table}" if vendor == "postgresql" else ""
                cursor.execute(f"DROP TRIGGER IF EXISTS episodes_search_{kind}_{event}{on}")
                if vendor == "postgresql":
                    cursor.execute(f"DROP FUNCTION IF EXISTS episodes_search_{kind}_{event}()")
        cursor.execute("DROP TABLE IF EXISTS episodes_searchword")
        cursor.execute("DROP TABLE IF EXISTS episodes_searchtext")
        if vendor == "postgresql":
            cursor.execute("DROP FUNCTION IF EXISTS episodes_search_words()")
            cursor.execute("DROP FUNCTION IF EXISTS episodes_search_vector(text)")
            cursor.execute("DROP FUNCTION IF EXISTS episodes_search_fold(text)")


def sqlite():
    """FTS5 with a column a kind; `rowid` is eight times the id of the row that holds the text, and its kind."""
    columns = ", ".join(KINDS)
    # "M*": vowels of Hindi, Thai and their neighbours are marks.
    yield (
        f"CREATE VIRTUAL TABLE episodes_searchtext USING fts5({columns}, "
        "tokenize = \"unicode61 remove_diacritics 2 categories 'L* N* Co M*'\", prefix = 3, columnsize = 0)"
    )
    yield "CREATE VIRTUAL TABLE episodes_searchword USING fts5vocab(episodes_searchtext, row)"
    for kind, table, columns, _ in TEXTS:
        number = KINDS[kind]

        def entry(row, kind=kind, number=number):
            # Each connection has this function (`models/search_lookup.py`).
            text = f"episodes_search_fold(substr({text_of(kind, 'sqlite', row)}, 1, {LONGEST}))"
            return f"SELECT {row}.id * 8 + {number}, {text}"

        into = f"INSERT INTO episodes_searchtext (rowid, {kind})"
        gone = "DELETE FROM episodes_searchtext WHERE rowid = {}.id * 8 + " + str(number) + ";"
        differs = " OR ".join(f"OLD.{name} IS NOT NEW.{name}" for name in ("id", *columns))
        begin = f"CREATE TRIGGER episodes_search_{kind}_{{}} AFTER"
        each = f"ON {table} FOR EACH ROW"
        # INSERT OR REPLACE takes the old row away without a word to its triggers.
        yield f"{begin.format('insert')} INSERT {each} BEGIN {gone.format('NEW')} {into} {entry('NEW')}; END"
        yield (
            f"{begin.format('update')} UPDATE OF {', '.join(('id', *columns))} {each} WHEN {differs} BEGIN "
            f"{gone.format('OLD')} {gone.format('NEW')} {into} {entry('NEW')}; END"
        )
        yield f"{begin.format('delete')} DELETE {each} BEGIN {gone.format('OLD')} END"
        yield f"{into} {entry('t')} FROM {table} t"


def postgresql():
    """A table of vectors with an index for each kind, and a table of all words.

    Accents go by Unicode's own decomposition: the `unaccent` extension would need a right that not every owner of a
    database has. The text is bare of signs before the parser sees it, which would take `torch.nn` for a host.
    """
    # What is ASCII, nearly all there is, needs no other letters.
    plain = "lower(" + spelled("given", [pair for pair in SPELLED if pair[0].isascii()]) + ")"
    text = f"regexp_replace(given, '([{escaped(SIGNS_OF_LETTERS)}])', ' \\1 ', 'g')"
    text = f"normalize({spelled(f'normalize({text}, NFKC)', SPELLED)}, NFD)"
    text = f"regexp_replace({text}, '[{escaped(POINTS)}]+', '', 'g')"
    text = f"lower(regexp_replace({text}, '([{ACCENTED}])[{ACCENTS}]+', '\\1', 'g'))"
    text = f"replace(normalize({text}, NFC), 'ς', 'σ')"
    one, other = escaped(UNSPACED), escaped(SPACED)
    text = f"regexp_replace({text}, '([{one}])([{other}])', '\\1 \\2', 'g')"
    text = f"regexp_replace({text}, '([{other}])([{one}])', '\\1 \\2', 'g')"
    yield f"""
        CREATE FUNCTION episodes_search_fold(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
            SELECT CASE WHEN octet_length(given) = length(given) THEN {plain} ELSE {text} END
        $$"""
    yield f"""
        CREATE FUNCTION episodes_search_vector(given text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
            SELECT to_tsvector('pg_catalog.simple',
                regexp_replace(left(episodes_search_fold(given), {LONGEST}), $signs${SIGNS}$signs$, ' ', 'g'))
        $$"""
    yield (
        "CREATE TABLE episodes_searchtext (kind smallint NOT NULL, row_id bigint NOT NULL, words tsvector NOT NULL, "
        "PRIMARY KEY (row_id, kind))"
    )
    # May hold a word twice, and words that are no longer used: a unique index would let two ingests wait for each other.
    yield 'CREATE TABLE episodes_searchword (term text COLLATE "C" NOT NULL)'
    yield "CREATE INDEX episodes_searchword_term ON episodes_searchword (term)"
    # Each word is looked up in the index: any other plan reads the whole table, and what was rolled back with it.
    yield """
        CREATE FUNCTION episodes_search_words() RETURNS trigger LANGUAGE plpgsql
        SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$ BEGIN
            INSERT INTO episodes_searchword
                SELECT term FROM (SELECT DISTINCT unnest(tsvector_to_array(words)) COLLATE "C" AS term FROM fresh) used
                WHERE length(term) <= 60 AND NOT EXISTS (SELECT 1 FROM episodes_searchword k WHERE k.term = used.term);
            RETURN NULL;
        END $$"""
    yield (
        "CREATE TRIGGER episodes_search_words AFTER INSERT ON episodes_searchtext REFERENCING NEW TABLE AS fresh "
        "FOR EACH STATEMENT EXECUTE FUNCTION episodes_search_words()"
    )
    for kind, table, columns, _ in TEXTS:
        number = KINDS[kind]
        # Each search reads the list of pending entries from end to end; without one, writing takes three times as long.
        options = f"WITH (gin_pending_list_limit = 512) WHERE kind = {number}"
        yield f"CREATE INDEX episodes_search_{kind} ON episodes_searchtext USING gin (words) {options}"
        entry = (
            f"INSERT INTO episodes_searchtext (kind, row_id, words) SELECT {number}, n.id, "
            f"episodes_search_vector(left({text_of(kind, 'postgresql', 'n')}, {LONGEST})) FROM"
        )
        differs = " OR ".join(f"o.{name} IS DISTINCT FROM n.{name}" for name in columns)
        gone = f"DELETE FROM episodes_searchtext s USING {{}} WHERE s.kind = {number} AND s.row_id = o.id"
        # An id that changes is a row that goes and one that comes.
        change = f"""
            {gone.format('old_rows o')} AND NOT EXISTS (SELECT 1 FROM new_rows n WHERE n.id = o.id AND NOT ({differs}));
            {entry} new_rows n WHERE NOT EXISTS (SELECT 1 FROM old_rows o WHERE n.id = o.id AND NOT ({differs}));"""
        for event, tables, body in (
            ("insert", "REFERENCING NEW TABLE AS new_rows", f"{entry} new_rows n;"),
            ("update", "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows", change),
            ("delete", "REFERENCING OLD TABLE AS old_rows", f"{gone.format('old_rows o')};"),
            ("truncate", "", f"DELETE FROM episodes_searchtext WHERE kind = {number};"),
        ):
            name = f"episodes_search_{kind}_{event}"
            yield f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NULL; END $$"
            yield f"CREATE TRIGGER {name} AFTER {event.upper()} ON {table} {tables} FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
        yield f"{entry} {table} n"
