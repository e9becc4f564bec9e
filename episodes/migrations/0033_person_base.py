"""People whose names make one address, by that address, so that a change looks at these alone."""

from importlib import import_module

from django.db import migrations, models

search = import_module("episodes.migrations.0003_search")


def fill(apps, schema_editor):
    people = apps.get_model("episodes", "Person").objects.using(schema_editor.connection.alias)
    rows = list(people.only("slug"))
    for row in rows:
        name, _, mark = row.slug.rpartition("-")
        row.base = name if len(mark) == 8 and set(mark) <= set("0123456789abcdef") else row.slug
    people.bulk_update(rows, ["base"], batch_size=500)


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0032_capture_read_by'),
    ]

    operations = [
        migrations.AddField(
            model_name='person',
            name='base',
            field=models.SlugField(allow_unicode=True, blank=True, help_text='The address that the name makes; of several people the first has it as it is.', max_length=230),
        ),
        migrations.AlterField(
            model_name='formerperson',
            name='slug',
            field=models.SlugField(allow_unicode=True, max_length=230),
        ),
        migrations.AlterField(
            model_name='person',
            name='slug',
            field=models.SlugField(allow_unicode=True, max_length=230, unique=True),
        ),
        # SQLite makes the table of people anew, and drops the triggers that keep the search index.
        migrations.RunPython(search.create, migrations.RunPython.noop),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
