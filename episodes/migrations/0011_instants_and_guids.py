"""Episodes get what lists of several shows and feeds sort and know them by."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from importlib import import_module
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import episodes.records
from django.db import migrations, models

search = import_module("episodes.migrations.0003_search")


def fill(apps: Any, schema_editor: Any) -> None:
    """Near to what the next resolve writes, so that feeds are right before it."""
    podcasts, episodes_ = apps.get_model("episodes", "Podcast"), apps.get_model("episodes", "Episode")
    for podcast in podcasts.objects.all():
        rows = list(episodes_.objects.filter(podcast=podcast).order_by("order"))
        entries = _entries(apps.get_model("episodes", "Attachment"), podcast)
        first = next((place for place, row in enumerate(rows) if row.published_at), 0)
        at = rows[first].published_at if rows else None
        at = (at or episodes.records.NO_DATE) - timedelta(seconds=first + 1)
        for row in rows:
            at = row.published_at or at + timedelta(seconds=1)
            row.sorted_at = at
            row.guid_hash = _guid_hash(row.guid)
            row.own_guid = uuid5(NAMESPACE_URL, "\0".join((podcast.slug, *entries.get(row.pk, (row.slug,))))).urn
        episodes_.objects.bulk_update(rows, ("sorted_at", "guid_hash", "own_guid"), batch_size=200)


def _entries(attachments: Any, podcast: Any) -> dict[int, tuple[str, str]]:
    """By episode the source and key of its oldest entry."""
    rows = attachments.objects.filter(episode__podcast=podcast).order_by(
        "-item__document__source__rank", "-item__document__source__slug", "-item__first_version", "-item__key"
    )
    values = rows.values_list("episode", "item__document__source__slug", "item__key")
    return {episode: (source, key) for episode, source, key in values.iterator(2000)}


def _guid_hash(guid: str) -> str:
    folded = "".join(c for c in guid if c.isprintable() and not c.isspace()).casefold()
    return sha256(folded.encode("utf-8", "surrogatepass")).hexdigest() if folded else ""


class Migration(migrations.Migration):
    dependencies = [("episodes", "0010_show_rank_and_own_sources")]

    operations = [
        migrations.AddField(
            model_name="episode",
            name="sorted_at",
            field=models.DateTimeField(
                default=episodes.records.NO_DATE,
                help_text="What sorts it among the episodes of other shows: its date, or one that keeps its place.",
            ),
        ),
        migrations.AddField(
            model_name="episode",
            name="guid_hash",
            field=models.CharField(blank=True, help_text='Equal for GUIDs that podcast apps may treat as one.', max_length=64),
        ),
        migrations.AddField(
            model_name="episode",
            name="own_guid",
            field=models.CharField(blank=True, help_text='Used in feeds where the GUID is shared or missing.', max_length=50),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="episode",
            index=models.Index(fields=["-sorted_at", "podcast", "-order"], name="episode_newest"),
        ),
        migrations.AddIndex(model_name="episode", index=models.Index(fields=["guid_hash"], name="episode_guid")),
        # SQLite loses a table's triggers when it gets a new column.
        migrations.RunPython(search.create, migrations.RunPython.noop),
    ]
