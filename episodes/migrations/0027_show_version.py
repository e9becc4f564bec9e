from django.db import migrations, models


def drop(apps, schema_editor):
    from episodes.models import drop_version_triggers

    drop_version_triggers(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0026_content")]

    operations = [
        migrations.CreateModel(
            name="ShowVersion",
            fields=[
                ("podcast", models.BigIntegerField(primary_key=True, serialize=False)),
                ("token", models.CharField(max_length=40)),
            ],
        ),
        # `migrate` makes the triggers when it is done; the way back takes them away before the table that they write.
        migrations.RunPython(migrations.RunPython.noop, drop),
    ]
