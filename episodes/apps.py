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

        post_migrate.connect(migrated, sender=self)
        # `loaddata`, imports and the admin all write configuration; everything else has one writer.
        for model in (LearningPath, Podcast, Source, Topic):
            post_save.connect(configured, sender=model)
            post_delete.connect(configured, sender=model)


def configured(**kwargs: Any) -> None:
    """Pages show the configuration."""
    from .models import start_new_version

    start_new_version()


def migrated(using: str, **kwargs: Any) -> None:
    """After an upgrade the same rows may make other pages."""
    from .models import CatalogVersion, start_new_version

    if CatalogVersion._meta.db_table in connections[using].introspection.table_names():
        start_new_version()
