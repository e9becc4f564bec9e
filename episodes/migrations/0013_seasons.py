"""Episodes get a season, which curators can set."""

from django.db import migrations, models

FIELDS = (
    "title", "number", "season", "published", "duration_seconds", "description_text", "slug", "url", "audio_url",
)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0012_snapshot")]

    operations = [
        migrations.AddField(
            model_name="episode", name="season", field=models.PositiveIntegerField(blank=True, null=True)
        ),
    ]
