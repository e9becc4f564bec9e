"""SQLite's write-ahead log, which is a property of the file and not of a connection; indexes that find a source's last runs.

No connection may change the log inside a transaction, so this migration runs without one.
"""

from django.db import migrations, models


def use_wal(apps, schema_editor):
    """Let readers go on while somebody writes. A database in memory has no log and stays as it is."""
    if schema_editor.connection.vendor == "sqlite":
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("PRAGMA journal_mode=WAL")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("episodes", "0008_companions_asked")]

    operations = [
        migrations.RunPython(use_wal, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="ingestrun",
            index=models.Index(fields=["source", "-started_at", "-id"], name="run_newest"),
        ),
        migrations.AddIndex(
            model_name="ingestrun",
            index=models.Index(fields=["source", "outcome", "-finished_at"], name="run_newest_outcome"),
        ),
    ]
