"""How often a source is read follows from its own changes alone."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("episodes", "0080_delete_unsentnotice"),)

    operations = (migrations.RemoveField("sourceschedule", "pace"),)
