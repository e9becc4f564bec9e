"""`manage.py doctor`: see whether a running site is well."""

from typing import Any

from django.conf import settings
from django.core.checks import WARNING

from ._command import CatalogCommand


class Command(CatalogCommand):
    help = (
        "Check a running site: settings, migrations, clocks, disk, mail, overdue and failing sources, "
        "waiting changes. Exit 0: all is well; 1: something is not, each with what to do; 3: the database "
        "or a setting is at fault."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        # Django's own are about HTTPS.
        tags = ["deployment", "security"] if settings.HTTPS else ["deployment"]
        self.check(
            tags=tags,
            display_num_errors=True,
            include_deployment_checks=True,
            fail_level=WARNING,
        )
