"""Shows get a rank, by the day they were added; sources say whether they are the show's own."""

from django.db import migrations, models

import episodes.models.configuration

OWN_READERS = ("feed", "by-hand", "ezyang-blog")


def rank_shows_and_mark_own_sources(apps, schema_editor):
    for rank, podcast in enumerate(apps.get_model("episodes", "Podcast").objects.order_by("pk"), 1):
        podcast.rank = rank
        podcast.save(update_fields=("rank",))
    apps.get_model("episodes", "Source").objects.filter(reader__in=OWN_READERS).update(own=True)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0009_wal")]

    operations = [
        migrations.AlterModelOptions(name="podcast", options={"ordering": ("rank", "slug")}),
        migrations.AddField(
            model_name="podcast",
            name="rank",
            field=models.PositiveIntegerField(
                default=0,
                help_text="Its place among the shows, given on the day it is added and never changed; 1 is the first show.",
            ),
        ),
        migrations.AddField(
            model_name="source",
            name="own",
            field=models.BooleanField(
                "the show's own",
                default=False,
                help_text="Its feed, its site, its host's blog. Only these set an episode's page, audio and guid.",
            ),
        ),
        migrations.RunPython(rank_shows_and_mark_own_sources, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="podcast",
            name="rank",
            field=models.PositiveIntegerField(default=episodes.models.configuration.next_rank, help_text='Its place among the shows, set when it is added and never changed. 1 is the first show.'),
        ),
    ]
