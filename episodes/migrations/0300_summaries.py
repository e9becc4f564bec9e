"""Summaries of episodes. Until a rebuild or the next change of a show they are the first words of
its notes. SQLite makes the table anew, and takes the triggers of the search index away with it."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models.functions import Left

from . import _search as search


def fill(apps, schema_editor):
    episodes = apps.get_model("episodes", "Episode").objects
    episodes.update(summary=Left("description_text", 160))


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        search.create(apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0251_web_pages")]

    operations = [
        migrations.AddField(
            "episode",
            "summary",
            models.TextField(
                blank=True,
                default="",
                help_text="A line or two of the notes, without what the show repeats in them.",
            ),
            preserve_default=False,
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(create, migrations.RunPython.noop),
    ]
