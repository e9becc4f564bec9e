"""The triggers that raised versions before migration 0043."""

FUNCTIONS = (
    "version_raised",
    "raise_version",
    "raise_version_by_run",
    "raise_shows_of_episodes_episode",
    "raise_shows_of_episodes_episodetopic",
)


def drop(apps, schema_editor):
    """Take the triggers away, before the tables that they write go."""
    with schema_editor.connection.cursor() as cursor:
        if schema_editor.connection.vendor == "postgresql":
            for function in FUNCTIONS:
                cursor.execute(f"DROP FUNCTION IF EXISTS episodes_{function}() CASCADE")
            return
        cursor.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            r" AND (name LIKE 'version\_%' ESCAPE '\' OR name LIKE 'counted\_%' ESCAPE '\')"
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP TRIGGER {name}")
