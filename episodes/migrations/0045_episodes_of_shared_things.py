"""Links, symbols and people say in how many episodes they are, and links and symbols where an index lists them."""

import re

from django.db import migrations, models
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from . import _search as search

KINDS = (
    "episode", "github-issue", "github-pr", "github-commit", "github-code", "github-repo", "docs", "paper", "blog",
    "forum", "wiki", "gdoc", "video", "other",
)  # fmt: skip
KEPT = ("github-issue", "github-pr", "github-commit", "github-code")
REPOSITORY = re.compile(r"gh:([^:#@/]+/[^:#@/]+)(?:[:#@/].*)?", re.DOTALL)
USES = (("Link", "EpisodeLink", "link"), ("CodeName", "CodeMention", "name"), ("Person", "Credit", "person"))


def place_link(row):
    found = REPOSITORY.fullmatch(row.key)
    row.repository = found[1] if found else ""
    row.heading = row.repository if row.kind in KEPT else ""
    path = row.key.removeprefix(f"gh:{row.repository}")
    row.directory = path[1:].rpartition("/")[0] if row.repository and path.startswith(":") else ""
    row.kind_order = KINDS.index(row.kind) if row.kind in KINDS else len(KINDS)
    row.sort_key = re.sub("[0-9]{1,18}", lambda number: f"\1{number[0]:0>18}", row.key.lower())


def place_symbol(row):
    row.sort_name = (re.sub(r"^[\W_]+", "", row.name) or row.name).casefold()
    first = row.sort_name[:1].upper()
    row.letter = first if first.isalpha() else ""


def fill(apps, schema_editor):
    get = lambda name: apps.get_model("episodes", name).objects.using(schema_editor.connection.alias)
    placed = {
        "Link": (place_link, ["repository", "heading", "directory", "kind_order", "sort_key"]),
        "CodeName": (place_symbol, ["sort_name", "letter"]),
    }
    for name, (place, columns) in placed.items():
        rows = list(get(name).all())
        for row in rows:
            place(row)
        get(name).bulk_update(rows, columns, batch_size=100)
    for name, uses, field in USES:
        of_row = get(uses).filter(**{field: OuterRef("pk")}).order_by().values(field)
        count = Subquery(of_row.annotate(n=Count("episode", distinct=True)).values("n"))
        get(name).update(episode_count=Coalesce(count, 0))


def words(text):
    return models.TextField(blank=True, editable=False, help_text=text)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0044_episode_counts")]

    operations = [
        *(
            migrations.AddField(
                model, "episode_count", models.PositiveIntegerField(default=0, editable=False, verbose_name="episodes")
            )
            for model in ("link", "codename", "person")
        ),
        migrations.AddField(
            "codename",
            "letter",
            models.CharField(
                blank=True, editable=False, help_text="Empty: it begins with a digit or sign.", max_length=5
            ),
        ),
        migrations.AddField("codename", "sort_name", words("Without case and the signs before it.")),
        migrations.AddField("link", "kind_order", models.PositiveSmallIntegerField(default=0, editable=False)),
        migrations.AddField("link", "repository", words("The GitHub repository that keeps it.")),
        migrations.AddField("link", "heading", words("The repository, where it is listed under that.")),
        migrations.AddField("link", "directory", words("Of a source file, in its repository.")),
        migrations.AddField("link", "sort_key", words("The key with numbers that sort as numbers.")),
        migrations.AddIndex(
            "person", models.Index(fields=["-episode_count", "name", "slug"], name="person_most_episodes")
        ),
        # SQLite makes these tables anew, and drops the triggers that keep the search index.
        migrations.RunPython(search.create, migrations.RunPython.noop),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
