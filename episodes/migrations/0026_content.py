"""Stored bytes are kept once and compressed, in a table of their own; import runs can stand for those of a day."""

import zlib

from django.db import migrations, models


def pack(apps, schema_editor):
    """One capture after another: a body can have 20 MB."""
    Capture = apps.get_model("episodes", "Capture")
    Content = apps.get_model("episodes", "Content")
    known = set()
    for pk, sha256 in Capture.objects.using(schema_editor.connection.alias).order_by("pk").values_list("pk", "sha256"):
        if sha256 not in known:
            known.add(sha256)
            body = bytes(Capture.objects.using(schema_editor.connection.alias).values_list("body", flat=True).get(pk=pk))
            Content.objects.using(schema_editor.connection.alias).create(sha256=sha256, packed=zlib.compress(body), size=len(body))


def unpack(apps, schema_editor):
    Capture = apps.get_model("episodes", "Capture")
    Content = apps.get_model("episodes", "Content")
    for sha256 in Content.objects.using(schema_editor.connection.alias).values_list("sha256", flat=True):
        packed = Content.objects.using(schema_editor.connection.alias).values_list("packed", flat=True).get(pk=sha256)
        Capture.objects.using(schema_editor.connection.alias).filter(sha256=sha256).update(body=zlib.decompress(packed))



def forget_history(apps, schema_editor):
    """No public page shows the history, and failed logins are in it: they must not make pages anew."""
    names = {"sqlite": ("insert", "update", "delete"), "postgresql": ("insert", "change", "truncate")}
    vendor = schema_editor.connection.vendor
    for event in names[vendor]:
        if vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER IF EXISTS version_episodes_change_{event}")
        else:
            schema_editor.execute(f"DROP TRIGGER IF EXISTS version_{event} ON episodes_change")


class Migration(migrations.Migration):
    dependencies = [("episodes", "0025_corrections")]

    operations = [
        migrations.CreateModel(
            name="Content",
            fields=[
                (
                    "sha256",
                    models.CharField(help_text="Of the bytes.", max_length=64, primary_key=True, serialize=False),
                ),
                ("packed", models.BinaryField()),
                ("size", models.PositiveIntegerField(help_text="Of the bytes.")),
            ],
        ),
        # The column of bytes gets a default, for the way back.
        migrations.AlterField("capture", "body", models.BinaryField(default=b"")),
        migrations.RunPython(pack, unpack),
        migrations.RemoveField("capture", "body"),
        migrations.RunPython(forget_history, migrations.RunPython.noop),
        migrations.AddField(
            "capture",
            "reading",
            models.BinaryField(help_text="Of a page of any site: what it was last understood to say.", null=True),
        ),
        migrations.AddField(
            "ingestrun",
            "times",
            models.PositiveIntegerField(default=1, help_text="How many attempts of its day the row stands for."),
        ),
        migrations.AddField(
            "ingestrun",
            "first_at",
            models.DateTimeField(blank=True, help_text="Of these, when the first one began.", null=True),
        ),
    ]
