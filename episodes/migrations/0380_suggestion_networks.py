"""Each network has a share of the suggestions that wait."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("episodes", "0001_release_1"),)

    operations = (
        migrations.AddField(
            "suggestion",
            "network",
            models.CharField(
                blank=True,
                default="",
                help_text="A hash of the sender's network; deleted when curators have decided.",
                max_length=64,
            ),
            preserve_default=False,
        ),
    )
