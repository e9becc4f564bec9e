"""Indexes of the history and of people by who they are."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("episodes", "0035_resolved_inputs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="held",
            name="item",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="held",
                to="episodes.item",
                verbose_name="entry",
            ),
        ),
        migrations.AlterField(
            model_name="withdrawnentry",
            name="item",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="withdrawn",
                to="episodes.item",
                verbose_name="entry",
            ),
        ),
        migrations.AddIndex(
            model_name="change",
            index=models.Index(fields=["-made_at", "-id"], name="change_newest"),
        ),
        migrations.AddIndex(
            model_name="person",
            index=models.Index(fields=["identity"], name="person_identity"),
        ),
    ]
