"""Django's admin with a site of our own."""

from django.contrib.admin.apps import AdminConfig


class CuratorsConfig(AdminConfig):
    """The admin, whose start page says what needs a look."""

    # Outside the package that registers the tables: importing that needs the site.
    default_site = "podcast_catalog.admin.CuratorsSite"

    def ready(self) -> None:
        super().ready()
        from . import checks as checks
