"""Our commands, as Django knows them."""

from __future__ import annotations

from django.core.management.base import BaseCommand


class CatalogCommand(BaseCommand):
    """A command that starts at once. Configuration is checked by `manage.py check`: that imports the admin and every page,
    which takes longer than most imports."""

    requires_system_checks = ()
