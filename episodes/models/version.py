"""The version of the catalog: another one as soon as a row changes that a public page may show.

Triggers raise it (`install_version_triggers`), so no writer can forget to: a form of the admin, a command, SQL typed by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import AppConfig
from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

from .querysets import read_from

# Readers see none of these, or only what comes with rows of other tables; most are written far more often than those.
UNSEEN = frozenset(
    (
        "episodes_capture",
        "episodes_catalogversion",
        "episodes_change",
        "episodes_content",
        "episodes_document",
        "episodes_importclaim",
        "episodes_inboxnote",
        "episodes_linkcheck",
        "episodes_openform",
        "episodes_parsednotes",
        "episodes_pendingupdate",
        "episodes_resolvedinputs",
        "episodes_schedulemark",
        "episodes_unsentnotice",
        "episodes_showversion",
        "episodes_sourceschedule",
        "episodes_versionraised",
    )
)
RUNS = "episodes_ingestrun"
# A reading that went as the one before it shows nothing new but its time, and kept pages are made anew every day.
AS_BEFORE = """EXISTS (
    SELECT 1 FROM (
        SELECT outcome, reason FROM episodes_ingestrun
        WHERE source_id = NEW.source_id AND coalesce(document_id, 0) = coalesce(NEW.document_id, 0) AND id < NEW.id
        ORDER BY id DESC LIMIT 1
    ) AS r
    WHERE r.reason = NEW.reason AND (r.outcome IN ('taken', 'unchanged')) = (NEW.outcome IN ('taken', 'unchanged'))
)"""

RAISE = """
    INSERT INTO episodes_catalogversion (id, token, raised_at) VALUES (1, {token}, {now})
    ON CONFLICT (id) DO UPDATE SET token = excluded.token, raised_at = excluded.raised_at"""
RAISE_ON = {
    "sqlite": RAISE.format(token="hex(randomblob(16))", now="strftime('%Y-%m-%d %H:%M:%f', 'now')"),
    "postgresql": RAISE.format(token="gen_random_uuid()", now="clock_timestamp()"),
}

# The tables whose rows lists count (snapshot.py): the column that leads to the show, and the shows of changed rows.
OF_EPISODES = "SELECT e.podcast_id FROM {rows} r JOIN episodes_episode e ON e.id = r.episode_id"
COUNTED = {
    "episodes_episode": ("podcast_id", "SELECT podcast_id FROM {rows}"),
    "episodes_episodetopic": ("episode_id", OF_EPISODES),
}
RAISE_SHOWS = """
    INSERT INTO episodes_showversion (podcast, token) SELECT id, {token} FROM episodes_podcast
    WHERE id IN ({shows}) ORDER BY id ON CONFLICT (podcast) DO UPDATE SET token = excluded.token"""
RAISE_SHOWS_ON = {
    "sqlite": RAISE_SHOWS.replace("{token}", "hex(randomblob(16))"),
    "postgresql": RAISE_SHOWS.replace("{token}", "gen_random_uuid()"),
}


class CatalogVersion(models.Model):
    """One row with a random token; a number could come again after a restored backup."""

    token = models.CharField(max_length=40)
    raised_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.token

    @classmethod
    def current(cls) -> str:
        """The token; "" before the first change."""
        # Every page asks for it, and Django would take longer to compile the query than the database to answer.
        with read_from(cls).cursor() as cursor:
            cursor.execute("SELECT token FROM episodes_catalogversion")
            row = cursor.fetchone()
        return row[0] if row else ""

    @classmethod
    def seen(cls) -> str:
        """The token of the rows that are seen now; "" where the transaction at hand has changed some, for which
        PostgreSQL raises the version when it ends."""
        connection = read_from(cls)
        if connection.vendor == "postgresql" and connection.in_atomic_block and VersionRaised.objects.exists():
            return ""
        return cls.current()


class ShowVersion(models.Model):
    """For each show a random token, another one as soon as something changes that lists count of its episodes."""

    podcast = models.BigIntegerField(primary_key=True)
    token = models.CharField(max_length=40)

    def __str__(self) -> str:
        return self.token


class VersionRaised(models.Model):
    """On PostgreSQL a transaction that raises the version when it commits; no row outlives its transaction.

    A writer that raised it at once would keep every other writer waiting until its own end.
    """

    transaction = models.CharField(max_length=40, unique=True)

    def __str__(self) -> str:
        return self.transaction


def install_version_triggers(sender: AppConfig, using: str, **kwargs: Any) -> None:
    """Make the triggers that are missing: SQLite drops those of a table that a migration makes anew.

    The versions are raised too: after an upgrade the same rows may make other pages.
    """
    connection = connections[using]
    tables = set(connection.introspection.table_names())
    if not {CatalogVersion._meta.db_table, ShowVersion._meta.db_table} <= tables:
        return
    found = {model._meta.db_table for model in sender.get_models(include_auto_created=True)}
    watched = sorted((found & tables) - UNSEEN)
    statements = {"sqlite": _sqlite, "postgresql": _postgresql}[connection.vendor]
    all_shows = RAISE_SHOWS_ON[connection.vendor].format(shows="SELECT id FROM episodes_podcast")
    with connection.cursor() as cursor:
        for statement in (*statements(watched), RAISE_ON[connection.vendor], all_shows):
            cursor.execute(statement)


def drop_version_triggers(connection: BaseDatabaseWrapper) -> None:
    """Take the triggers away, before the table that they write goes."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            for function in (
                "version_raised",
                "raise_version",
                "raise_version_by_run",
                *(f"raise_shows_of_{table}" for table in COUNTED),
            ):
                cursor.execute(f"DROP FUNCTION IF EXISTS episodes_{function}() CASCADE")
            return
        cursor.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND (name LIKE 'version_%' OR name LIKE 'counted_%')"
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP TRIGGER {name}")


