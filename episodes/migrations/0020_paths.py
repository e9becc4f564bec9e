"""Learning paths, their former addresses, and who may do what with them."""

import django.db.models.deletion
from django.db import migrations, models

VIEWERS = ("viewer", "curator", "administrator")
EDITORS = ("curator", "administrator")


def give_permissions(apps, schema_editor):
    # Django makes the permissions only after all migrations; those made here are found then.
    for model, name in (("learningpath", "path"), ("formerpath", "former path")):
        kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label="episodes", model=model)
        for verb in ("view", "add", "change", "delete"):
            permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
                content_type=kind, codename=f"{verb}_{model}", defaults={"name": f"Can {verb} {name}"}
            )
            roles = VIEWERS if verb == "view" else EDITORS if model == "learningpath" else ()
            for group in apps.get_model("auth", "Group").objects.filter(name__in=roles):
                group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0019_catalog_version")]

    operations = [
        migrations.CreateModel(
            "LearningPath",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=100, unique=True)),
                ("title", models.CharField(max_length=200)),
                ("description", models.TextField(blank=True)),
                ("author", models.CharField(blank=True, max_length=200, verbose_name='author')),
                ("position", models.PositiveSmallIntegerField(default=0)),
                ("published", models.BooleanField(default=True)),
                (
                    "steps",
                    models.JSONField(
                        blank=True, default=list, help_text="[{episode: its address, why: a sentence}, …]"
                    ),
                ),
                (
                    "podcast",
                    models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='paths', to='episodes.podcast', verbose_name='show'),
                ),
            ],
            options={"verbose_name": "path", "ordering": ("position", "slug")},
        ),
        migrations.CreateModel(
            "FormerPath",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=100, unique=True)),
                (
                    "path",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="former",
                        to="episodes.learningpath",
                    ),
                ),
            ],
            options={"ordering": ("slug",)},
        ),
        migrations.RunPython(give_permissions, migrations.RunPython.noop),
    ]
