"""Rights of the roles that migrations made."""

ROLES = ("viewer", "curator", "administrator")


def view(names):
    """A step of a migration that lets every role see new tables; `names` are their words, by model."""

    def let_roles_view(apps, schema_editor):
        # Django makes the permissions only after all migrations; those made here are found then.
        alias = schema_editor.connection.alias
        kinds = apps.get_model("contenttypes", "ContentType").objects.using(alias)
        permissions = apps.get_model("auth", "Permission").objects.using(alias)
        for model, name in names.items():
            kind, _ = kinds.get_or_create(app_label="episodes", model=model)
            permission, _ = permissions.get_or_create(
                content_type=kind, codename=f"view_{model}", defaults={"name": f"Can view {name}"}
            )
            for group in apps.get_model("auth", "Group").objects.using(alias).filter(name__in=ROLES):
                group.permissions.add(permission)

    return let_roles_view
