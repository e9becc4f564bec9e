"""Episodes get what their own feed says of them: type, explicit, image and details; shows what their feed says."""

from importlib import import_module

from django.db import migrations, models

search = import_module("episodes.migrations.0003_search")

FIELDS = (
    "title", "number", "season", "published", "duration_seconds", "description_text", "slug", "url", "audio_url",
    "episode_type", "explicit", "image_url",
)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0015_document_show_given")]

    operations = [
        migrations.AddField("episode", "episode_type", models.CharField(blank=True, default="", max_length=10), False),
        migrations.AddField("episode", "explicit", models.BooleanField(blank=True, null=True)),
        migrations.AddField("episode", "image_url", models.TextField(blank=True, default=""), False),
        migrations.AddField("episode", "details", models.JSONField(blank=True, default=list)),
        migrations.AddField("podcast", "status", models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('archived', 'Archived'), ('removed', 'Removed')], default='active', help_text='Paused and archived shows stay visible but are not imported. Removed shows are hidden; their data is kept.', max_length=10)),
        migrations.AddField("podcast", "said", models.JSONField(blank=True, default=dict, editable=False, help_text='Updated by each import of its feed.', verbose_name='feed values')),
        migrations.AddField("source", "moved_to", models.CharField(
            blank=True, default="", editable=False, max_length=2000, verbose_name="proposed address",
            help_text="Where the server or the feed says that the feed is now; a person decides whether to follow.",
        ), False),
        # SQLite loses a table's triggers when it gets a new column.
        migrations.RunPython(search.create, migrations.RunPython.noop),
    ]
