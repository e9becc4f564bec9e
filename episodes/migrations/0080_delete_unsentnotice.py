"""A notice that cannot be sent is logged, and not kept."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("episodes", "0070_rows_that_differ"),)

    operations = (migrations.DeleteModel("UnsentNotice"),)
