"""`manage.py add_show`: add shows by the address of a feed or page, or by a list of subscriptions
(OPML)."""

import sys
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.utils import timezone

from ...ingest import Unknown, add_shows
from ._command import CatalogCommand
from ._configured import import_options

AT_ONCE = 8  # fetches


class Command(CatalogCommand):
    refusal = (Unknown, 2)
    help = (
        "Add a show by its feed or page, or all shows of an OPML file. "
        "Exit 0: all are here; 1: at least one failed; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name", metavar="ADDRESS|FILE", help="a feed, a page that links one, or an OPML file"
        )
        parser.add_argument("--url", default="", help="the original address of a saved feed")
        how = parser.add_mutually_exclusive_group()
        how.add_argument(
            "--new",
            action="store_true",
            help="add it as a new show, even if it looks like a known one",
        )
        how.add_argument(
            "--moved-from",
            default="",
            metavar="SHOW",
            help="the show whose feed moved to this address",
        )
        parser.add_argument(
            "--accept",
            action="store_true",
            help="import even if the change looks suspiciously large",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would happen, save nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        named = {name: options[name] for name in ("url", "new", "accept")}
        how = import_options(moved=options["moved_from"], **named)
        failed = False
        # Fetched side by side and added one after another: lists have hundreds of shows.
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for added in add_shows(
                options["name"],
                how,
                timezone.now,
                dry_run=options["dry_run"],
                map=pool.map,
                watch=self.watch,
            ):
                self.tell(added.name, added.line, added.note, ok=added.ok)
                failed |= not added.ok
        if failed:
            sys.exit(1)
