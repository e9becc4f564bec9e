"""Sources can be paused, archived and removed; an import that a person asked for is the only one of its source."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("episodes", "0023_withdrawals"),
    ]

    operations = [
        migrations.CreateModel(
            name="ImportClaim",
            fields=[
                (
                    "source",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="episodes.source",
                    ),
                ),
                ("since", models.DateTimeField()),
                ("name", models.CharField(help_text='The name of the person.', max_length=150)),
            ],
        ),
        migrations.AddField(
            model_name="source",
            name="status",
            field=models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('archived', 'Archived'), ('removed', 'Removed')], default='active', help_text='A paused source is imported only when named. Archived sources are not imported any more. Removed sources are hidden; their data is kept.', max_length=10),
        ),
    ]
