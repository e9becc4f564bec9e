"""Stored counts of episodes, filled from the catalog that is there."""

from collections import Counter, defaultdict

import django.db.models.deletion
from django.db import migrations, models

BORDERS = (0, 15, 20, 30, 60)
BANDS = ("0-15", "15-20", "20-30", "30-60", "60-")


def fill(apps, schema_editor):
    """Count the listed episodes of each show by what they are about, and add them up for all shows."""
    get = lambda name: apps.get_model("episodes", name).objects.using(schema_editor.connection.alias)
    whole = defaultdict(Counter)
    for show in get("Podcast").order_by("pk").values_list("pk", flat=True):
        counted = counted_of(get, show)
        for about, counts in counted.items():
            whole[about].update(counts)
        store(apps, get, show, counted)
    store(apps, get, None, whole)


def counted_of(get, show):
    topics = defaultdict(list)
    uses = get("EpisodeTopic").filter(episode__podcast=show, episode__listed=True).order_by()
    for episode, topic in uses.values_list("episode", "topic"):
        topics[episode].append(f"topic:{topic}")
    counted = defaultdict(Counter)
    rows = get("Episode").filter(podcast=show, listed=True).order_by()
    for pk, published, seconds, audio in rows.values_list("pk", "published_at", "duration_seconds", "audio_url"):
        month = f"{published:%Y-%m}" if published else ""
        band = "unknown" if seconds is None else BANDS[sum(60 * border <= seconds for border in BORDERS) - 1]
        for about in ("", *topics[pk], *([f"year:{month[:4]}"] if month else [])):
            counted[about].update(
                ["episodes", f"month:{month}", f"band:{band}", f"show:{show}", *topics[pk]]
                + (["timed"] if seconds is not None else [])
                + (["audible"] if audio else [])
            )
            counted[about]["seconds"] += seconds or 0
    return counted


def store(apps, get, show, counted):
    model = apps.get_model("episodes", "EpisodeCount")
    get("EpisodeCount").bulk_create(
        [
            model(podcast_id=show, about=about, counts={name: n for name, n in sorted(counts.items()) if n})
            for about, counts in counted.items()
        ],
        batch_size=500,
    )


class Migration(migrations.Migration):
    dependencies = [("episodes", "0043_version_without_triggers")]

    operations = [
        # Indexes for the catalog that was kept in memory.
        migrations.RemoveIndex(model_name="episode", name="episode_shelf"),
        migrations.RemoveIndex(model_name="episode", name="episode_silent"),
        migrations.CreateModel(
            name="EpisodeCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "about",
                    models.CharField(
                        blank=True, help_text="topic:ID or year:YYYY; empty: everything.", max_length=40
                    ),
                ),
                ("counts", models.JSONField(default=dict)),
                (
                    "podcast",
                    models.ForeignKey(
                        help_text="Empty: all shows.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="episodes.podcast",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("podcast", "about"), name="episode_count_of_show"),
                    models.UniqueConstraint(
                        condition=models.Q(("podcast", None)), fields=("about",), name="episode_count_of_all_shows"
                    ),
                ],
            },
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
