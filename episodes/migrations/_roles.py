"""Roles and their rights: who may only look, who may decide, who may also set up shows, sources and people."""

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


SEEN = (
    "addition attachment capture change chapter codemention codename correction credit document episode episodelink"
    " episodetopic formeraddress formerpath formerperson formertopic held inboxnote ingestrun item judgement learningpath"
    " link override person podcast reference related removal repeat revision source topic topicproposal topicrefusal"
    " transcript withdrawal withdrawnepisode"
).split()
SAVED = ("add", "change", "delete")


def make_roles(apps, schema_editor):
    """The three roles of an empty database. Django makes the permissions only after all migrations; those made here are found then."""
    alias = schema_editor.connection.alias
    kinds, permissions, groups = (
        apps.get_model(*name).objects.using(alias)
        for name in (("contenttypes", "ContentType"), ("auth", "Permission"), ("auth", "Group"))
    )
    verbose = {(m._meta.app_label, m._meta.model_name): m._meta.verbose_name for m in apps.get_models()}
    viewer, curator, administrator = (groups.get_or_create(name=name)[0] for name in ROLES)

    def let(roles, app, model, *verbs, codename="", name=""):
        kind, _ = kinds.get_or_create(app_label=app, model=model)
        words = verbose.get((app, model), model)
        for verb in verbs:
            permission, _ = permissions.get_or_create(
                content_type=kind,
                codename=codename or f"{verb}_{model}",
                defaults={"name": name or f"Can {verb} {words}"},
            )
            for role in roles:
                role.permissions.add(permission)

    for model in SEEN:
        let((viewer, curator, administrator), "episodes", model, "view")
    decides = "Can decide about the catalog: episodes, topics, held entries"
    let((curator, administrator), "episodes", "change", "", codename="curate", name=decides)
    let((curator, administrator), "episodes", "topic", *SAVED)
    let((curator, administrator), "episodes", "learningpath", *SAVED)
    let((administrator,), "episodes", "change", "", codename="configure", name="Can set up shows and sources")
    for model in ("podcast", "source"):
        let((administrator,), "episodes", model, *SAVED)
    let((administrator,), "auth", "group", "view")
    let((administrator,), "auth", "user", "view", "add", "change")
