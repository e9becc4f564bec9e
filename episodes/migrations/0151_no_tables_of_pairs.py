"""The tables of which 0150 made columns."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("episodes", "0150_what_episodes_are_to_each_other")]

    operations = [
        migrations.DeleteModel("Related"),
        migrations.DeleteModel("Repeat"),
        migrations.DeleteModel("SourceCount"),
    ]
