"""Adds the vectors of pieces of transcripts. The job `meanings` makes them."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def delete_vectors_of_transcribed_episodes(
    apps: Apps, schema_editor: BaseDatabaseSchemaEditor
) -> None:
    meanings = apps.get_model("episodes", "EpisodeMeaning").objects
    meanings.filter(episode__transcript__isnull=False).delete()


class Migration(migrations.Migration):
    dependencies = [("episodes", "0580_meanings_of_bytes")]

    operations = [
        migrations.AddField(
            model_name="episodemeaning",
            name="transcript_signs",
            field=models.BinaryField(
                default=bytes,
                help_text="Of the vector of each piece of the transcript, the sign of each dimension in a bit.",
            ),
        ),
        migrations.AlterField(
            model_name="episodemeaning",
            name="fingerprint",
            field=models.CharField(
                help_text="Of the title, the beginning of the notes, and the transcript.",
                max_length=32,
            ),
        ),
        migrations.RunPython(delete_vectors_of_transcribed_episodes, migrations.RunPython.noop),
    ]
