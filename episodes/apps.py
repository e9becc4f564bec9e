"""The app's configuration."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class EpisodesConfig(AppConfig):
    name = "episodes"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from .models import install_version_triggers

        post_migrate.connect(install_version_triggers, sender=self)
