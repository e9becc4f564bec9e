"""Deletes the vectors of episodes with topics. The job `meanings` makes them anew, with the names of the topics."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def delete_vectors_of_episodes_with_topics(
    apps: Apps, schema_editor: BaseDatabaseSchemaEditor
) -> None:
    meanings = apps.get_model("episodes", "EpisodeMeaning").objects
    uses = apps.get_model("episodes", "EpisodeTopic").objects
    meanings.filter(episode__in=uses.values("episode")).delete()


class Migration(migrations.Migration):
    dependencies = [("episodes", "0590_meanings_of_transcripts")]

    operations = [
        migrations.AlterField(
            model_name="episodemeaning",
            name="fingerprint",
            field=models.CharField(
                help_text="Of the title, the beginning of the notes, the names of topics, and the transcript.",
                max_length=32,
            ),
        ),
        migrations.RunPython(delete_vectors_of_episodes_with_topics, migrations.RunPython.noop),
    ]
