"""Django's admin with a site of our own."""

from typing import Any

from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class CuratorsConfig(SimpleAdminConfig):
    """The admin. Its tables are registered with its first request (`urls.py`)."""

    # This module is outside the package that registers the tables, whose import needs the site.
    default_site = "podcast_catalog.admin.CuratorsSite"

    def ready(self) -> None:
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(check_curators_site, checks.Tags.admin)
        from . import checks as of_deployment  # noqa: F401  registers them


def check_curators_site(app_configs: Any, **options: Any) -> list[checks.CheckMessage]:
    """Run Django's checks of the admin on all its tables."""
    from . import admin_urls  # noqa: F401  registers them

    return check_admin_app(app_configs, **options)
