"""Episodes that were published before: the proposals, which of them lists leave out, and curators' judgements."""

from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models

from ._roles import view

search = import_module("episodes.migrations.0003_search")



class Migration(migrations.Migration):
    dependencies = [("episodes", "0016_feed_fields")]

    operations = [
        migrations.AddField(
            "episode",
            "listed",
            models.BooleanField(default=True, help_text='Lists and feeds show it, not another episode in its place.'),
        ),
        migrations.AddField(
            "episode",
            "versions",
            models.JSONField(
                blank=True,
                default=list,
                help_text="The episodes that it replaces or repeats, or that do so to it, as curators accepted it.",
            ),
        ),
        migrations.CreateModel(
            "Repeat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("replaces", "replaces the other"),
                            ("repeats", "is a rebroadcast of the other"),
                            ("number", "has the same number"),
                        ],
                        max_length=10,
                    ),
                ),
                ("evidence", models.JSONField(default=list, help_text='What the two have in common.')),
                ("accepted", models.BooleanField(default=False)),
                (
                    "episode",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="repeats", to="episodes.episode"
                    ),
                ),
                (
                    "of",
                    models.ForeignKey(
                        help_text="The earlier of the two.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="repeated_by",
                        to="episodes.episode",
                    ),
                ),
            ],
            options={
                "ordering": ("episode", "of"),
                "constraints": [models.UniqueConstraint(fields=("episode", "of"), name="repeat_once_a_pair")],
            },
        ),
        migrations.RunPython(view({"repeat": "repeat"}), migrations.RunPython.noop),
        # SQLite loses a table's triggers when it gets a new column.
        migrations.RunPython(search.create, migrations.RunPython.noop),
    ]
