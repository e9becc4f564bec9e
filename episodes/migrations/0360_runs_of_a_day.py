"""Of the old import runs of a day that ended alike the last one stays; it counts the others no more."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("episodes", "0340_dismissals"),)

    operations = (
        migrations.RemoveField("ingestrun", "first_at"),
        migrations.RemoveField("ingestrun", "times"),
    )
