"""Times of what is said within the paragraphs of transcripts."""

from django.db import migrations, models

from . import _search as search


def search_again(apps, schema_editor):
    """SQLite made the table of transcripts anew, without its triggers."""
    if schema_editor.connection.vendor == "sqlite":
        search.create(apps, schema_editor)


def read_again(apps, schema_editor):
    """The next import reads the times off the files, which are the same."""
    apps.get_model("episodes", "Transcript").objects.update(sha256="")


class Migration(migrations.Migration):
    dependencies = [("episodes", "0094_moment_decisions")]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, search_again),
        migrations.AddField(
            model_name="transcript",
            name="times",
            field=models.JSONField(
                default=list,
                help_text="Of words within them: [place in the lines of all texts, second].",
            ),
        ),
        migrations.RunPython(read_again, migrations.RunPython.noop),
        migrations.RunPython(search_again, migrations.RunPython.noop),
    ]
