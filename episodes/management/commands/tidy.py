"""`manage.py tidy`: thin out what imports leave behind over the years; nothing that is shown or
decided is lost."""

from contextlib import nullcontext
from typing import Any, ClassVar

from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from ...curation import delete_old_logins
from ...gather import tidy_evidence, tidy_images
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
        # A dry run does it and takes it back, so it cannot say anything else than the real one.
        with transaction.atomic() if dry_run else nullcontext():
            done = tidy_evidence(timezone.now())
            logins = delete_old_logins(timezone.now())
            call_command("clearsessions", verbosity=0)
            store_evidence_sizes()
            if dry_run:
                transaction.set_rollback(True)
        # Files that were deleted cannot be taken back.
        images = tidy_images(timezone.now(), dry_run=dry_run)
        self.stdout.write(
            f"{'would free' if dry_run else 'freed'}: {done.runs:,} import runs, {done.revisions:,} revisions, "
            f"{done.captures:,} stored versions, "
            f"{done.contents:,} contents ({done.bytes / 1_000_000:,.1f} MB), {images:,} images, {logins:,} logins"
        )
