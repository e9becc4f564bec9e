"""`manage.py check_links`: ask the addresses that notes point to whether they are still there."""

from datetime import timedelta
from time import sleep
from typing import Any, ClassVar

from django.conf import settings
from django.utils import timezone

from ...schedule import check_and_title_links
from ._command import Arguments, CatalogCommand, whole_number_parser


class Command(CatalogCommand):
    help = "Check whether links in show notes still work. Exit 0: the run finished, whatever it found; 2: wrong usage."
    arguments: ClassVar[Arguments] = {
        "--limit": {
            "type": whole_number_parser(1, 1_000_000),
            "default": 100,
            "metavar": "N",
            "help": "check at most N links (default: 100)",
        },
        "--older-than": {
            "type": whole_number_parser(0, 36_500),
            "default": 30,
            "metavar": "DAYS",
            "help": "only links not checked for DAYS days (default: 30)",
        },
    }

    def handle(self, *args: Any, **options: Any) -> None:
        summary = check_and_title_links(
            options["limit"],
            timedelta(days=options["older_than"]),
            allowed_private_hosts=settings.FETCH_ALLOW,
            clock=timezone.now,
            sleep=sleep,
            on_progress=self.show_progress,
        )
        self.stdout.write(summary.summary)
