"""Deletes the vectors of titles and summaries. The job `meanings` makes those of titles and notes."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def delete_vectors(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("episodes", "EpisodeMeaning").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("episodes", "0550_suggestion_topics")]

    operations = [
        migrations.AlterField(
            model_name="episodemeaning",
            name="fingerprint",
            field=models.CharField(
                help_text="Of the title and the beginning of the notes.", max_length=32
            ),
        ),
        migrations.RunPython(delete_vectors, migrations.RunPython.noop),
    ]
