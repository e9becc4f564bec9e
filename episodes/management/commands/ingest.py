"""`manage.py ingest`: take documents from configured sources, addresses or saved files into the
catalog."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from ...ingest import Unknown, ingest, targets
from ...models import Source
from ._command import CatalogCommand
from ._configured import import_options

# Options of this command that imports take by the same names.
HOW = ("url", "source", "podcast", "offline", "accept", "all_pages", "now", "explain")


class Command(CatalogCommand):
    refusal = (Unknown, 2)
    help = (
        "Import sources and update the catalog. Exit 0: all sources imported; 1: at least one failed; 2: wrong usage; "
        "3: the machine or the database failed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "sources",
            nargs="*",
            metavar="SOURCE",
            help="a source's slug, an http(s) address, or a file",
        )
        parser.add_argument("--url", default="", help="the original address of a saved file")
        parser.add_argument(
            "--source", default="", help="the slug of the source that the document belongs to"
        )
        parser.add_argument(
            "--podcast", default="", help="the slug of the show that the document is about"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would happen, save nothing"
        )
        parser.add_argument(
            "--explain", action="store_true", help="say of each entry what became of it, and why"
        )
        parser.add_argument(
            "--offline", action="store_true", help="re-read stored documents, no network"
        )
        parser.add_argument(
            "--accept",
            action="store_true",
            help="import even if the change looks suspiciously large",
        )
        parser.add_argument(
            "--all-pages", action="store_true", help="read all pages of a feed that has several"
        )
        parser.add_argument(
            "--now", action="store_true", help="ask even a server that asked us to wait"
        )
        parser.add_argument(
            "-q", "--quiet", action="store_true", help="print only what failed; so does -v 0"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        how = import_options(**{name: options[name] for name in HOW})
        wanted = targets(options["sources"], how)
        self.ending = " (dry run: nothing saved)" if options["dry_run"] else ""
        code = 0
        if not (wanted or self.quiet or Source.objects.exists()):
            self.stdout.write("No sources yet. Add a show: manage.py add_show ADDRESS")
        for report in ingest(
            wanted, how, timezone.now, dry_run=options["dry_run"], watch=self.watch
        ):
            self.tell(report.source, report.line, report.note, ok=report.ok)
            for line in report.lines:
                self.stdout.write(f"  {line}")
            code = max(code, report.exit_code)
        if code:
            sys.exit(code)
