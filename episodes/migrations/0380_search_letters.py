"""Makes the search index anew: compatibility letters, points of Arabic and Hebrew and accents of Greek are folded now."""

from django.db import migrations

from . import _search


class Migration(migrations.Migration):
    dependencies = (("episodes", "0370_no_details_of_links"),)
    operations = (migrations.RunPython(_search.create, migrations.RunPython.noop),)
