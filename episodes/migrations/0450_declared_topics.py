"""Keywords of feeds declare topics, and topics are no longer proposed. SQLite makes the table of topics
anew, and takes the triggers of the search index away with the old one."""

from django.db import migrations, models

from . import _search as search


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        search.create(apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0440_numbers_and_partial_versions")]

    operations = [
        migrations.AddField(
            model_name="topic",
            name="declared",
            field=models.BooleanField(
                default=False, editable=False, help_text="Made of keywords of a feed, and not edited since."
            ),
        ),
        migrations.DeleteModel(name="TopicProposal"),
        migrations.RunPython(create, migrations.RunPython.noop),
    ]
