"""The version of the catalog is raised by its writers."""

from django.db import migrations

from ._version_triggers import drop


def forget_versions(apps, schema_editor):
    """Leave no row of the other way: `migrate` raises the version when it is done."""
    apps.get_model("episodes", "CatalogVersion").objects.using(schema_editor.connection.alias).all().delete()


class Migration(migrations.Migration):
    dependencies = [("episodes", "0040_document_vouched")]

    operations = [
        migrations.RunPython(drop, migrations.RunPython.noop),
        migrations.RunPython(forget_versions, forget_versions),
        migrations.DeleteModel("ShowVersion"),
        migrations.DeleteModel("VersionRaised"),
    ]
