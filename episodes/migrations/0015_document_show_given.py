"""Pages of any site remember that a person named their show; those that were taken before are believed."""

from django.db import migrations, models


def believe(apps, schema_editor):
    documents = apps.get_model("episodes", "Document").objects.using(schema_editor.connection.alias)
    documents.filter(source__reader="listing", kind="listing").update(show_given=True)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0014_parsed_notes")]

    operations = [
        migrations.AddField(
            "document",
            "show_given",
            models.BooleanField(default=False, help_text='A person named its show.'),
        ),
        migrations.RunPython(believe, migrations.RunPython.noop, elidable=True),
    ]
