"""`manage.py notify --test`: try the ways in which people are told of troubles."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from ...schedule import Notice
from ._command import CatalogCommand


class Command(CatalogCommand):
    help = (
        "Test mail and webhook. Exit 0: sent; 1: something was not sent, or nothing is set up; "
        "2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        words = "send a test notice by every channel"
        parser.add_argument("--test", action="store_true", required=True, help=words)

    def handle(self, *args: Any, **options: Any) -> None:
        results = Notice("test", "A test: notices arrive here.").send()
        for name, trouble in results.items():
            self.tell(name, f"{name}: {trouble or 'sent'}", "", ok=not trouble)
        if not results:
            raise CommandError(
                "Nothing is set up: mail needs EMAIL_URL and ADMINS, a webhook needs WEBHOOK_URL."
            )
        if any(results.values()):
            sys.exit(1)
