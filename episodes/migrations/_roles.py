"""Roles and their rights: who may only look, who may decide, who may also set up shows, sources and people."""

ROLES = ("viewer", "curator", "administrator")
VIEWED = (
    "attachment capture change chapter codemention codename credit decision document episode episodelink episodetopic"
    " held ingestrun item learningpath link person podcast reference revision source topic topicproposal transcript"
    " withdrawnepisode"
).split()
SAVE_VERBS = ("add", "change", "delete")


def make_roles(apps, schema_editor):
    """Make the three roles of an empty database, with their rights.

    Django makes permissions only after all migrations. It finds those that are made here.
    """
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

    for model in VIEWED:
        let((viewer, curator, administrator), "episodes", model, "view")
    decides = "Can decide about the catalog: episodes, topics, held entries"
    let((curator, administrator), "episodes", "change", "", codename="curate", name=decides)
    let((curator, administrator), "episodes", "topic", *SAVE_VERBS)
    let((curator, administrator), "episodes", "learningpath", *SAVE_VERBS)
    let((administrator,), "episodes", "change", "", codename="configure", name="Can set up shows and sources")
    for model in ("podcast", "source"):
        let((administrator,), "episodes", model, *SAVE_VERBS)
    let((administrator,), "auth", "group", "view")
    let((administrator,), "auth", "user", "view", "add", "change")
