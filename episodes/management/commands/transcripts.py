"""`manage.py transcripts`: import transcripts from files."""

from typing import Any, ClassVar

from django.core.management.base import CommandError
from django.utils import timezone

from ...ingest import UsageError, find_show_or_only_show, find_transcript_files, import_transcripts
from ...records import DocumentRejected
from ._command import DRY_RUN, NAME_OPTION, QUIET, Arguments, CatalogCommand


class Command(CatalogCommand):
    expected_error_and_exit_code = (UsageError, 2)
    help = (
        "Import transcripts from a folder, a zip file or one file, each to its episode. Exit 0: all were read; "
        "1: some could not be read; 2: wrong usage; 3: the machine or the database failed."
    )
    arguments: ClassVar[Arguments] = {
        "path": {"metavar": "PATH", "help": "a folder, a zip file, or one transcript"},
        "--podcast": {**NAME_OPTION, "help": "the slug of the show"},
        "--machine-made": {
            "action": "store_true",
            "help": "a program wrote them, and nobody checked",
        },
        "--accept": {
            "action": "store_true",
            "help": "keep the files for review even if most are of no episode",
        },
        **DRY_RUN,
        **QUIET,
    }

    def handle(self, *args: Any, **options: Any) -> None:
        self.line_ending = " (dry run: nothing saved)" if options["dry_run"] else ""
        try:
            result = import_transcripts(
                find_show_or_only_show(options["podcast"]),
                find_transcript_files(options["path"]),
                timezone.now,
                machine_made=options["machine_made"],
                accept=options["accept"],
                dry_run=options["dry_run"],
            )
        except DocumentRejected as refusal:
            raise CommandError(f"transcripts: not imported: {refusal}") from None
        self.print_line_and_update_exit_code(result.summary, exit_code=result.exit_code)
        # Only the line of the result has the note about a dry run.
        self.line_ending = ""
        for line in result.problems:
            # A file that is ignored, or waits for a curator, is reported and no failure.
            exit_code = 1 if line in result.failed else 0
            self.print_line_and_update_exit_code(f"  {line}", exit_code=exit_code)
