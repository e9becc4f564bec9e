"""Stored counts of what the entries of each source hold; orders of links and of a show's episodes that indexes have."""


import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Count, Exists, OuterRef, Q, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, Left, StrIndex

from . import _search as search

KEPT = ("github-issue", "github-pr", "github-commit", "github-code")
REFUTABLE = ("number", "season", "published", "duration_seconds")
LISTED = Q(item__held__isnull=True, item__attachment__isnull=False)
HAS_TEXT = Q(payload__has_key="text") | Q(payload__has_key="html")
CONDITIONS = {
    "listed": LISTED,
    "held": Q(item__held__isnull=False),
    "title": LISTED & Q(payload__has_key="title"),
    "date": LISTED & Q(payload__has_key="published"),
    "length": LISTED & Q(payload__has_key="seconds_low"),
    "notes": LISTED & HAS_TEXT,
    "cut": LISTED & HAS_TEXT & Q(payload__cut=True),
    "links": LISTED & (Q(http__gt=0) | Q(https__gt=0)),
    "audio": LISTED & Q(payload__has_key="audio_url"),
}
COLUMNS = {
    **{name: Count("pk", filter=condition) for name, condition in CONDITIONS.items()},
    "episodes": Count("item__attachment__episode", filter=LISTED, distinct=True),
}


def fill(apps, schema_editor):
    """Count the entries of each source that belong to an episode, and those of them that have each field."""
    get = lambda name: apps.get_model("episodes", name).objects.using(schema_editor.connection.alias)
    for show in get("Podcast").order_by("pk"):
        newer = get("Revision").filter(item=OuterRef("item"), version__gt=OuterRef("version"))
        text = Coalesce(KT("payload__text"), KT("payload__html"), Value(""), output_field=TextField())
        links = {"http": StrIndex(text, Value("http://")), "https": StrIndex(text, Value("https://"))}
        newest = get("Revision").filter(~Exists(newer), item__document__source__podcast=show, item__gone_version=None)
        entries = newest.filter(item__is_post=False).annotate(**links).order_by().values("item__document__source")
        counted = {row.pop("item__document__source"): row for row in entries.annotate(**COLUMNS)}
        episodes = get("Episode").filter(podcast=show).order_by()
        rows = list(episodes.values_list(*(f"provenance__{name}__refuted" for name in REFUTABLE)).distinct())
        total = episodes.count()
        for pk, slug in get("Source").filter(podcast=show).values_list("pk", "slug"):
            get("SourceCount").create(
                source_id=pk,
                counts={**dict.fromkeys(COLUMNS, 0), **counted.get(pk, {}), "total": total},
                refuted=[
                    name for place, name in enumerate(REFUTABLE) if any(slug in (row[place] or ()) for row in rows)
                ],
            )


def place_links(apps, schema_editor):
    links = apps.get_model("episodes", "Link").objects.using(schema_editor.connection.alias)
    links.update(sort_key=Left("sort_key", 120))
    used = links.filter(episode_count__gt=0, kind__in=KEPT).order_by()
    for kind, repository, count in used.values_list("kind", "repository").annotate(n=Count("pk")):
        links.filter(kind=kind, repository=repository).update(heading_size=count)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0045_episodes_of_shared_things")]

    operations = [
        migrations.CreateModel(
            name="SourceCount",
            fields=[
                (
                    "source",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="episodes.source",
                    ),
                ),
                ("counts", models.JSONField(default=dict)),
                ("refuted", models.JSONField(default=list, help_text="Names of fields.")),
            ],
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddField(
            "link",
            "heading_size",
            models.PositiveIntegerField(
                default=0, editable=False, help_text="Links there, where it is listed under one."
            ),
        ),
        migrations.AddIndex(
            "link", models.Index(fields=["repository", "directory", "kind", "episode_count"], name="link_repository")
        ),
        # SQLite makes the table anew, and drops the triggers that keep the search index.
        migrations.RunPython(search.create, migrations.RunPython.noop),
        migrations.RunPython(place_links, migrations.RunPython.noop),
        migrations.AddIndex(
            "link",
            models.Index(
                fields=["kind_order", "kind", "-heading_size", "heading", "directory", "-episode_count", "sort_key"],
                name="link_in_index",
            ),
        ),
        migrations.AddIndex(
            "episode",
            models.Index(
                fields=["podcast", "-sorted_at"], condition=models.Q(("listed", True)), name="episode_newest_of_show"
            ),
        ),
    ]
