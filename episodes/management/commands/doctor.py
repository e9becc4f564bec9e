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
    # Django's command `check` leaves out the silenced ones, but `run_checks` returns them.
    return [message for message in messages if not message.is_silenced()]


class Command(CatalogCommand):
    help = (
        "Check a running site: settings, migrations, clocks, disk, mail, overdue and failing sources, "
        "waiting changes. Exit 0: all is well; 1: something is not, each with what to do; 3: the database "
        "or a setting is at fault."
    )
    arguments: ClassVar[Arguments] = QUIET

    def handle(self, *args: Any, **options: Any) -> None:
        # A full disk may be the reason why the database does not answer.
        self.run_check_and_return_has_passed("settings", check_settings)
        self.run_check_and_return_has_passed(
            "folders and free space", checks.check_folders_and_free_space
        )
        # Without an answer, this is an error of the whole command.
        connection.ensure_connection()
        self.print_line_and_update_exit_code(f"✓ database: {connection.display_name} answers")
        self.run_check_and_return_has_passed("page cache", checks.check_page_cache_answers)
        self.run_check_and_return_has_passed("mail", checks.check_mail_server_by_login)
        self.run_check_and_return_has_passed("clocks", checks.check_database_clock)
        # Without its tables the catalog cannot be checked.
        has_all_tables = self.run_check_and_return_has_passed("migrations", checks.check_migrations)
        if has_all_tables:
            self.run_check_and_return_has_passed("schedule", checks.check_late_sources)
            self.run_check_and_return_has_passed("waiting changes", checks.check_unresolved_shows)
            self.run_check_and_return_has_passed("sources", checks.check_failing_sources)
        if self.exit_code == 0:
            self.print_line_and_update_exit_code(f"All is well. {self.describe_site()}")

    def run_check_and_return_has_passed(self, subject: str, check: Check) -> bool:
        """Print the troubles of a subject, or that there are none. Return whether there are none."""
        messages = list(check(None))
        for message in messages:
            self.print_line_and_update_exit_code(
                f"✗ {subject}: {message.msg}\n    {message.hint}", exit_code=1
            )
        if not messages:
            self.print_line_and_update_exit_code(f"✓ {subject}")
        return not messages

    def describe_site(self) -> str:
        hosts = ", ".join(settings.ALLOWED_HOSTS)
        return f"{Source.objects.count():,} sources, at {hosts}."
