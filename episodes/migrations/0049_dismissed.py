"""Rows of the inbox are called no problem, and no longer put off or assigned; forms tell of nobody else.

What was called no problem is kept, with the change of the history that undoes it. Other notes stay
in the history as lines; there is nothing left of them to undo.
"""

import json

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.core import serializers
from django.db import migrations, models

from ._roles import view

OLD, NEW = "episodes.inboxnote", "episodes.dismissed"


def keep_dismissed(apps, schema_editor):
    alias = schema_editor.connection.alias
    kept = apps.get_model("episodes", "Dismissed").objects.using(alias)
    notes = apps.get_model("episodes", "InboxNote").objects.using(alias)
    by_note = {}
    for note in notes.filter(state="fine", ended_at=None).order_by("pk"):
        key = note.source if note.kind == "source" else note.item_key
        same = ("kind", "about", "digest", "subject", "reason", "made_by_id", "made_at")
        by_note[note.pk] = kept.create(key=key, **{name: getattr(note, name) for name in same})
    for change in apps.get_model("episodes", "Change").objects.using(alias).filter(about__startswith="inbox:"):
        written = [by_note.get(row[1]) for row in change.rows if row[0] == OLD and row[2] is None]
        rows = [row for row in written if row is not None and change.verb == "set aside"]
        change.rows = [[NEW, row.pk, None, _fields(row)] for row in rows]
        change.save(update_fields=["rows"])


def _fields(row):
    return json.loads(serializers.serialize("json", [row]))[0]["fields"]


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("episodes", "0048_state_of_catalogs"),
    ]

    operations = [
        migrations.CreateModel(
            name="Dismissed",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.SlugField(max_length=40)),
                (
                    "key",
                    models.CharField(help_text="The slug of a source or path, or a link's key.", max_length=2100),
                ),
                (
                    "about",
                    models.CharField(help_text="SHA-256 of kind, show and key.", max_length=64, unique=True),
                ),
                ("digest", models.CharField(help_text="Of what the row says.", max_length=64)),
                ("subject", models.CharField(help_text="What it is about, in words.", max_length=300)),
                ("reason", models.TextField(blank=True)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="when")),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="by",
                    ),
                ),
            ],
            options={"ordering": ("-made_at", "-id"), "verbose_name": "dismissed row"},
        ),
        migrations.RunPython(keep_dismissed, migrations.RunPython.noop),
        migrations.DeleteModel(name="InboxNote"),
        migrations.DeleteModel(name="OpenForm"),
        migrations.RunPython(view({"dismissed": "dismissed row"}), migrations.RunPython.noop),
    ]
