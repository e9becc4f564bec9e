"""Lines of a source file and starts of a video were kept with links, and no page or export had them.
SQLite makes the table anew, and takes the triggers of the search index away with it."""

from __future__ import annotations

from django.db import migrations

from . import _search as search


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        search.create(apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = (("episodes", "0360_runs_of_a_day"),)

    operations = (
        migrations.RemoveField("episodelink", "details"),
        migrations.RunPython(create, migrations.RunPython.noop),
    )
