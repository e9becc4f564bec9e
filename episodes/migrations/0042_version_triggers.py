from django.db import migrations


def drop(apps, schema_editor):
    from episodes.models import drop_version_triggers

    drop_version_triggers(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0040_document_vouched")]

    # `migrate` makes those that are needed now when it is done.
    operations = [migrations.RunPython(drop, migrations.RunPython.noop)]
