"""The last import run of each day, document and outcome is kept, and no longer counts the others."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("episodes", "0340_dismissals"),)

    operations = (
        migrations.RemoveField("ingestrun", "first_at"),
        migrations.RemoveField("ingestrun", "times"),
    )
