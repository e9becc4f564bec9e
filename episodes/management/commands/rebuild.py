"""`manage.py rebuild`: throw the catalog away and resolve it again from evidence and decisions."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from ...ingest import tears
from ...models import Held, Podcast
from ...resolve import apply, catch_up, clear, only_public_addresses
from ._command import CatalogCommand

MOST_TOLD = 10


class Command(CatalogCommand):
    help = "Rebuild the catalog from stored sources and edits. The export is the same before and after."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--pending",
            action="store_true",
            help="only follow up changes that wait for it, and end",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["pending"]:
            for podcast in catch_up():
                self.stdout.write(f"{podcast.slug}: changes worked in")
            return
        with transaction.atomic(), only_public_addresses():
            podcasts = list(Podcast.objects.select_for_update())
            _check(tears())
            # All first: an empty catalog leaves it to the ledger and the shows' ranks whose an
            # address is.
            clear(podcasts)
            for podcast in podcasts:
                apply(podcast)
                episodes, held = (
                    podcast.episodes.count(),
                    Held.objects.filter(podcast=podcast).count(),
                )
                self.stdout.write(f"{podcast.slug}: {episodes} episodes, {held} held")


def _check(found: list[str]) -> None:
    """Refuse evidence that is torn: a catalog could be made of it, but later imports would fail."""
    if found:
        more = [f"… and {len(found) - MOST_TOLD} more"] if len(found) > MOST_TOLD else []
        raise CommandError(
            "The stored sources are inconsistent; nothing was rebuilt. If they come from a backup that was made during "
            "an import, restore another one (docs/backup.md).\n  "
            + "\n  ".join([*found[:MOST_TOLD], *more])
        )
