"""The app's configuration."""

from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_delete, post_migrate, post_save


class EpisodesConfig(AppConfig):
    name = "episodes"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from .models import LearningPath, Podcast, Source, Topic

        post_migrate.connect(outdate_pages_after_migration, sender=self)
        # `loaddata`, imports and the admin write these tables. All other tables have one writer, which
        # starts the new version itself.
        for model in (LearningPath, Podcast, Source, Topic):
            post_save.connect(outdate_pages_of_old_configuration, sender=model)
            post_delete.connect(outdate_pages_of_old_configuration, sender=model)


def outdate_pages_of_old_configuration(**kwargs: Any) -> None:
    from .models import start_new_version

    start_new_version()


def outdate_pages_after_migration(using: str, **kwargs: Any) -> None:
    """Start a new version of the catalog, because a new release may make other pages of the same rows."""
    from .models import CatalogVersion, start_new_version

    # An early migration has no such table yet.
    table_names = connections[using].introspection.table_names()
    if CatalogVersion._meta.db_table in table_names:
        start_new_version()
