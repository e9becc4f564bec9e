"""The words that name people, and the people whom one sign alone names. A rebuild or the next change
of a show fills both."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("episodes", "0152_kinds_of_links_in_words")]

    operations = [
        migrations.AlterField(
            "source",
            "complete",
            models.BooleanField(
                default=False,
                help_text="An episode that is missing from it is gone from there; it stays in the catalog.",
                verbose_name="lists all episodes",
            ),
        ),
        migrations.AddField(
            "credit",
            "evidence",
            models.TextField(blank=True, default="", help_text="The words of title or notes that say so."),
            preserve_default=False,
        ),
        migrations.AddField(
            "episode",
            "proposed_people",
            models.JSONField(
                blank=True,
                default=list,
                help_text="People whom one sign alone names, not decided yet: {identity, role, name, evidence}.",
            ),
        ),
    ]
