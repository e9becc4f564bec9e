"""Make the search index of SQLite anew: 0070 made the tables of episodes and people anew, and SQLite took their triggers
away with the old tables."""

from django.db import migrations

from . import _search as search


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        search.create(apps, schema_editor)


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0086_redirect'),
    ]

    operations = [
        migrations.RunPython(create, migrations.RunPython.noop),
    ]
