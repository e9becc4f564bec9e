"""Stores with each person the address that the name makes, so that a change looks only at people who share one."""

from hashlib import sha256
from importlib import import_module

from django.db import migrations, models

search = import_module("episodes.migrations.0003_search")


def base(slug, name, identity):
    """The slug without the hex digits that keep a second person of that name apart; a name without letters has no other."""
    mark = "-" + sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return slug.removesuffix(mark) if any(map(str.isalnum, name)) else slug


def fill(apps, schema_editor):
    people = apps.get_model("episodes", "Person").objects.using(schema_editor.connection.alias)
    rows = list(people.only("slug", "name", "identity"))
    for row in rows:
        row.base = base(row.slug, row.name, row.identity)
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
