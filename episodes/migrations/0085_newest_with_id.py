"""The index of newest episodes has their ids, so that a deep page reads no row."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0081_remove_sourceschedule_pace'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='episode',
            name='episode_newest',
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(fields=['-sorted_at', 'podcast', '-order', 'listed', 'published_at', 'duration_seconds', 'id'], name='episode_newest'),
        ),
    ]
