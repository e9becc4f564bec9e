"""Makes the search index anew: compatibility letters, points of Arabic and Hebrew and accents of Greek are folded now."""

from django.db import migrations

from . import _search


class Migration(migrations.Migration):
    dependencies = (("episodes", "0391_stored_bytes"),)
    operations = (migrations.RunPython(_search.create, migrations.RunPython.noop),)
