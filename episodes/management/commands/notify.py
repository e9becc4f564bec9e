"""`manage.py notify`: send a test notice by every channel, or the digest of the last week."""

from typing import Any, ClassVar

from django.core.management.base import CommandError
from django.utils import timezone

from ...schedule import Notice, build_weekly_digest
from ._command import Arguments, CatalogCommand


class Command(CatalogCommand):
    help = (
        "Test mail and webhook, or mail the digest of the last week. Exit 0: sent; 1: something was not sent, or nothing "
        "is set up; 2: wrong usage."
    )
    arguments: ClassVar[Arguments] = {
        "--test": {"action": "store_true", "help": "send a test notice by every channel"},
        "--digest": {"action": "store_true", "help": "mail the digest of the last seven days"},
    }
    exclusive_arguments = ("--test", "--digest")
    requires_exclusive = True

    def handle(self, *args: Any, **options: Any) -> None:
        is_digest = options["digest"]
        if is_digest:
            notice = build_weekly_digest(timezone.now())
        else:
            notice = Notice("test", "A test: notices arrive here.")
        errors_by_channel = notice.send_and_return_errors_by_channel(by_mail_only=is_digest)
        for channel, error in errors_by_channel.items():
            exit_code = 1 if error else 0
            self.print_line_and_update_exit_code(
                f"{channel}: {error or 'sent'}", exit_code=exit_code
            )
        # Without this error, a missing configuration would look like success.
        if not errors_by_channel:
            raise CommandError(
                "Nothing is set up: mail needs EMAIL_URL and ADMINS, a webhook needs WEBHOOK_URL."
            )
