"""Symbols are listed of the shows that switch them on; of those that have pages of them, as before."""

from django.db import migrations, models


def keep(apps, schema_editor):
    shows = apps.get_model("episodes", "Podcast").objects
    with_symbols = apps.get_model("episodes", "CodeMention").objects.values("episode__podcast")
    shows.filter(pk__in=with_symbols).update(has_symbols=True)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0300_summaries")]

    operations = [
        migrations.AddField(
            "podcast",
            "has_symbols",
            models.BooleanField(
                "symbols",
                default=False,
                db_default=False,
                help_text="For shows about programming: list the functions, classes and files that titles and notes name.",
            ),
        ),
        migrations.RunPython(keep, migrations.RunPython.noop),
    ]
