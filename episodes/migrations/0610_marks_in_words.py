"""Makes the search index anew: vowel marks of Hindi, Thai and their neighbours are parts of words on SQLite now, and marks
that change only how a sign looks are dropped."""

from django.db import migrations

from . import _search


class Migration(migrations.Migration):
    dependencies = (("episodes", "0600_meanings_of_topics"),)
    operations = (migrations.RunPython(_search.create, migrations.RunPython.noop),)
