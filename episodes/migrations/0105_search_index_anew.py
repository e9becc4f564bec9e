"""Makes the search index anew: the letters of Cyrillic and Arabic that people write without their marks are folded now."""

from django.db import migrations

from . import _search


class Migration(migrations.Migration):
    dependencies = [("episodes", "0100_times_of_transcripts")]
    operations = [migrations.RunPython(_search.create, migrations.RunPython.noop)]
