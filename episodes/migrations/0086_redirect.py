"""Four ledgers of former addresses become one; each keeps its order, and what the history wrote can still be undone."""

from itertools import islice

import django.db.models.deletion
from django.db import migrations, models
from django.db.migrations.exceptions import IrreversibleError

AT_ONCE = 500
NEW = "episodes.redirect"
TABLES = {"formeraddress": "episode", "formerperson": "person", "formertopic": "topic", "formerpath": "path"}
IN_HISTORY = {"episodes.formertopic": "topic", "episodes.formerpath": "path"}


def move(apps, schema_editor):
    alias = schema_editor.connection.alias

    def rows_of(name):
        return apps.get_model("episodes", name)._default_manager.using(alias)

    redirects, numbers = rows_of("redirect"), {}
    for table, kind in TABLES.items():
        rows = rows_of(table).order_by("pk").values().iterator(AT_ONCE)
        while some := list(islice(rows, AT_ONCE)):
            old = [row.pop("id") for row in some]
            made = redirects.bulk_create(redirects.model(kind=kind, **row) for row in some)
            if table in ("formertopic", "formerpath"):
                numbers |= {(kind, pk): row.pk for pk, row in zip(old, made, strict=True)}
    for change in rows_of("change").order_by("pk").iterator(AT_ONCE):
        if any(row[0] in IN_HISTORY for row in change.rows):
            change.rows = [renamed(row, numbers) for row in change.rows]
            change.save(update_fields=["rows"])


def renamed(row, numbers):
    """A row of the history by its new number; one that is missing gets a negative one."""
    label, pk, *both = row
    kind = IN_HISTORY.get(label)
    if kind is None:
        return row
    missing = -2 * pk - (kind == "path")
    named = ({"kind": kind, **values} if values else None for values in both)
    return [NEW, numbers.get((kind, pk), missing), *named]


def keep(apps, schema_editor):
    """The way back exists only while the ledger is empty."""
    if apps.get_model(NEW)._default_manager.using(schema_editor.connection.alias).exists():
        raise IrreversibleError("There are redirects; restore a backup of the earlier version.")


class Migration(migrations.Migration):
    dependencies = [("episodes", "0085_newest_with_id")]

    operations = [
        migrations.CreateModel(
            name="Redirect",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=10)),
                ("slug", models.SlugField(allow_unicode=True, max_length=255)),
                ("document", models.CharField(blank=True, max_length=2000)),
                ("item_key", models.CharField(blank=True, max_length=600)),
                (
                    "entry",
                    models.CharField(blank=True, help_text="SHA-256 of document and key, for the index.", max_length=64),
                ),
                ("identity", models.CharField(blank=True, max_length=2000)),
                (
                    "path",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="former",
                        to="episodes.learningpath",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="episodes.source"
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="former", to="episodes.topic"
                    ),
                ),
            ],
            options={"ordering": ("id",)},
        ),
        migrations.RunPython(move, keep),
        *(migrations.DeleteModel(name) for name in ("FormerAddress", "FormerPerson", "FormerTopic", "FormerPath")),
        migrations.AddConstraint(
            "redirect",
            models.UniqueConstraint(
                condition=models.Q(("kind", "episode")),
                fields=("slug", "source", "entry"),
                name="redirect_once_an_entry",
            ),
        ),
        migrations.AddConstraint(
            "redirect",
            models.UniqueConstraint(
                condition=models.Q(("kind", "person")), fields=("slug", "identity"), name="redirect_once_a_person"
            ),
        ),
        migrations.AddConstraint(
            "redirect",
            models.UniqueConstraint(
                condition=models.Q(("kind__in", ("path", "topic"))), fields=("slug", "kind"), name="redirect_once_a_topic"
            ),
        ),
    ]
