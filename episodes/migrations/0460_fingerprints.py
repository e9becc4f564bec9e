"""Name the column of a copy of a feed that keeps a fingerprint as all others are named. The database
keeps its name."""

from django.db import migrations, models

HELP = "Of a feed: of all that its entries were read by."


class Migration(migrations.Migration):
    dependencies = [("episodes", "0450_declared_topics")]

    operations = [
        migrations.AlterField(
            "capture",
            "read_by",
            models.CharField(blank=True, db_column="read_by", help_text=HELP, max_length=32),
        ),
        migrations.RenameField("capture", "read_by", "fingerprint"),
    ]
