"""The words that name people, and the people whom one sign alone names. A rebuild or the next change
of a show fills both. SQLite makes the tables anew, and takes the triggers of the search index away
with the old ones."""

from __future__ import annotations

from django.db import migrations, models

from . import _search as search


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        search.create(apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0152_kinds_of_links_in_words")]

    operations = [
        migrations.AlterField(
            "source",
            "complete",
            models.BooleanField(
                default=False,
                help_text="An episode that is missing from it is gone from there; it stays in the catalog.",
                verbose_name="lists all episodes",
            ),
        ),
        migrations.AddField(
            "credit",
            "evidence",
            models.TextField(blank=True, default="", help_text="The words of title or notes that say so."),
            preserve_default=False,
        ),
        migrations.AddField(
            "episode",
            "proposed_people",
            models.JSONField(
                blank=True,
                default=list,
                help_text="People whom one sign alone names, not decided yet: {identity, role, name, evidence}.",
            ),
        ),
        migrations.RunPython(create, migrations.RunPython.noop),
    ]
