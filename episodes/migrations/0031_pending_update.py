"""Shows whose changes wait to be worked into the catalog."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0030_unsent_notices'),
    ]

    operations = [
        migrations.CreateModel(
            name='PendingUpdate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.DateTimeField(default=django.utils.timezone.now)),
                ('asked', models.PositiveIntegerField(default=0)),
                ('worker', models.CharField(blank=True, max_length=40)),
                ('held_until', models.DateTimeField(blank=True, null=True)),
                ('podcast', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='pending_update', to='episodes.podcast')),
            ],
            options={
                'ordering': ('since', 'pk'),
            },
        ),
    ]
