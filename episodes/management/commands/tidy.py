"""`manage.py tidy`: delete old evidence that neither pages nor decisions need."""

from contextlib import nullcontext
from typing import Any, ClassVar

from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from ...curation import delete_old_logins
from ...gather import delete_and_count_spare_images, delete_unneeded_evidence
from ...schedule import store_evidence_sizes
from ._command import Arguments, CatalogCommand


class Command(CatalogCommand):
    help = (
        "Delete import runs older than 30 days but the last of each day, revisions older than 90 days that nothing needs, "
        "stored versions that said nothing new, images that nothing names, and expired logins. Run it daily; imports can "
        "go on meanwhile. Exit 0: done."
    )
    arguments: ClassVar[Arguments] = {
        "--dry-run": {"action": "store_true", "help": "show what would be freed, delete nothing"},
    }

    def handle(self, *args: Any, **options: Any) -> None:
        dry_run = options["dry_run"]
        # A dry run deletes too, and rolls back, so that its counts are right. Otherwise each batch of rows is a
        # transaction of its own, so that imports go on.
        dry_run_transaction = transaction.atomic() if dry_run else nullcontext()
        with dry_run_transaction:
            deleted = delete_unneeded_evidence(timezone.now())
            login_count = delete_old_logins(timezone.now())
            call_command("clearsessions", verbosity=0)
            store_evidence_sizes()  # the admin warns of sources that are still large
            if dry_run:
                transaction.set_rollback(True)
        # Outside of the transaction, because deleted files cannot be rolled back.
        image_count = delete_and_count_spare_images(timezone.now(), dry_run=dry_run)
        verb = "would free" if dry_run else "freed"
        megabytes = deleted.bytes / 1_000_000
        counts = (
            f"{deleted.runs:,} import runs",
            f"{deleted.revisions:,} revisions",
            f"{deleted.captures:,} stored versions",
            f"{deleted.contents:,} contents ({megabytes:,.1f} MB)",
            f"{image_count:,} images",
            f"{login_count:,} logins",
        )
        self.print_line_and_update_exit_code(f"{verb}: {', '.join(counts)}")
