"""A notice that cannot be sent is logged, and not kept."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("episodes", "0060_decision"),)

    operations = (migrations.DeleteModel("UnsentNotice"),)
