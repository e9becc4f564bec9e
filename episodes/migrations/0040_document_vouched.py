"""A document says whether somebody vouched for it; so far every one of a site with a reader of its own counted as that."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def vouch_for_known_sites(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    documents = apps.get_model("episodes", "Document").objects.using(schema_editor.connection.alias)
    documents.filter(kind="listing").exclude(source__reader="listing").update(vouched=True)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0001_squashed_0036")]

    operations = [
        migrations.RenameField("document", "show_given", "vouched"),
        migrations.AlterField(
            model_name="document",
            name="vouched",
            field=models.BooleanField(
                default=False, help_text="A person, its address or known bytes say whose it is, not only its own words."
            ),
        ),
        migrations.RunPython(vouch_for_known_sites, migrations.RunPython.noop),
    ]
