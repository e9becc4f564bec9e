"""The plan of a source notes the size of its evidence, so that the health board can show the largest."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("episodes", "0390_confirmed_documents"),)

    operations = (
        migrations.AddField(
            "sourceschedule",
            "stored_bytes",
            models.PositiveBigIntegerField(
                default=0, help_text="Size of its entry versions and copies at the last tidy."
            ),
        ),
    )
