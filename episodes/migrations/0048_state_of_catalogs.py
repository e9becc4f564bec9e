"""One row a show says what its catalog was made from and since when changes wait, in place of two tables."""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def keep_waiting(apps: Any, schema_editor: Any) -> None:
    """Changes that wait go on waiting."""
    alias = schema_editor.connection.alias
    states = apps.get_model("episodes", "CatalogState").objects.using(alias)
    waiting = apps.get_model("episodes", "PendingUpdate").objects.using(alias)
    for podcast, since in waiting.values_list("podcast", "since"):
        states.create(podcast_id=podcast, waiting_since=since)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0047_jobs")]

    operations = [
        migrations.CreateModel(
            name="CatalogState",
            fields=[
                (
                    "podcast",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="catalog_state",
                        serialize=False,
                        to="episodes.podcast",
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        blank=True, help_text="The hash of all that it was made from.", max_length=32
                    ),
                ),
                (
                    "token",
                    models.CharField(blank=True, help_text="Random: a new one at each change.", max_length=40),
                ),
                ("waiting_since", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("waiting_since__isnull", False)),
                        fields=["waiting_since"],
                        name="catalog_waits",
                    )
                ],
            },
        ),
        migrations.RunPython(keep_waiting, migrations.RunPython.noop),
        migrations.DeleteModel(name="PendingUpdate"),
        migrations.DeleteModel(name="ResolvedInputs"),
    ]
