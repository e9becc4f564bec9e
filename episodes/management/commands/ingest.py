"""`manage.py ingest`: import documents from configured sources, addresses or saved files."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.utils import timezone

from ...ingest import (
    UsageError,
    find_selected_or_all_targets,
    import_options,
    iterate_import_reports,
)
from ...models import Source
from ...resolve import write_missing_meanings
from ._command import DRY_RUN, NAME_OPTION, QUIET, Arguments, CatalogCommand


class Command(CatalogCommand):
    expected_error_and_exit_code = (UsageError, 2)
    help = (
        "Import sources and update the catalog. Exit 0: all sources imported; 1: at least one failed; 2: wrong usage; "
        "3: the machine or the database failed."
    )
    arguments: ClassVar[Arguments] = {
        "sources": {
            "nargs": "*",
            "metavar": "SOURCE",
            "help": "a source's slug, an http(s) address, or a file",
        },
        "--url": {"default": "", "help": "the original address of a saved file"},
        "--source": {**NAME_OPTION, "help": "the slug of the source that the document belongs to"},
        "--podcast": {**NAME_OPTION, "help": "the slug of the show that the document is about"},
        **DRY_RUN,
        "--explain": {
            "action": "store_true",
            "help": "print the result for each entry, with the reason",
        },
        "--offline": {"action": "store_true", "help": "re-read stored documents, no network"},
        "--accept": {
            "action": "store_true",
            "help": "import even if the change looks suspiciously large",
        },
        "--all-pages": {
            "action": "store_true",
            "help": "read all pages of a feed that has several",
        },
        "--now": {
            "action": "store_true",
            "help": "fetch even from a server that asked for a pause",
        },
        **QUIET,
    }

    def prints_imports(self, options: Mapping[str, Any]) -> bool:
        return True

    def handle(self, *args: Any, **options: Any) -> None:
        import_settings = import_options(
            url=options["url"],
            source=options["source"],
            podcast=options["podcast"],
            offline=options["offline"],
            accept=options["accept"],
            all_pages=options["all_pages"],
            now=options["now"],
            explain=options["explain"],
        )
        targets = find_selected_or_all_targets(options["sources"], import_settings)
        if not targets and not Source.objects.exists():
            self.print_line_and_update_exit_code(
                "No sources yet. Add a show: manage.py add_show ADDRESS"
            )
        self.line_ending = " (dry run: nothing saved)" if options["dry_run"] else ""
        reports = iterate_import_reports(
            targets,
            import_settings,
            timezone.now,
            dry_run=options["dry_run"],
            on_progress=self.show_progress,
        )
        # Each target is imported when its report is asked for, and printed at once.
        for number, report in enumerate(reports, 1):
            self.show_count(number, len(targets), "documents")
            self.print_line_and_update_exit_code(
                report.summary,
                note=report.note,
                note_subject=report.source,
                exit_code=report.exit_code,
            )
            for line in report.entry_lines:
                self.stdout.write(f"  {line}")
        # The search by meaning needs vectors of the new episodes. A dry run has stored no episodes.
        if not options["dry_run"]:
            write_missing_meanings()