def _sqlite(tables: list[str]) -> Iterator[str]:
    for table in tables:
        when = f"WHEN NOT {AS_BEFORE}" if table == RUNS else ""
        for event in ("INSERT",) if table == RUNS else ("INSERT", "UPDATE", "DELETE"):
            yield f"""
                CREATE TRIGGER IF NOT EXISTS version_{table}_{event.lower()} AFTER {event} ON {table} {when} BEGIN
                    {RAISE_ON["sqlite"]};
                END"""
    for table, (column, shows_of) in COUNTED.items():
        for event, rows in (("INSERT", "NEW"), ("UPDATE", "OLD"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
            shows = shows_of.format(rows=f"(SELECT {rows}.{column} AS {column})")
            yield f"""
                CREATE TRIGGER IF NOT EXISTS counted_{table}_{event.lower()}_{rows.lower()} AFTER {event} ON {table} BEGIN
                    {RAISE_SHOWS_ON["sqlite"].format(shows=shows)};
                END"""


def _postgresql(tables: list[str]) -> Iterator[str]:
    yield f"""
        CREATE OR REPLACE FUNCTION episodes_version_raised() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            {RAISE_ON["postgresql"]};
            DELETE FROM episodes_versionraised WHERE id = NEW.id;
            RETURN NULL;
        END $$"""
    yield _unless_there(
        "version_raised",
        VersionRaised._meta.db_table,
        "CREATE CONSTRAINT TRIGGER version_raised AFTER INSERT ON episodes_versionraised "
        "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION episodes_version_raised()",
    )
    yield _raising("episodes_raise_version")
    yield _raising("episodes_raise_version_by_run", f"IF {AS_BEFORE} THEN RETURN NULL; END IF;")
    every = (
        ("insert", "INSERT", "ROW", "episodes_raise_version"),
        ("change", "UPDATE OR DELETE", "ROW", "episodes_raise_version"),
        ("truncate", "TRUNCATE", "STATEMENT", "episodes_raise_version"),
    )
    by_run = (("insert", "INSERT", "ROW", "episodes_raise_version_by_run"),)
    for table in tables:
        for name, event, each, function in by_run if table == RUNS else every:
            yield _unless_there(
                f"version_{name}",
                table,
                f"CREATE TRIGGER version_{name} AFTER {event} ON {table} FOR EACH {each} EXECUTE FUNCTION {function}()",
            )
    for table, (_, shows) in COUNTED.items():
        raise_shows = RAISE_SHOWS_ON["postgresql"].format(shows=shows.format(rows="changed_rows"))
        function = f"episodes_raise_shows_of_{table}"
        yield f"""
            CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                {raise_shows};
                RETURN NULL;
            END $$"""
        for event, rows in (("INSERT", "NEW"), ("UPDATE", "OLD"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
            name = f"counted_{event.lower()}_{rows.lower()}"
            yield _unless_there(
                name,
                table,
                f"CREATE TRIGGER {name} AFTER {event} ON {table} REFERENCING {rows} TABLE AS changed_rows "
                f"FOR EACH STATEMENT EXECUTE FUNCTION {function}()",
            )


def _raising(name: str, unless: str = "") -> str:
    """A function that marks its transaction once; a savepoint that is rolled back takes mark and setting with it."""
    return f"""
        CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE mine text := pg_current_xact_id()::text;
        BEGIN
            {unless}
            IF current_setting('episodes.raised', true) IS DISTINCT FROM mine THEN
                INSERT INTO episodes_versionraised (transaction) VALUES (mine) ON CONFLICT DO NOTHING;
                PERFORM set_config('episodes.raised', mine, true);
            END IF;
            RETURN NULL;
        END $$"""


def _unless_there(name: str, table: str, statement: str) -> str:
    """A statement that makes a trigger unless it is there; to replace one would wait for every reader of the table."""
    return f"""
        DO $do$ BEGIN
            IF NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = '{name}' AND tgrelid = '{table}'::regclass) THEN
                {statement};
            END IF;
        END $do$"""
