"""What episodes may repeat, what is related to them, and the counts of sources become columns of the rows that they are
of: an episode's, and the state of a show's catalog."""

from collections import defaultdict

import django.db.models.deletion
from django.db import migrations, models

from . import _search as search


def copy(apps, schema_editor):
    """Put the rows of the three tables into the columns. What was accepted stands in `versions` already."""
    get = lambda name: apps.get_model("episodes", name).objects.using(schema_editor.connection.alias)
    columns = defaultdict(lambda: {"repeats": [], "related": []})
    pairs = get("Repeat").filter(accepted=False).order_by("episode", "of")
    for episode, of, kind, evidence in pairs.values_list("episode", "of__slug", "kind", "evidence"):
        columns[episode]["repeats"].append({"of": of, "kind": kind, "evidence": evidence})
    others = get("Related").order_by("episode", "place").values_list("episode", "other__slug", "reasons")
    for episode, other, reasons in others:
        columns[episode]["related"] += [[other, reason] for reason in reasons[:1]]
    for episode, values in columns.items():
        get("Episode").filter(pk=episode).update(**values)
    sources = defaultdict(dict)
    counted = get("SourceCount").values_list("source__podcast", "source__slug", "counts", "refuted")
    for podcast, slug, counts, refuted in counted:
        sources[podcast][slug] = {"counts": counts, "refuted": refuted, "title_count": {}}
    for podcast, known in sources.items():
        get("CatalogState").filter(podcast=podcast).update(sources=known)


def create(apps, schema_editor):
    """SQLite made the table of episodes anew, and took its triggers away with the old one."""
    if schema_editor.connection.vendor == "sqlite":
        search.create(apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0121_absences_of_items")]

    operations = [
        # The columns get the names that these had.
        migrations.AlterField(
            "repeat", "episode", models.ForeignKey("episodes.episode", django.db.models.deletion.CASCADE, related_name="+")
        ),
        migrations.AlterField(
            "related", "episode", models.ForeignKey("episodes.episode", django.db.models.deletion.CASCADE, related_name="+")
        ),
        migrations.AddField(
            "catalogstate",
            "sources",
            models.JSONField(
                default=dict,
                help_text="By source: the counts of what its entries hold, the names of the fields of it that are "
                "not used (refuted), and how its titles count the episodes.",
            ),
        ),
        migrations.AddField(
            "episode",
            "repeats",
            models.JSONField(
                blank=True,
                default=list,
                help_text="Earlier episodes that it may replace or repeat, not decided yet: {of, kind, evidence}.",
            ),
        ),
        migrations.AddField(
            "episode",
            "related",
            models.JSONField(
                blank=True,
                default=list,
                help_text="Episodes that it has something in common with, best first: [slug, reason].",
            ),
        ),
        migrations.RunPython(copy, migrations.RunPython.noop),
        migrations.RunPython(create, migrations.RunPython.noop),
    ]
