"""The index that lists are sorted by also has what is counted of them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0049_dismissed'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='episode',
            name='episode_newest',
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(fields=['-sorted_at', 'podcast', '-order', 'listed', 'published_at', 'duration_seconds'], name='episode_newest'),
        ),
    ]
