"""What was found in notes is kept, so that an import reads only what is new."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("episodes", "0013_seasons")]

    operations = [
        migrations.CreateModel(
            name="ParsedNotes",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.CharField(help_text='The hash of the text and of the parser’s version.', max_length=32)),
                ("payload", models.JSONField()),
                (
                    "podcast",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parsed_notes",
                        to="episodes.podcast",
                    ),
                ),
            ],
            options={
                "ordering": ("podcast", "digest"),
                "constraints": [
                    models.UniqueConstraint(fields=("podcast", "digest"), name="one_reading_of_notes")
                ],
            },
        ),
    ]
