"""Makes the search index anew: the joiner within words of Sinhala and Malayalam is dropped."""

from django.db import migrations

from . import _search


class Migration(migrations.Migration):
    dependencies = (("episodes", "0610_marks_in_words"),)
    operations = (migrations.RunPython(_search.create, migrations.RunPython.noop),)
