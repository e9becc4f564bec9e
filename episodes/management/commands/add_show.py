"""`manage.py add_show`: add shows by the address of a feed or page, or by a list of subscriptions
(OPML)."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

from django.utils import timezone

from ...ingest import UsageError, add_shows_and_yield_reports, import_options
from ...resolve import write_missing_meanings
from ._command import DRY_RUN, NAME_OPTION, Arguments, CatalogCommand


class Command(CatalogCommand):
    expected_error_and_exit_code = (UsageError, 2)
    help = (
        "Add a show by its feed or page, or all shows of an OPML file. "
        "Exit 0: all are here; 1: at least one failed; 2: wrong usage."
    )
    arguments: ClassVar[Arguments] = {
        "name": {
            "metavar": "ADDRESS|FILE",
            "help": "a feed, a page that links one, or an OPML file",
        },
        "--url": {"default": "", "help": "the original address of a saved feed"},
        "--new": {
            "action": "store_true",
            "help": "add it as a new show, even if it looks like a known one",
        },
        "--moved-from": {
            **NAME_OPTION,
            "metavar": "SHOW",
            "help": "the show whose feed moved to this address",
        },
        "--accept": {
            "action": "store_true",
            "help": "import even if the change looks suspiciously large",
        },
        **DRY_RUN,
    }
    exclusive_arguments = ("--new", "--moved-from")

    def prints_imports(self, options: Mapping[str, Any]) -> bool:
        return True

    def handle(self, *args: Any, **options: Any) -> None:
        import_settings = import_options(
            url=options["url"],
            new=options["new"],
            accept=options["accept"],
            moved=options["moved_from"],
        )
        # Eight feeds are fetched side by side, and added one after another: lists have hundreds of shows.
        with ThreadPoolExecutor(max_workers=8) as pool:
            reports = add_shows_and_yield_reports(
                options["name"],
                import_settings,
                timezone.now,
                dry_run=options["dry_run"],
                map_feeds=pool.map,
                on_progress=self.show_progress,
                on_count=self.show_count,
            )
            for report in reports:
                # The reason of a failure may begin with the same address as the line.
                reason = report.reason.removeprefix(f"{report.source} ")
                line = f"{report.source}: {reason}"
                self.print_line_and_update_exit_code(
                    line,
                    note=report.note,
                    note_subject=report.source,
                    exit_code=report.exit_code,
                )
        # The search by meaning needs vectors of the new episodes. A dry run has stored no episodes.
        if not options["dry_run"]:
            write_missing_meanings()
