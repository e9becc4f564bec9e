"""`manage.py doctor`: see whether a running site is well."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from django.conf import settings
from django.core.checks import CheckMessage, run_checks
from django.db import connection

from podcast_catalog import checks

from ...models import Source
from ._command import QUIET, Arguments, CatalogCommand

Check = Callable[[None], Iterable[CheckMessage]]


def check_settings(app_configs: None) -> list[CheckMessage]:
    """Return the troubles of settings. On a machine of one's own, that is without HTTPS, few settings matter."""
    if settings.HTTPS:
        messages = run_checks(tags=["security"], include_deployment_checks=True)
    else:
        messages = list(checks.check_any_host(None))
    messages += checks.check_trusted_proxies(None)
    return [message for message in messages if not message.is_silenced()]


# A full disk may be the reason why the database does not answer.
CHECKS_WITHOUT_DATABASE: tuple[tuple[str, Check], ...] = (
    ("settings", check_settings),
    ("folders and free space", checks.check_folders),
)
CHECKS_OF_MACHINE: tuple[tuple[str, Check], ...] = (
    ("page cache", checks.check_page_cache),
    ("mail", checks.check_mail_login),
    ("clocks", checks.check_clocks),
    ("migrations", checks.check_migrations),
)
CHECKS_OF_CATALOG: tuple[tuple[str, Check], ...] = (
    ("schedule", checks.check_late_sources),
    ("waiting changes", checks.check_unresolved_shows),
    ("sources", checks.check_failing_sources),
)


class Command(CatalogCommand):
    help = (
        "Check a running site: settings, migrations, clocks, disk, mail, overdue and failing sources, "
        "waiting changes. Exit 0: all is well; 1: something is not, each with what to do; 3: the database "
        "or a setting is at fault."
    )
    arguments: ClassVar[Arguments] = QUIET

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line for each subject, with the troubles and their remedies."""
        self.run_checks(CHECKS_WITHOUT_DATABASE)
        # Without an answer, this is an error of the whole command.
        connection.ensure_connection()
        self.print_result("", f"✓ database: {connection.display_name} answers")
        self.run_checks(CHECKS_OF_MACHINE)
        # Without its tables the catalog cannot be checked.
        waiting_migrations = list(checks.check_migrations(None))
        if not waiting_migrations:
            self.run_checks(CHECKS_OF_CATALOG)
        if self.exit_code == 0:
            self.print_result("", f"All is well. {self.describe_site()}")

    def run_checks(self, checks_by_subject: Iterable[tuple[str, Check]]) -> None:
        for subject, check in checks_by_subject:
            messages = list(check(None))
            for message in messages:
                self.print_result("", f"✗ {subject}: {message.msg}\n    {message.hint}", code=1)
            if not messages:
                self.print_result("", f"✓ {subject}")

    def describe_site(self) -> str:
        hosts = ", ".join(settings.ALLOWED_HOSTS)
        return f"{Source.objects.count():,} sources, at {hosts}."
