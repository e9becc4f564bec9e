"""Indexes that hold all the columns of episodes that the catalog in memory is read from."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("episodes", "0033_person_base")]

    operations = [
        migrations.AddIndex(
            model_name="episode",
            index=models.Index(
                fields=["podcast", "-order", "listed", "sorted_at", "duration_seconds", "published_at"],
                name="episode_shelf",
            ),
        ),
        migrations.AddIndex(
            model_name="episode",
            index=models.Index(condition=models.Q(audio_url=""), fields=["podcast"], name="episode_silent"),
        ),
    ]
