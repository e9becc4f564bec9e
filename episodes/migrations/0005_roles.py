"""Makes the roles: who may only look, who may decide, who may also set up shows, sources and people."""

from django.db import migrations

CONFIGURED = ("podcast", "source")
ROLES = ("viewer", "curator", "administrator")


def make_roles(apps, schema_editor):
    Permission = apps.get_model("auth", "Permission")
    ContentType = apps.get_model("contenttypes", "ContentType")
    groups = {name: apps.get_model("auth", "Group").objects.get_or_create(name=name)[0] for name in ROLES}

    def may(role, app, model, *verbs):
        # Django makes the permissions only after all migrations; those made here are found then.
        kind, _ = ContentType.objects.get_or_create(app_label=app, model=model)
        for verb in verbs:
            name = verb if verb in ("curate", "configure") else f"{verb}_{model}"
            names = {"curate": "Can decide about the catalog: episodes, topics, held entries", "configure": "Can set up shows and sources"}
            shown = names.get(verb, f"Can {verb} {verbose.get(model, model)}")
            permission, _ = Permission.objects.get_or_create(content_type=kind, codename=name, defaults={"name": shown})
            groups[role].permissions.add(permission)

    models = {m._meta.model_name: m for m in apps.get_app_config("episodes").get_models()}
    verbose = {name: m._meta.verbose_name for name, m in models.items()}
    for role in ROLES:
        for model in models:
            may(role, "episodes", model, "view")
    for role in ROLES[1:]:
        may(role, "episodes", "change", "curate")
        may(role, "episodes", "topic", "add", "change", "delete")
    may("administrator", "episodes", "change", "configure")
    for model in CONFIGURED:
        may("administrator", "episodes", model, "add", "change", "delete")
    for model in ("user", "group"):
        may("administrator", "auth", model, "view")
    may("administrator", "auth", "user", "add", "change")


def drop_roles(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name__in=ROLES).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("episodes", "0004_curation"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunPython(make_roles, drop_roles)]
