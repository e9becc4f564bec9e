"""`manage.py check_links`: ask the addresses that notes point to whether they are still there."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from datetime import timedelta
from time import sleep
from typing import Any

from django.conf import settings
from django.utils import timezone

from ...schedule import check_links
from ._command import CatalogCommand


class Command(CatalogCommand):
    help = "Check whether links in show notes still work. Exit 0: the run finished, whatever it found; 2: wrong usage."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--limit",
            type=whole(1, 1_000_000),
            default=100,
            metavar="N",
            help="check at most N links (default: 100)",
        )
        parser.add_argument(
            "--older-than",
            type=whole(0, 36_500),
            default=30,
            metavar="DAYS",
            help="only links not checked for DAYS days (default: 30)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        summary = check_links(
            options["limit"],
            timedelta(days=options["older_than"]),
            allow=settings.FETCH_ALLOW,
            clock=timezone.now,
            sleep=sleep,
            watch=self.watch,
        )
        self.stdout.write(summary.line)


def whole(least: int, most: int) -> Callable[[str], int]:
    """A whole number as an argument, from `least` to `most`."""

    def read(text: str) -> int:
        if not (text.isdecimal() and least <= int(text[:10]) <= most):
            raise ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
        return int(text)

    return read
