"""The shipped reconstruction of the feed becomes a source of its own, `snapshot`; what hangs on its entries moves along."""

from __future__ import annotations

from hashlib import sha256

from django.db import migrations, models

SHIPPED = "file:feed.xml"
SHIPPED_SHA256 = "956a12e6447a0769352bf6e2e4a2163f498abff81158fc0614ede568d9ba4734"
SNAPSHOT = {
    "title": "A reconstruction of the feed",
    "reader": "feed",
    "rank": 2,
    "may_create": True,
    "own": True,
    "shipped_file": "feed.xml",
    "editorial": [*range(2, 23), 64],
}
DECISIONS = ("Override", "Judgement", "Removal", "Addition")


def move_shipped_feed(apps, schema_editor):
    """In catalogs that read the shipped file as the live feed, give it the source that fresh catalogs have."""
    Document = apps.get_model("episodes", "Document")
    shipped = Document.objects.filter(address=SHIPPED, source__slug="feed", captures__sha256=SHIPPED_SHA256)
    for document in shipped.distinct().select_related("source__podcast"):
        _move(apps, document)


def _move(apps, document):
    Source, Item = apps.get_model("episodes", "Source"), apps.get_model("episodes", "Item")
    feed = document.source
    lower = Source.objects.filter(podcast=feed.podcast, rank__gte=SNAPSHOT["rank"], rank__lt=100).exclude(slug="snapshot")
    for source in lower:
        source.rank += 1
        source.save(update_fields=["rank"])
    snapshot, _ = Source.objects.get_or_create(podcast=feed.podcast, slug="snapshot", defaults=SNAPSHOT)
    document.source = snapshot
    document.save(update_fields=["source"])
    document.runs.update(source=snapshot)
    apps.get_model("episodes", "FormerAddress").objects.filter(source=feed, document=SHIPPED).update(source=snapshot)
    live = set(Item.objects.filter(document__source=feed).values_list("key", flat=True))
    keys = set(document.items.values_list("key", flat=True)) - live
    _move_decisions(apps, feed.podcast, keys)
    _move_history(apps, feed.podcast, keys)


def _move_decisions(apps, podcast, keys):
    for name in DECISIONS:
        rows = apps.get_model("episodes", name).objects.filter(podcast=podcast)
        for row in rows:
            changed = [field for field, value in _moved(_values(row), keys).items() if _set(row, field, value)]
            if changed:
                row.save(update_fields=changed)


def _values(row):
    names = ("source", "item_key", "other_source", "other_key", "kind", "key")
    return {name: getattr(row, name) for name in names if hasattr(row, name)}


def _set(row, name, value):
    if getattr(row, name) == value:
        return False
    setattr(row, name, value)
    return True


def _moved(fields, keys):
    """The fields of a decision, with the new source wherever they name an entry of the shipped file."""
    fields = dict(fields)
    for source, key in (("source", "item_key"), ("other_source", "other_key")):
        if fields.get(source) == "feed" and fields.get(key) in keys:
            fields[source] = "snapshot"
    source, _, key = str(fields.get("key", "")).partition(" ")
    if fields.get("kind") == "reference" and source == "feed" and key in keys:
        fields["key"] = f"snapshot {key}"
    return fields


def _move_history(apps, podcast, keys):
    about = {_about(podcast, "feed", key): _about(podcast, "snapshot", key) for key in keys}
    decisions = {f"episodes.{name.lower()}" for name in DECISIONS}
    for change in apps.get_model("episodes", "Change").objects.filter(podcast=podcast):
        change.about = about.get(change.about, change.about)
        change.rows = [
            [label, pk, *(_moved(fields, keys) if fields and label in decisions else fields for fields in both)]
            for label, pk, *both in change.rows
        ]
        change.save(update_fields=["about", "rows"])


def _about(podcast, source, key):
    return f"episode:{podcast.pk}:{sha256(f'{source} {key}'.encode()).hexdigest()[:32]}"


class Migration(migrations.Migration):
    dependencies = [("episodes", "0011_instants_and_guids")]

    operations = [
        migrations.AddField(
            model_name="source",
            name="editorial",
            field=models.JSONField(blank=True, default=list, help_text='The numbers of episodes whose notes in this source were written for the catalog.', verbose_name='editorial summaries'),
        ),
        migrations.AddField(
            model_name="source",
            name="shipped_file",
            field=models.CharField(blank=True, help_text='Its saved copy in fixtures/, if there is one.', max_length=200),
        ),
        migrations.RunPython(move_shipped_feed, migrations.RunPython.noop, elidable=False),
    ]
