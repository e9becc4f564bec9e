"""Corrections of people, links and symbols; addresses that people had; the cover of a show as a column that can be edited."""

from importlib import import_module

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from ._roles import view

search = import_module("episodes.migrations.0003_search")

FIELDS = (
    "title", "number", "season", "published", "duration_seconds", "description_text", "slug", "url", "audio_url",
    "episode_type", "explicit", "image_url", "details",
)
CORRECTED = ("name", "url", "image", "label", "kind", "replacement", "same", "hidden")


def fill(apps, schema_editor):
    """Covers as the feeds name them, and the addresses that people have now."""
    for podcast in apps.get_model("episodes", "Podcast").objects.using(schema_editor.connection.alias).exclude(said={}):
        podcast.image_url = str(podcast.said.get("image_url", ""))[:2000]
        podcast.save(update_fields=["image_url"])
    former = apps.get_model("episodes", "FormerPerson")
    people = apps.get_model("episodes", "Person").objects.using(schema_editor.connection.alias).values_list("slug", "identity")
    former.objects.using(schema_editor.connection.alias).bulk_create([former(slug=slug, identity=identity) for slug, identity in people], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [
        ("episodes", "0024_source_status"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("credit", "corrected", models.JSONField(blank=True, default=dict, help_text='The name, page and photo that curators set.')),
        migrations.AddField("link", "labelled", models.BooleanField(default=False, help_text='A curator set the title, so it beats the link text in notes.')),
        migrations.AddField("link", "replacement", models.TextField(
            blank=True, default="", help_text="Where it leads in place of an address that is dead.",
        ), False),
        migrations.AddField("person", "image_url", models.TextField(
            "photo", blank=True, default="",
        ), False),
        migrations.AddField("person", "url", models.TextField("web page", blank=True, default=""), False),
        migrations.AddField("podcast", "image_url", models.CharField(
            "cover", blank=True, default="", max_length=2000,
        ), False),
        migrations.CreateModel(
            name="FormerPerson",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(allow_unicode=True, max_length=200)),
                ("identity", models.CharField(max_length=2000)),
            ],
            options={
                "verbose_name_plural": "former addresses of people",
                "ordering": ("id",),
                "constraints": [models.UniqueConstraint(fields=("slug", "identity"), name="former_person_once")],
            },
        ),
        migrations.CreateModel(
            name="Correction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.TextField(blank=True)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided')),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ("kind", models.CharField(choices=[('person', 'Person'), ('link', 'Link'), ('symbol', 'Symbol')], max_length=10)),
                ("key", models.CharField(help_text="A person's identity, a link's key, or a symbol.", max_length=2000)),
                ("field", models.CharField(choices=[('name', 'Name'), ('url', 'Web page'), ('image', 'Photo'), ('label', 'Link text'), ('kind', 'Kind'), ('replacement', 'Replacement address'), ('same', 'Same as'), ('hidden', 'Hidden')], max_length=20)),
                ("value", models.TextField(help_text='For “Same as”, the key of the other.')),
                ("name", models.CharField(blank=True, help_text='Its name when this was decided.', max_length=300)),
                ("made_by", models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator')),
                ("podcast", models.ForeignKey(blank=True, help_text='Empty for every show.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                "ordering": ("-made_at", "-id"),
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at__isnull", True), ("podcast__isnull", True)),
                        fields=("kind", "key", "field"),
                        name="correction_one_in_force",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at__isnull", True), ("podcast__isnull", False)),
                        fields=("podcast", "kind", "key", "field"),
                        name="correction_one_in_force_a_show",
                    ),
                ],
            },
        ),
        migrations.AlterModelOptions("person", {"ordering": ("slug",), "verbose_name_plural": "people"}),
        migrations.AlterModelOptions("codename", {"ordering": ("name",), "verbose_name": "symbol"}),
        # SQLite loses a table's triggers when it gets a new column.
        migrations.RunPython(search.create, migrations.RunPython.noop),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(view({"correction": "correction", "formerperson": "former person", "codename": "code name"}), migrations.RunPython.noop),
    ]
