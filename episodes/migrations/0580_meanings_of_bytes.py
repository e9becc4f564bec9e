"""Deletes the vectors of one bit a dimension. The job `meanings` makes those of a byte a dimension."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def delete_vectors(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("episodes", "EpisodeMeaning").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("episodes", "0570_meanings_of_notes")]

    operations = [
        migrations.AlterField(
            model_name="episodemeaning",
            name="signs",
            field=models.BinaryField(
                db_column="signs",
                help_text="Each dimension of the vector, a byte with a sign each.",
            ),
        ),
        migrations.RenameField(model_name="episodemeaning", old_name="signs", new_name="vector"),
        migrations.RunPython(delete_vectors, migrations.RunPython.noop),
    ]
